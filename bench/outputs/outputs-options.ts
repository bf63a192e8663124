/** What can be measured, in the order in which it is. */
export const OUTPUT_PHASES = ['latency', 'deliveries', 'readers', 'sick'] as const;
export type OutputPhase = (typeof OUTPUT_PHASES)[number];

/** What `bench -- outputs` was asked for. */
export interface OutputsOptions {
  phases: ReadonlySet<OutputPhase>;
  /** Rounds of latency, deliveries and the sick; medians are told. */
  rounds: number;
  /** Events/s of the latency phase, the length of one run, and events in one of its batches. */
  eventsPerSecond: number;
  seconds: number;
  batchSize: number;
  /** Of these, every so many-th goes to the webhook: one takes fewer than are tracked. */
  sampledEvery: number;
  /** Deliveries in one backlog. */
  backlog: number;
  /** Numbers of stream readers to try, ascending, and events/s that each of them reads. */
  readers: readonly number[];
  readerEventsPerSecond: number;
  readerSeconds: number;
  /** Readers beside others that take nothing, and for how long. */
  healthyReaders: number;
  stalledReaders: number;
  stalledSeconds: number;
  /** Games with 100 webhooks each, of which 30 are sick; events/s over all games; the length of one run. */
  games: number;
  sickEventsPerSecond: number;
  sickSeconds: number;
  /** Where the service's folder is made. */
  folder: string | undefined;
}
