/**
 * Bounds that affect decisions about a player. All owners use the same values, or replays would differ.
 * A player must fit one record (`commitBytes`, 4 MiB) with all lists at their maximum.
 */
export const PLAYER_LIMITS = {
  /**
   * Facts about campaigns that one command may cause: a record must stay below `commitBytes`. Further triggers are
   * ignored.
   */
  campaignFactsPerCommand: 2_000,
  /** Interventions of one player that wait for a sync or a click. */
  interventionsPerPlayer: 32,
  /** Interventions one player receives on one UTC day, from all campaigns together: more would annoy the player. */
  interventionsPerDay: 20,
  /** Sessions in which an intervention is delivered before the client confirms that it was shown. */
  interventionOffers: 3,

  /**
   * Events with an id of the caller that a player stores in full, separately for client keys and for server keys. Half
   * of them at most move to a block at once.
   */
  recentEvents: 32,
  /**
   * Events in one block, which a repeat searches: about 1.9 kB. Events with so long and many names that their block
   * would be larger than the bytes stay in blocks of 16, so that dropping the oldest block drops few ids.
   */
  eventBlock: 128,
  eventBlockBytes: 16 * 1024,
  /**
   * Event ids that a player recognises whatever their age, for each kind of key, unless their blocks take more than the
   * bytes: then the oldest go. An id takes 15 bytes and its event's name once per block. 256 ids of distinct names of
   * 128 ASCII characters take 37 kB; of names of 128 characters of three bytes, 144 ids remain and the 32 stored in
   * full. With both kinds of key a player's blocks take 128 KiB at most; without this bound they took 250 kB.
   */
  eventIds: 256,
  eventIdMostBytes: 64 * 1024,
  /** How long it recognises more than these, and the bytes of their blocks: about 1,100 ids for each kind of key. */
  eventIdMs: 24 * 60 * 60 * 1000,
  eventIdBytes: 16 * 1024,

  /**
   * Test players of a game and environment in one partition, of which a deployment has 2 to 128. Every figure reads
   * their ids, and compares those of its rows with them: a sum takes 3 to 5 times as long while there are any.
   */
  testPlayers: 2_000,

  /**
   * Changes of the variant that one flag serves one player, recorded per period. A caller that alternates contexts
   * could otherwise turn every evaluation into a write. After them an exposure must name its variant.
   */
  servedChanges: 16,

  /** Membership changes due at midnight (UTC) are spread over this time. */
  segmentJitterMs: 10 * 60 * 1000,
} as const;
