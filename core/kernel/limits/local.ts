/** Bounds of `npm start` (the supervisor of the local processes) and of the command line. */
export const LOCAL_LIMITS = {
  /** Log lines of a process that wait because they cannot be written. Beyond it they are lost. */
  logWaitingBytes: 1024 * 1024,
  /** A nats-server release archive; a current one has 7 MiB. */
  natsArchiveBytes: 64 * 1024 * 1024,
  /** How long a command of the command line waits for the broker. */
  cliConnectMs: 10_000,
  /**
   * Processes of the service that `npm start` runs, at most. Beyond about 16 they share one nats-server that is busier
   * than they are.
   */
  processesMost: 32,
  /** The same when the machine's cores decide. */
  processesChosenMost: 16,
  /**
   * Memory of the machine for each of several processes. It covers their bounds: `processHeapLeastBytes`,
   * `streamBuffersBytes`, `unreadAnswerBytes` and the nursery; the rest is for the broker and ClickHouse.
   */
  processMemoryBytes: 2 * 1024 ** 3,
  /** The JavaScript heap of each of several processes: at least, and at most (Node's own default). */
  processHeapLeastBytes: 1024 ** 3,
  processHeapMostBytes: 4 * 1024 ** 3,
  /** How long the metrics of a process wait for those of the others. */
  groupMetricsMs: 2_000,
  /** How often a process looks whether it is ready to join the port that several share. */
  joinPortMs: 20,
  /** How long the ports of a killed run may take to become free. */
  portPatienceMs: 5_000,
  /** How long nats-server and ClickHouse may take to stop before they are killed. Both recover from a kill. */
  dependencyStopMs: 700,
  /**
   * How often ClickHouse is asked for an answer, and how long the first answer and a second one may take. With a new
   * start it is replaced within 15 s.
   */
  childProbeMs: 2_000,
  childSilentMs: 7_000,
  childConfirmMs: 1_000,
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
  /** Share of the free disk space that FACTS may take, chosen at the first start. The tables take less per event. */
  factsDiskShare: 0.5,
  /** Most bytes of FACTS at a first start; an operator may set more. */
  factsMostBytes: 64 * 1024 ** 3,
  /** Least bytes of FACTS at a first start: minutes of full ingest. */
  factsLeastBytes: 64 * 1024 ** 2,
  /** How often the free space of the disk is read. */
  diskWatchMs: 1_000,
  /**
   * While less is free, writes are refused. Ingest at full rate takes at most 40 MB/s (log, tables and merges), so the
   * reserve lasts 25 s, and for days once only own records are written.
   */
  diskReserveBytes: 1024 * 1024 * 1024,
  /** The reserve is at most this share of the file system. */
  diskReserveShare: 0.05,
  /** Writes are accepted again when this many times the reserve is free, so that the state does not flap. */
  diskResumeFactor: 1.2,
  /** A broker that stores nothing is restarted after `logSilentMs` if the disk was almost full within this time. */
  diskLowRecentMs: 600_000,
  /** Least time between two restarts of a broker that stores nothing. */
  brokerRestartMs: 5_000,
  /** Longest such time: it doubles while restarts do not help. */
  brokerRestartMaxMs: 600_000,
  /** Pause before `pids.json` is written again after a failure, e.g. on a full disk. */
  pidsRetryMs: 1_000,
} as const;
