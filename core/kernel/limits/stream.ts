/**
 * Bounds of the event stream (SSE). A process buffers at most `streamBuffersBytes` for all readers together:
 * 5,000 readers with full buffers would otherwise take 5 GB.
 */
export const STREAM_LIMITS = {
  /**
   * How long a stream token is valid, and how long its bucket keeps what counts once: a sign-in by the identity
   * provider (`openIdSeconds`) is the longest. Clocks differ by less than the difference.
   */
  streamTokenMs: 60_000,
  streamTokenKeptMs: 660_000,
  /** Characters of a stream token: `st_`, the id of its key and 256 bits. */
  streamTokenLength: 82,
  /**
   * Unexpired stream tokens that one process makes for one API key. Each is a synced write and 0.2 kB for eleven
   * minutes.
   */
  streamTokensOfKey: 1_000,
  /**
   * Stream tokens that one process redeems at once. Beyond it 503, because unauthenticated callers may send such texts.
   */
  streamTokensRedeemed: 64,

  /** Readers of one process. */
  streamReaders: 5_000,
  /** Readers of one API key in one process, by the key's tier: no key can use all of `streamReaders`. */
  streamReadersOfKey: { growth: 100, pro: 1_000, enterprise: 4_000 },
  /** Names in one reader's `event_name` filter. */
  streamEventNames: 50,

  /** Bytes buffered for one reader before it is disconnected. */
  streamReaderBytes: 1024 * 1024,
  /** Bytes of one reader's messages that wait for the network: a last bound, above what the feed allows. */
  streamQueueBytes: 4 * 1024 * 1024,
  /**
   * Bytes buffered for all readers of a process: 1,000 stalled ones at the refill. Beyond it the fullest are
   * disconnected.
   */
  streamBuffersBytes: 256 * 1024 * 1024,
  /** How long a feed on demand stays open without readers: those that reconnect find its recent records. */
  streamIdleMs: 30_000,
  /** How often the buffers of all readers are added up. */
  streamMeasureMs: 1_000,
  /** FACTS bytes kept in memory for readers that are a little behind: a few seconds of heavy load, shared by all. */
  streamRecentBytes: 4 * 1024 * 1024,

  /** A reader that is behind receives more while its buffer holds less than this. A stalled reader holds no more. */
  streamRefillBytes: 256 * 1024,
  /** How often the buffer of a reader that is behind is checked. With the refill it allows 5 MB/s. */
  streamPollMs: 50,
  /** A reader that is behind and receives nothing for this long is disconnected. */
  streamStallMs: 30_000,
  /**
   * How long the count of missed events may take. Without a count, the reader receives its `gap` message without one.
   */
  streamCountMs: 5_000,
  /** Heartbeats written in one turn of the event loop: 1 to 2 ms, even if all readers connected at the same moment. */
  streamBeatsAtOnce: 200,
  /** Reconnect delay that readers receive (`retry`): longer than a restart, shorter than a user's patience. */
  streamRetryMs: 2_000,

  /** Concurrent replays from the log per process; each has a broker consumer. Other readers wait for a slot. */
  streamReplays: 32,
  /**
   * How long a replay keeps its slot while a key with fewer replays waits. Resuming makes the broker read ahead again.
   */
  streamReplayTurnMs: 2_000,
  /** FACTS bytes that one replay decodes before others get a turn. */
  streamReplayStepBytes: 256 * 1024,

  /**
   * Streams of changed flags in one process. With `streamReaders` they leave 5,000 of `connections` for requests.
   */
  changesReaders: 10_000,
  /** Of one API key, by tier: no key can use all. A growth key allows as many requests in a minute. */
  changesReadersOfKey: { growth: 1_000, pro: 5_000, enterprise: 8_000 },
  /**
   * Of one caller of a client key with a rate limit: a tenth, because client keys are public and an address may serve
   * hundreds of players. Callers of enterprise keys are not counted apart.
   */
  changesReadersOfCaller: { growth: 100, pro: 500, enterprise: 8_000 },
  /** Changes within this time make one message. All nodes have them by then (200 ms), so clients get the new flags. */
  changesGatherMs: 250,
  /** Messages about a change in one turn of the event loop, as for heartbeats. */
  changesAtOnce: 200,
  /** Evaluations per second to which the clients of one process spread after a change: half of what it can do. */
  changesRefetchesPerSecond: 5_000,
  /** Bytes unread by one reader, above those in the system's buffers: some 40 messages. 10,000 readers hold 40 MB. */
  changesReaderBytes: 4 * 1024,
  /** Clients of a gateway that ended reconnect over this time, 1,000 to 1,250 in a second. */
  changesRetrySpreadMs: 8_000,
  /** Interval of heartbeats where no setting gives one. */
  changesHeartbeatMs: 30_000,
} as const;
