import type { Cleanup } from './cleanup.ts';

/** What every bench is given. */
export interface Bench {
  /** Ends what the bench starts, however it ends. */
  cleanup: Cleanup;
  /** Comes with Ctrl-C or SIGTERM. */
  signal: AbortSignal;
  report: (line: string) => void;
}

/** Runs work with a bench, and ends afterwards what it started, however it ended. */
export type WithBench = (work: (bench: Bench) => Promise<void>) => Promise<void>;
