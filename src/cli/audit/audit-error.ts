/** The audit cannot compare: a wrong setting, or an output that is out of reach or behind. */
export class AuditError extends Error {}
