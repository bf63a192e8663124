/** Bounds of the broker that `npm start` runs. */
export const BROKER_LIMITS = {
  /** A nats-server release archive; a current one has 7 MiB. */
  natsArchiveBytes: 64 * 1024 * 1024,
  /** Share of the free disk space that FACTS may take, chosen at the first start. The tables take less per event. */
  factsDiskShare: 0.5,
  /** Most bytes of FACTS at a first start; an operator may set more. */
  factsMostBytes: 64 * 1024 ** 3,
  /** Least bytes of FACTS at a first start: minutes of full ingest. */
  factsLeastBytes: 64 * 1024 ** 2,
  /** Least time between two restarts of a broker that stores nothing. */
  brokerRestartMs: 5_000,
  /** Longest such time: it doubles while restarts do not help. */
  brokerRestartMaxMs: 600_000,
} as const;
