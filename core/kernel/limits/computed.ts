/**
 * Bounds of computed properties. `computedBuckets` times 14 bytes, and `computedProperties` times 64, bound what they
 * add to a player: 33 kB. An event takes 16 × `filterSteps`, 0.1 ms, at most; the facts of 250 imported lines grow by
 * 250 × 16 × 220 characters, two thirds of a record.
 */
export const COMPUTED_LIMITS = {
  /** Active properties of one game and environment, those of conditions included. */
  computedProperties: 64,
  /** `key` of a named property, in characters: players and events repeat it. */
  propertyKeyLength: 40,
  /** Those of one name of events. Each event carries what it adds to them. */
  computedPerEvent: 16,
  /**
   * Buckets of all of them: the days of each window and one, or 1 without a window. A bucket of texts counts
   * `textBuckets` times, one property of distinct values `distinctValues`.
   */
  computedBuckets: 2_048,
  textBuckets: 10,
  /** Longest window, in UTC days. The events themselves may be kept longer. */
  computedDays: 90,
  /** Distinct values that are counted. */
  distinctValues: 100,
  /** A text as a value, in characters. A longer one is not counted. */
  computedTextLength: 128,
  /** A number in a sum or an average, beyond which it is not counted: 900 of them fit a sum exactly. */
  computedNumber: 1_000_000_000,
  /** JSON of an event's properties, in characters, above which no computed property reads it. Parsing takes 0.3 ms. */
  computedJsonLength: 8_192,
  /** Steps of evaluating one filter on one event, and of the plain tests of a new filter. */
  filterSteps: 500,
  filterPlainSteps: 200,
  /** JSON of a filter, in characters. Those of 64 properties are a fifth of a record, and their ledger's state. */
  filterChars: 4_096,

  /** Rows of past events that one statement sorts, often 100 MB, and its memory: it sorts larger rows on disk. */
  fillSortRows: 500_000,
  fillMemoryBytes: 512 * 1024 * 1024,
  /** Players with a past that wait for a record, in one partition: some megabytes. The source then pauses. */
  fillWaiting: 500,
  /** Players whose past one record adds: about 2 ms of deciding, which live commands in that record wait for. */
  fillPlayers: 20,
  /**
   * Rows of past events are read for so many milliseconds at a time, and for this share of the time of a process: its
   * partitions take turns. A second of processor time takes four seconds.
   */
  fillSliceMs: 2,
  fillShare: 0.25,
  /** Time between looks at what ClickHouse holds, and before another attempt after a failure. */
  fillHeldMs: 500,
  fillRetryMs: 5_000,
} as const;
