/** Bounds of the queries that read single rows and small groups. */
export const LOOKUP_LIMITS = {
  /** Exposures of one player to one flag that are shown, the newest: a flag has few periods and variants. */
  exposuresOfFlag: 5,
  /** Different faults of events that are listed, and days of events in which they are counted. */
  schemaFaults: 200,
  schemaFaultDays: 30,
  /** Groups of attempts in its answer: kinds of events times statuses, or webhooks times outcomes. */
  webhookHealthRows: 2_000,

  /** Events that one dry run of a schema checks, bytes of their properties, and how long it may check them. */
  dryRunEvents: 1_000,
  dryRunEventsDefault: 500,
  dryRunBytes: 4 * 1024 * 1024,
  dryRunMs: 5_000,
} as const;
