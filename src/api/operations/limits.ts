/** Bounds of the status of the service that operators read. */
export const OPERATIONS_LIMITS = {
  /** A game without an event for this long is called silent. */
  gameSilentMs: 60_000,

  /** How long the state of the deployment is given again, and for how many games that of their webhooks. */
  opsStatusKeptMs: 1_000,
  opsScopesKept: 200,
  /** The period whose attempts to deliver it counts, seconds; and webhooks in it: all that a game may have. */
  opsAttemptsSeconds: 3_600,
  opsWebhooks: 100,
  /** Findings in it: a deployment without any owner has one for each of 256 partitions. */
  opsFindings: 100,
  /** What holds the log, the most first. */
  opsHolders: 10,
  /** From here on a sink or a disk needs attention, as in the alerts: records, age, share of the disk. */
  opsSinkBehind: 10_000,
  opsSinkLateMs: 60_000,
  opsDiskShare: 0.8,

  /** Callers who ask for the metrics within this time share their text. */
  metricsShareMs: 250,
} as const;
