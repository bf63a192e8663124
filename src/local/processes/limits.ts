/** Bounds of the processes that `npm start` runs. */
export const SUPERVISOR_LIMITS = {
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
  /** How long the ports of a killed run may take to become free. */
  portPatienceMs: 5_000,
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
  /** Pause before `pids.json` is written again after a failure, e.g. on a full disk. */
  pidsRetryMs: 1_000,
} as const;
