/** Bounds of the audit: the log of changes that people, API keys and operators make. */
export const AUDIT_LIMITS = {
  /**
   * AUDIT: bytes of the stream, which ClickHouse empties. At 2 KB a change, 500,000 changes while ClickHouse is away;
   * then changes are refused, because they could not be audited.
   */
  auditBytes: 1024 * 1024 * 1024,
  /** Bytes of a document before or after a change. Larger ones are shortened to the fields that differ. */
  auditDocumentBytes: 16 * 1024,
  /** Entries of one message: with two documents each, 2 MiB of the 8 that the broker takes. */
  auditEntriesPerMessage: 64,
  /** Entries of one process that wait to be stored. Beyond it changes are refused. */
  auditEntriesPending: 1_000,
  /** How long a person reads the same thing again without a further entry, and reads that a process remembers. */
  auditReadMs: 15 * 60_000,
  auditReads: 10_000,
  /** How long a stopping process waits until the last outcomes are stored. */
  auditCloseMs: 1_000,
  /** Years that entries are kept in ClickHouse. */
  auditYears: 2,
  /** Entries of a page: with two documents each, at most 3 MB. */
  auditPageItems: 100,
  /** Characters of a filter of the audit: the longest key of a definition. */
  auditFilterLength: 256,
} as const;
