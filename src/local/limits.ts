/** Bounds of the processes of `npm start` that share a machine. */
export const LOCAL_LIMITS = {
  /**
   * How long a change of a definition waits for the other processes of its machine. The time within which it is in
   * effect on all nodes, as documented for callers.
   */
  configGroupMs: 200,

  /** How long the metrics of a process wait for those of the others. */
  groupMetricsMs: 2_000,
  /** How long nats-server and ClickHouse may take to stop before they are killed. Both recover from a kill. */
  dependencyStopMs: 700,
} as const;
