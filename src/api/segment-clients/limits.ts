/** Bounds of the endpoints for Segment's clients. Sizes of bodies and documents are those of all requests. */
export const SEGMENT_CLIENT_LIMITS = {
  /** Messages of one batch: Segment's own maximum, to which its clients are built. */
  segmentBatchMessages: 2_500,
  /**
   * Distance of neighbours among numbers beyond 2^53, up to which a rounded id is looked for among all that it may have
   * been. Ids of Steam are 16 apart; 64 covers ids below 2^59.
   */
  roundedIdsMost: 64,
  /**
   * Messages that count as one request against the rate limit: as many as a batch of this service's own has at most
   * (`batchEvents`). So a batch of 2,500 counts as 25.
   */
  segmentMessagesOfRequest: 100,
  /**
   * Events of one command to the owner of a partition, and characters of their properties: as many as the batch
   * endpoint sends at once, so that a batch of 2,500 events for one player does not occupy its owner.
   */
  segmentCommandEvents: 100,
  segmentCommandChars: 512 * 1024,
  /** Registrations that travel with such a command: each of its events may belong to another player. */
  segmentCommandPlayers: 100,
  /** Difference between `sentAt` and the receipt beyond which the sender's clock counts as wrong, as in Jitsu. */
  segmentSkewMs: 5 * 60_000,
  /** Nesting of properties and traits; deeper values are cut off. The rest of `jsonDepth` is for what holds them. */
  fittedDepth: 28,
  /** `Host` and `X-Forwarded-Proto`, in characters: the longest name of a host has 253, and a port follows. */
  hostLength: 260,
  /** Players of a request that are merged at once, each in three commands: a batch of identifies takes few turns. */
  segmentMergesAtOnce: 8,
} as const;
