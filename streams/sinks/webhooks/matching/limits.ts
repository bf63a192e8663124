/** Bounds of matching FACTS against webhooks, and of the records of deliveries that this appends. */
export const MATCHING_LIMITS = {
  /** Bytes that DELIVERIES may hold before matching pauses. */
  deliveriesBytes: 4 * 1024 ** 3,
  /**
   * Deliveries of one webhook in one record of the queue, and their approximate bytes. As many as may run or wait for a
   * receiver of unknown speed, so that none of them is deferred.
   */
  deliveriesPerRecord: 64,
  deliveriesRecordBytes: 64 * 1024,
  /** Deliveries of one record of FACTS that are grouped by webhook before the first is stored: about 1 MiB. */
  deliveriesGathered: 1_024,

  /** Retries that wait for one webhook, over all processes. More are logged as overflowed; a recovery delivers them. */
  deliveriesPendingPerWebhook: 500_000,
  /** The same once half of `deliveriesBytes` is used: a hundred unreachable receivers leave room for all others. */
  deliveriesPendingShare: 20_000,

  /**
   * Concurrent appends of the matcher, minimum and maximum, and their bytes; one game uses at most half. The next
   * delivery of another game waits behind them, so their number falls while an append takes longer than
   * `matcherAppendMs`.
   */
  matcherAppendsLeast: 16,
  matcherAppends: 256,
  matcherAppendMs: 20,
  matcherAppendBytes: 4 * 1024 * 1024,
  /** FACTS bytes whose deliveries are not stored yet. Beyond it the game with most of them gets a reader of its own. */
  matcherWindowBytes: 8 * 1024 * 1024,
  /** The same for a game with its own reader, and the number of such games: 16 MiB for all of them. */
  matcherBehindBytes: 1024 * 1024,
  matcherBehindGames: 16,
  /** How far such a game may fall behind. Older facts are skipped, because FACTS is not kept for them. */
  matcherBehindMs: 7 * 24 * 60 * 60 * 1000,
  /** FACTS bytes matched between two writes of the matcher's position. */
  matcherBatchBytes: 4 * 1024 * 1024,
  /** How often the position is written while nothing is sent. Facts read twice then only cost time. */
  matcherPositionMs: 1_000,
  /** The same while deliveries are sent. Facts read twice are appended twice, and the broker drops the duplicates. */
  matcherSaveMs: 100,
  /** How long matching waits for the CONFIG revision of a record before it continues and logs an error. */
  matcherConfigWaitMs: 60_000,
} as const;
