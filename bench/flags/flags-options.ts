/** What `bench -- flags` was asked for. */
export interface FlagsOptions {
  /** Length of one run, and rounds of runs; medians are told. */
  seconds: number;
  rounds: number;
  players: number;
  /** Requests/s of the open loop while players are evaluated again, and its connections. */
  requestsPerSecond: number;
  openConnections: number;
  wrkThreads: number;
  /** Where the service's folder is made. */
  folder: string | undefined;
}
