/** Bounds of `npm start` (the supervisor of the local processes) and of the command line. */
export const LOCAL_LIMITS = {
  /** A nats-server release archive; a current one has 7 MiB. */
  natsArchiveBytes: 64 * 1024 * 1024,
  /** How long a command of the command line waits for the broker. */
  cliConnectMs: 10_000,
  /** How long the ports of a killed run may take to become free. */
  portPatienceMs: 5_000,
  /** How long nats-server and ClickHouse may take to stop before they are killed. Both recover from a kill. */
  dependencyStopMs: 700,
  /** Delay before a dead child is started again; doubled with each death soon after the last. */
  restartDelayMs: 50,
  /** Longest such delay: a child is ready soon after the cause of its deaths is fixed. */
  restartDelayMaxMs: 5_000,
  /** After this running time a death has a new cause, and the delays start again at `restartDelayMs`. */
  restartStableMs: 10_000,
  /** Attempts to run migrations at a start: ClickHouse may restart meanwhile. */
  prepareAttempts: 10,
  /** Pause between two of those attempts. */
  prepareDelayMs: 1_000,
  /** A child's log file larger than this is renamed at the child's next start; one old file is kept. */
  childLogBytes: 8 * 1024 * 1024,
} as const;
