/** A bench that cannot be run as asked, for a reason that its user can mend: the message says it all. */
export class BenchError extends Error {}
