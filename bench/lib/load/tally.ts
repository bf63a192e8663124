import { createHistogram, latencyOf } from '../figures/histogram.ts';
import { increment, sum, type Latency } from '../figures/statistics.ts';
import type { Job } from './scheduler.ts';

/** The outcomes of a load's requests. */
export interface Outcomes {
  /** Requests that were answered, whatever the status, and those of them with a status of 400 or more. */
  answered: number;
  refused: number;
  /** From the moment when a request was due; requests without an answer are included. */
  latency: Latency;
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Requests without an answer, by reason. */
  errors: Record<string, number>;
}

/** Counts the outcomes of jobs. */
export interface Tally {
  onSent(job: Job): void;
  onAnswered(job: Job, status: number): void;
  onFailed(job: Job, reason: string): void;
  outcomes(): Outcomes;
}

/**
 * @param fromMs latencies of jobs that were due before are left out: generator and server compile their code meanwhile
 * @param lateness records how late jobs went out, their waiting for a connection included
 */
export function createTally(fromMs: number, lateness = createHistogram()): Tally {
  const latencies = createHistogram();
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};

  function record(histogram: typeof latencies, { dueMs }: Job): void {
    if (dueMs >= fromMs) histogram.record((performance.now() - dueMs) * 1000);
  }

  return {
    onSent: (job) => record(lateness, job),
    onAnswered(job, status) {
      record(latencies, job);
      increment(statuses, String(status));
    },
    onFailed(job, reason) {
      // It waited this long in vain. Left out, the worst moments would look the best.
      record(latencies, job);
      increment(errors, reason);
    },
    outcomes() {
      const refused = Object.entries(statuses).filter(([status]) => Number(status) >= 400);
      return {
        answered: sum(Object.values(statuses)),
        refused: sum(refused.map(([, count]) => count)),
        latency: latencyOf(latencies),
        statuses,
        errors,
      };
    },
  };
}
