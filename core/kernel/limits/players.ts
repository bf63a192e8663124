/**
 * Bounds of one player's state: idempotency, events, sessions, purchases and activity.
 * A player must fit one record (`commitBytes`, 4 MiB) with all lists at their maximum.
 */
export const PLAYER_LIMITS = {
  /** Idempotency keys remembered per player and kind of API key, and per API key for writes without a single player. */
  idempotencyKeys: 64,
  /**
   * Characters of the responses remembered with them, per player or per API key; for a player, half belong to client
   * keys. The response of an init may contain all attributes and hundreds of flags.
   */
  idempotencyChars: 1_000_000,
  /**
   * Characters of the attribute `country` that events and players carry as a column; a longer text counts as none. The
   * longest official name of a country has 56. Without this bound each event of a batch could store 8 KiB.
   */
  countryLength: 64,
  /** How long an `Idempotency-Key` is remembered. */
  idempotencyTtlMs: 24 * 60 * 60 * 1000,
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
  /** Event names counted per player. A game has dozens. */
  countedNames: 256,
  /** UTC days for which an event is counted: the longest window of a condition. */
  countedDays: 30,

  /** Open sessions of one player, on several devices. One more closes the oldest. */
  openSessions: 4,
  /** Events in one sync, or at a session's end, as documented for clients. */
  syncEvents: 50,
  /** Flags that one init may request by name. Its session stores each name and the value served last. */
  requestedFlags: 500,
  /**
   * Characters of all values in the answer of one init or sync; further flags come without. Such an answer is stored
   * under its Idempotency-Key: beside the attributes, this leaves three quarters of a client's share to other answers.
   */
  sessionValueChars: 128 * 1024,
  /** A value stored with a session to tell a change, in characters. Of a longer one the session stores a digest. */
  markedValueLength: 16,
  /** Achievements in a session's summary, and characters of one. Anything beyond is recorded as an event only. */
  sessionAchievements: 256,
  achievementLength: 128,
  /** One field of `device_info`, in characters. */
  deviceFieldLength: 128,

  /** Days or sessions of a game's lifecycle thresholds. A year without activity counts as churn in any game. */
  lifecycleThreshold: 365,
  /** Days of play that are stored day by day: the input of the churn risk. */
  activityDays: 28,

  /**
   * Recorded sessions, and purchases with a transaction id, whose repeats are recognised, per player: ten years of
   * three sessions a day. Each takes about 30 bytes, so the two lists take 600 kB at most.
   */
  recordedSessions: 10_000,
  recordedPurchases: 10_000,
  /** A recorded session, in seconds. A longer one is the result of a clock that was changed. */
  recordedSessionSeconds: 24 * 60 * 60,
  /** Purchases by client keys whose details are kept for corrections, per player: 300 bytes each, 300 kB at most. */
  correctablePurchases: 1_000,
  /** One purchase, in ten-thousandths: 900,000,000,000 of the game's currency, which leaves 0.08 % below 2^53. */
  purchaseAmount: 900_000_000_000 * 10_000,
  /**
   * A player's revenue, in ten-thousandths. Beyond 2^53 sums of integers are no longer exact, so a purchase past it is
   * refused. Client keys are refused earlier, which reserves 719,925,474 units for purchases by server keys.
   */
  totalRevenue: Number.MAX_SAFE_INTEGER,
  totalRevenueByClients: 900_000_000_000 * 10_000,
  /** `product_id` of a purchase, in characters. */
  productIdLength: 256,
} as const;
