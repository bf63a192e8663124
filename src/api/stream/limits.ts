/** Bounds of the requests for live streams. */
export const STREAM_API_LIMITS = {
  /** Characters of a stream token: `st_`, the id of its key and 256 bits. */
  streamTokenLength: 82,
  /** Readers of one API key in one process, by the key's tier: no key can use all of `streamReaders`. */
  streamReadersOfKey: { growth: 100, pro: 1_000, enterprise: 4_000 },
  /** Names in one reader's `event_name` filter. */
  streamEventNames: 50,
} as const;
