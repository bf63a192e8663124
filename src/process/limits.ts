/** Bounds of the start, the memory and the end of a process. */
export const PROCESS_LIMITS = {
  /** The same for the link that a start prints, since terminals and their logs are shared. */
  startLinkMs: 3_600_000,

  /** Time for the service's graceful stop. The documented 10 s include the processes that stop after it. */
  shutdownMs: 8_500,

  /** How often a process looks whether it is ready to join the port that several share. */
  joinPortMs: 20,

  /** How long the shared reader of the sinks lets records gather once they follow each other closely. */
  sinksGatherMs: 5,
  /** Half of the nursery of the sinks' thread. What it holds longer than one batch is little. */
  sinksNurseryMiB: 16,
  /** Replicas of a stream: the most that JetStream stores. */
  replicasMost: 5,
} as const;
