/** Bounds of requests that several resources share. */
export const API_LIMITS = {
  /** Days after the first exposure in which an event may count. */
  resultsWindowDays: 90,
  /** A path into an event's properties: characters, and keys. */
  propertyPathLength: 256,
  propertyPathKeys: 16,

  /** Years that entries are kept in ClickHouse. */
  auditYears: 2,
  /** Entries of a page: with two documents each, at most 3 MB. */
  auditPageItems: 100,
  /** Characters of a filter of the audit: the longest key of a definition. */
  auditFilterLength: 256,
  /** Characters of the reason of a change, and of its percent-encoded form, in which a character has at most nine. */
  changeReasonLength: 500,
  changeReasonEncoded: 4_500,

  /** Days after which FACTS holds nothing of an erased player, as stated in the receipts of erasures. */
  logRetentionDays: 30,

  /** A request body. 100 events whose properties each have the maximum size would be larger and are answered 413. */
  bodyBytes: 1024 * 1024,
  /** Events in one batch request, as documented for clients. */
  batchEvents: 100,

  /** Items on one page of a list: the maximum, and the default. */
  pageItems: 500,
  pageItemsDefault: 50,
  /**
   * `cursor` of a list, in characters. It contains what the page's last item is sorted by, and its key: 64 and 128
   * characters of up to three bytes.
   */
  cursorLength: 1_024,

  /** `device_id` of a score, in characters, as documented for clients. */
  scoredDeviceIdLength: 64,

  /** Days of a report on the models: a month of drift. Each reads the game's scores of that time. */
  scoringReportDays: 31,

  /** How often a change of a definition is retried while others change it at the same moment. */
  definitionWriteAttempts: 8,
} as const;
