/** Bounds of the experiments of one game and environment. */
export const EXPERIMENT_API_LIMITS = {
  /** Experiments that are not shipped or discarded. */
  experimentsPerEnvironment: 500,
  /**
   * All of them: the key of one that started stays taken, since exposures name it. Every process holds them in memory:
   * 8 MB with typical ones of 1.5 kB; 160 MB if each had the maximum size.
   */
  experimentKeysPerEnvironment: 5_000,

  /**
   * From a change of the holdout until every node decides by it. A change takes 200 ms, and clocks of nodes differ.
   */
  holdoutSettlesMs: 60_000,
} as const;
