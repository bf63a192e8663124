/** What `bench -- ingest` was asked for. */
export interface IngestOptions {
  /** Another deployment than one of the bench's own. */
  remote: { url: string; key: string } | undefined;
  /** Length of one run, and rounds of runs on each target. */
  seconds: number;
  rounds: number;
  players: number;
  batchSize: number;
  batchConnections: number;
  /** Length of the long run of batches; 0 for none. */
  sustainedSeconds: number;
  /** Length of the open loop; 0 for none. Its rate is half of what was measured unless named. */
  openSeconds: number;
  openRequestsPerSecond: number | undefined;
  openConnections: number;
  soakSeconds: number | undefined;
  wrkThreads: number;
  /** Where the service's folder is made. */
  folder: string | undefined;
}
