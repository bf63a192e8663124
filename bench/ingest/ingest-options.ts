/** What can be measured, in the order in which it is. */
export const INGEST_PARTS = ['single-64', 'single-512', 'batch', 'sustained', 'open'] as const;
export type IngestPart = (typeof INGEST_PARTS)[number];

/** What `bench -- ingest` was asked for. */
export interface IngestOptions {
  /** Another deployment than one of the bench's own. */
  remote: { url: string; key: string } | undefined;
  /** Parts that are wanted. */
  parts: ReadonlySet<IngestPart>;
  /** Length of one run, and rounds of runs on each target. */
  seconds: number;
  rounds: number;
  players: number;
  batchSize: number;
  batchConnections: number;
  /** Length of the long run of batches. */
  sustainedSeconds: number;
  /** Length of the open loop. */
  openSeconds: number;
  /** Rate of the open loop and the soak; half of what was measured at 512 connections when left out. */
  openRequestsPerSecond: number | undefined;
  openConnections: number;
  soakSeconds: number | undefined;
  wrkThreads: number;
  /** Where the service's folder is made. */
  folder: string | undefined;
}
