/** Bounds of the entries of the audit log on their way to ClickHouse. */
export const AUDIT_ENTRY_LIMITS = {
  /** Bytes of a document before or after a change. Larger ones are shortened to the fields that differ. */
  auditDocumentBytes: 16 * 1024,
  /** Entries of one message: with two documents each, 2 MiB of the 8 that the broker takes. */
  auditEntriesPerMessage: 64,
  /** Entries of one process that wait to be stored. Beyond it changes are refused. */
  auditEntriesPending: 1_000,
} as const;
