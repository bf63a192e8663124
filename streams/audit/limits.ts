/** Bounds of the entries of the audit log on their way to ClickHouse. */
export const AUDIT_ENTRY_LIMITS = {
  /** Bytes of a document before or after a change. Larger ones are shortened to the fields that differ. */
  auditDocumentBytes: 16 * 1024,
  /**
   * Bytes of a whole document in the history of a definition: the largest flag has 64 KiB. Of a larger one, such as a
   * segment whose condition names thousands of values, the history has the change without the document.
   */
  definitionBytes: 128 * 1024,
  /** Entries of one message: with one whole and two shortened documents each, 5 MiB of the 8 that the broker takes. */
  auditEntriesPerMessage: 32,
  /** Entries of one process that wait to be stored, at most 160 MB. Beyond it changes are refused. */
  auditEntriesPending: 1_000,
} as const;
