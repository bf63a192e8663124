/** Bounds of settings. */
export const SETTINGS_LIMITS = {
  /**
   * Processes of the service that `npm start` runs, at most. Beyond about 16 they share one nats-server that is busier
   * than they are.
   */
  processesMost: 32,

  /** Partitions of a deployment. Each has an owner with readers and timers of its own. */
  partitionsMost: 256,
  /** The smallest FACTS that a setting or an operator may choose, for tests and trials. */
  factsSmallestBytes: 1024 * 1024,

  /**
   * Seconds between two looks at the guardrails of all experiments, by default. A look measures each phase of each
   * experiment, in the slots of its game.
   */
  guardrailSeconds: 60,
} as const;
