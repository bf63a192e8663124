/** Bounds of definitions, segments and flags, of flag evaluations, and of sweeps over all players. */
export const TARGETING_LIMITS = {
  /** Segments of one game and environment. Each is evaluated for every player that changes. */
  segmentsPerEnvironment: 500,
  /** Active flags of one game and environment. A bulk evaluation evaluates all of them. */
  flagsPerEnvironment: 2_000,
  /** The same with archived flags. Their keys stay reserved, and every process holds them in memory. */
  flagKeysPerEnvironment: 10_000,
  /** `key` of a flag, a segment or a variant, in characters. */
  definitionKeyLength: 100,
  /** `description` of a definition, in characters. */
  descriptionLength: 1_000,
  /** How often a change of a definition is retried while others change it at the same moment. */
  definitionWriteAttempts: 8,

  /** Targeting rules of one flag. Each may be evaluated at every evaluation of the flag. */
  flagRules: 50,
  /** Variants of one flag. Every rule prepares a result for each of them: 2,500 at most. */
  flagVariants: 50,
  /** Other flags that one flag depends on. */
  flagPrerequisites: 10,
  /** A variant's weight. The sum of 50 weights stays far below 2^53. */
  flagWeight: 1_000_000,
  /** One flag's definition as JSON text in UTF-8. Every process holds all of them. */
  flagBytes: 64 * 1024,
  /**
   * Characters of all definitions of one game and environment in one answer: 2,000 flags of 4 kB. Writing them took 30
   * to 70 ms of processor time, in turns between other requests.
   */
  definitionsChars: 8_000_000,
  /** Characters of such answers that a process holds, so that it writes them once for all servers of a game. */
  definitionsHeldChars: 32_000_000,
  /** Periods of a flag with readable results; the oldest is dropped. 20 periods of 50 variants take 130 kB. */
  flagPeriods: 20,
  /** Overrides for one player, meant for testers: 512 KiB with values of the maximum size. */
  overridesPerPlayer: 64,
  /** The value of one override, as JSON text in UTF-8. */
  overrideBytes: 8 * 1024,

  /** Exposures remembered per player; the oldest is dropped first. A forgotten exposure would count again. */
  exposuresPerPlayer: 512,
  /**
   * Flags whose last served variant is stored per player: as many as a game may have. An entry takes 50 bytes typically
   * and 600 at most (key, variant, segment, value, two earlier variants): 1.2 MB if every name has its maximum length.
   */
  servedFlags: 2_000,
  /** A served value stored beside its variant, in characters. A longer value is only in the definition. */
  servedValueLength: 64,
  /** Earlier variants of a flag stored per player: an offline client may still show them. */
  servedVariants: 2,
  /**
   * Changes of the variant that one flag serves one player, recorded per period. A caller that alternates contexts
   * could otherwise turn every evaluation into a write. After them an exposure must name its variant.
   */
  servedChanges: 16,
  /**
   * Exposures and served flags of one partition that wait for the next commit. A later evaluation records any beyond
   * it.
   */
  waitingExposures: 20_000,
  /** Exposures in one request of a server, as many as events in a batch. Each is a command of its own. */
  reportedExposures: 100,
  /** Flag keys in one evaluation request. */
  evaluatedFlags: 2_000,
  /** Characters of all values in one evaluation response. At three bytes each they fit `brokerPayloadBytes`. */
  evaluatedChars: 2_000_000,
  /**
   * Response text of an evaluation that is cached with it, in characters. Copying a longer text costs more than writing
   * it.
   */
  rememberedEvaluationChars: 1_000,

  /** Members of a condition whose results one explanation shows, and characters of a value that it shows. */
  explainedTests: 200,
  explainedValueLength: 1_000,
  /** Flags that one request explains step by step. A flag's regular expressions take at most 16 ms to compile. */
  explainedFlags: 3,
  /** How often a process stores when flags were last evaluated. */
  flagUseStoreMs: 15_000,
  /** Days of exposures that the use of all flags counts, and the longest range of one flag's exposures by day. */
  flagUseDays: 30,
  exposureDays: 90,

  /** Membership changes due at midnight (UTC) are spread over this time. */
  segmentJitterMs: 10 * 60 * 1000,
  /** Timers of one player that fire in one record, after an owner was away for long. */
  dueSteps: 32,
  /**
   * Facts about segments that one command may cause: a record must stay below `commitBytes`. The rest follows in the
   * next.
   */
  segmentFactsPerCommand: 2_000,

  /** Players evaluated in one round of a sweep, after a segment changed. */
  sweepEntities: 256,
  /** Time of one round, and the factor of the pause after it: a sweep takes at most a fifth of the owner's time. */
  sweepMs: 2,
  sweepRest: 4,
  /**
   * Membership changes in one round, and the pause for each: 1,000 changes a second and partition. A change costs far
   * more after the round than in it: the store, a snapshot, rows in ClickHouse.
   */
  sweepChanges: 50,
  sweepChangeMs: 1,
  /**
   * Steps that players of one game and environment may take before a sweep continues with the others: 0.2 s, enough for
   * more than 10,000 players with 20 plain segments.
   */
  sweepShareSteps: 20_000_000,
  /** Shortest pause between two rounds. */
  sweepPauseMs: 5,
  /**
   * Time of one query of a preview, for which live commands wait, and of a whole preview: the answer leaves within 2 s.
   */
  previewSliceMs: 8,
  previewMs: 1_700,
  /** Time after which a preview goes on with the next partition: its owner is busy or away. */
  previewQueryMs: 500,
  /** Previews of one game that a process runs at once. Each takes at most half of an owner's time. */
  previewsOfGame: 2,
  /** Conditions of previews that an owner keeps compiled. */
  previewsHeld: 4,
  /** Matching players that a preview names. */
  previewExamples: 10,
  /** How often the progress of a sweep is stored. */
  sweepProgressMs: 1_000,
} as const;
