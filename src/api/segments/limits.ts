/** Bounds of the definitions of segments, of their lists and previews. */
export const SEGMENT_API_LIMITS = {
  /** Ids in one list. Its entries and exits take the sweep 8 minutes with two partitions. */
  listPlayers: 1_000_000,
  /** The body of a list: the longest external ids, with JSON around them. */
  listBytes: 512 * 1024 * 1024,
  /** Static segments of one game and environment. A player's state holds 100 bytes for each that lists it. */
  staticSegments: 100,
  /** Unknown ids that an answer names. */
  listUnknownShown: 100,
  /** Players of one request that adds some to a list. */
  listAdded: 1_000,
  /** Players that a segment includes by name, and as many that it excludes: 15 kB in every process. */
  segmentExceptions: 200,

  /** Time of a whole preview: the answer leaves within 2 s. */
  previewMs: 1_700,
  /** Time after which a preview goes on with the next partition: its owner is busy or away. */
  previewQueryMs: 500,
  /** Previews of one game that a process runs at once. Each takes at most half of an owner's time. */
  previewsOfGame: 2,
  /** Characters of the definitions whose changes a preview counts: each query to an owner has them. */
  previewChangeChars: 64 * 1024,
  /** Matching players that a preview names. */
  previewExamples: 10,
} as const;
