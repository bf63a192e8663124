import { createHistogram, latencyOf } from '../measure/histogram.ts';
import type { Latency } from '../measure/latency.ts';
import type { LifeStepKind } from './life-plan.ts';
import { LIFE_EVENTS } from './life-requests.ts';
import type { LifeJob, LifeJobEvents } from './life-slots.ts';

/** What came of the requests of one endpoint. */
export interface EndpointFigures {
  /** Requests that were answered, whatever the status, and those of them with a status of 400 or more. */
  answered: number;
  refused: number;
  latency: Latency;
}

/** What came of the requests of a load. */
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

/** Counts what comes of jobs. */
export interface LifeTally extends LifeJobEvents {
  figures(): LifeFigures;
}

/**
 * @param toldFromMs latencies of jobs that were due before are not told (monotonic clock)
 * @param nowMs the same clock
 */
export function createLifeTally(toldFromMs: number, nowMs: () => number): LifeTally {
  const latencies = byKind(createHistogram);
  const counts = byKind(() => ({ answered: 0, refused: 0 }));
  const lateness = createHistogram();
  const statuses: Record<string, number> = {};
  const errors: Record<string, number> = {};
  let events = 0;

  const isTold = ({ dueMs }: LifeJob): boolean => dueMs >= toldFromMs;

  function timed(job: LifeJob): void {
    if (isTold(job)) latencies[job.step.kind].record((nowMs() - job.dueMs) * 1000);
  }

  return {
    onSent(job) {
      if (isTold(job)) lateness.record((nowMs() - job.dueMs) * 1000);
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
      // It waited this long for nothing: left out, the worst moments would look the best.
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

function increment(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
