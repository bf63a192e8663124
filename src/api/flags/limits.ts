/** Bounds of the definitions of flags and of requests for them. */
export const FLAG_API_LIMITS = {
  /** Longest period of an experiment's results. Each request reads the events of all its months. */
  resultsSpanDays: 366,

  /** Of one API key, by tier: no key can use all. A growth key allows as many requests in a minute. */
  changesReadersOfKey: { growth: 1_000, pro: 5_000, enterprise: 8_000 },
  /** Changes within this time make one message. All nodes have them by then (200 ms), so clients get the new flags. */
  changesGatherMs: 250,

  /** Active flags of one game and environment. A bulk evaluation evaluates all of them. */
  flagsPerEnvironment: 2_000,
  /** The same with archived flags. Their keys stay reserved, and every process holds them in memory. */
  flagKeysPerEnvironment: 10_000,
  /**
   * Characters of all definitions of one game and environment in one answer: 2,000 flags of 4 kB. Writing them took 30
   * to 70 ms of processor time, in turns between other requests.
   */
  definitionsChars: 8_000_000,
  /** Characters of such answers that a process holds, so that it writes them once for all servers of a game. */
  definitionsHeldChars: 32_000_000,
  /** The value of one override, as JSON text in UTF-8. */
  overrideBytes: 8 * 1024,
  /** Exposures in one request of a server, as many as events in a batch. Each is a command of its own. */
  reportedExposures: 100,
  /** Flag keys in one evaluation request. */
  evaluatedFlags: 2_000,
  /** Flags that one request explains step by step. A flag's regular expressions take at most 16 ms to compile. */
  explainedFlags: 3,
  /** How often a process stores when flags were last evaluated. */
  flagUseStoreMs: 15_000,
  /** Days of exposures that the use of all flags counts, and the longest range of one flag's exposures by day. */
  flagUseDays: 30,
  /** Days without use, or with one value for all, after which a flag is stale; and how long an answer waits for it. */
  staleDays: 30,
  staleMs: 2_000,
  exposureDays: 90,
} as const;
