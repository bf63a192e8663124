/**
 * Bounds of the measured freshness of outputs. One process holds 3 windows of at most `freshnessSamples` delays: 30 kB.
 */
export const FRESHNESS_LIMITS = {
  /** One event of each second is traced through each output of a process: enough for a p99 over the window. */
  freshnessEveryMs: 1_000,
  /** The window of the figures, and the delays in it: those of two processes, of more processes the latest. */
  freshnessWindowMs: 300_000,
  freshnessSamples: 600,
  /** Traced events that wait for one output. While an output stands still it reads no further, so few ever do. */
  freshnessPending: 64,
  /** How often a process reports new delays to the others: a message of 0.1 kB. Without new ones, how often. */
  freshnessReportMs: 2_000,
  freshnessIdleReportMs: 10_000,
  /** Delays in one report; more come only while an output catches up. */
  freshnessReported: 64,
  /** How long a position that was read from the broker is given again, and how long reading one may take. */
  freshAsOfKeptMs: 250,
  freshAsOfWaitMs: 500,
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

  /** Rows and delivery attempts that the trace of one event shows. */
  traceRows: 10,
  traceAttempts: 200,
  /** Running time of its statements: event ids have no index. 100,000,000 of them are read in about 20 s. */
  traceSeconds: 60,
  /** The same for a request: with the player's id it takes milliseconds. Traces that one process makes at once. */
  traceRequestSeconds: 20,
  traceRequests: 2,
  /** The same for one game and for one person, so that one of them cannot take all. */
  traceRequestsOfCaller: 1,
  /** Records of the log that it reads beyond the rows, and for how long: what a sink is behind at most for minutes. */
  traceRecords: 200_000,
  traceLogMs: 30_000,
} as const;
