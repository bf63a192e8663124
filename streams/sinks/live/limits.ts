/**
 * Bounds of the event stream (SSE). A process buffers at most `streamBuffersBytes` for all readers together:
 * 5,000 readers with full buffers would otherwise take 5 GB.
 */
export const LIVE_LIMITS = {
  /** Bytes buffered for one reader before it is disconnected. */
  streamReaderBytes: 1024 * 1024,
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

  /** Concurrent replays from the log per process; each has a broker consumer. Other readers wait for a slot. */
  streamReplays: 32,
  /**
   * How long a replay keeps its slot while a key with fewer replays waits. Resuming makes the broker read ahead again.
   */
  streamReplayTurnMs: 2_000,
  /** FACTS bytes that one replay decodes before others get a turn. */
  streamReplayStepBytes: 256 * 1024,
} as const;
