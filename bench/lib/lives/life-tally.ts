import { createHistogram, latencyOf } from '../figures/histogram.ts';
import type { LifeStepKind } from './life-plan.ts';
import { LIFE_EVENTS } from './life-requests.ts';
import type { LifeJob, LifeJobEvents } from './life-slots.ts';
import { increment, type Latency } from '../figures/statistics.ts';

/** The outcome of the requests of one endpoint. */
export interface EndpointFigures {
  /** Requests that were answered, whatever the status, and those of them with a status of 400 or more. */
  answered: number;
  refused: number;
  latency: Latency;
}

/** The outcome of the requests of a load. */
export interface LifeFigures {
  endpoints: Record<LifeStepKind, EndpointFigures>;
  /** How late requests went out: waiting for an earlier answer to the same player, or for a connection, included. */
  lateness: Latency;
  /** Events in the requests that were answered with success. */
  events: number;
  /** Answers by endpoint and status. */
  statuses: Record<string, number>;
  /** Requests without an answer, by reason. */
  errors: Record<string, number>;
}

/** Counts the outcomes of jobs. */
export interface LifeTally extends LifeJobEvents {
  figures(): LifeFigures;
}

/**
 * @param fromMs latencies of jobs that were due before are left out (monotonic clock)
 * @param nowMs the same clock
 */
export function createLifeTally(fromMs: number, nowMs: () => number): LifeTally {
  const latencies = byKind(createHistogram);
  const counts = byKind(() => ({ answered: 0, refused: 0 }));
  const lateness = createHistogram();
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};
  let events = 0;

  const isCounted = ({ dueMs }: LifeJob): boolean => dueMs >= fromMs;

  function timed(job: LifeJob): void {
    if (isCounted(job)) latencies[job.step.kind].record((nowMs() - job.dueMs) * 1000);
  }

  return {
    onSent(job) {
      if (isCounted(job)) lateness.record((nowMs() - job.dueMs) * 1000);
    },
    onAnswered(job, status) {
      timed(job);
      const { kind } = job.step;
      const count = counts[kind];
      count.answered += 1;
      if (status >= 400) count.refused += 1;
      else events += LIFE_EVENTS[kind];
      increment(statuses, `${kind} ${status}`);
    },
    onFailed(job, reason) {
      // It waited this long in vain. Left out, the worst moments would look the best.
      timed(job);
      increment(errors, `${job.step.kind}: ${reason}`);
    },
    figures: () => ({
      endpoints: byKind((kind) => ({ ...counts[kind], latency: latencyOf(latencies[kind]) })),
      lateness: latencyOf(lateness),
      events,
      statuses,
      errors,
    }),
  };
}

function byKind<T>(make: (kind: LifeStepKind) => T): Record<LifeStepKind, T> {
  return { init: make('init'), sync: make('sync'), end: make('end') };
}
