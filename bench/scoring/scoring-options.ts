/** What `bench -- scoring` was asked for. */
export interface ScoringOptions {
  /** Length of one run, and rounds of runs; medians are told. */
  seconds: number;
  rounds: number;
  warmUpSeconds: number;
  /** Different bodies that are sent. */
  installs: number;
  /** Length of the open loop, its connections, and its rate: half of what was measured at the most connections when left out. */
  openSeconds: number;
  openConnections: number;
  openRequestsPerSecond: number | undefined;
  wrkThreads: number;
  /** Where the service's folder is made. */
  folder: string | undefined;
}
