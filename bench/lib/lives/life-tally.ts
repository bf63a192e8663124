import { createHistogram, latencyOf } from '../figures/histogram.ts';
import { sum, type Latency } from '../figures/statistics.ts';
import { createTally, type Outcomes } from '../load/tally.ts';
import { LIFE_STEP_KINDS, type LifeStepKind } from './life-plan.ts';
import { LIFE_EVENTS } from './life-requests.ts';
import type { LifeJobEvents } from './life-slots.ts';

/** The outcome of the requests of one endpoint. */
export type EndpointFigures = Pick<Outcomes, 'answered' | 'refused' | 'latency'>;

/** The outcome of the requests of a load. */
export interface LifeFigures {
  endpoints: Record<LifeStepKind, EndpointFigures>;
  /** How late requests went out: waiting for an earlier answer to the same player, or for a connection, included. */
  lateness: Latency;
  /** Events in the requests that were answered with success. */
  events: number;
  /** Answers by endpoint and status. */
  statuses: Record<string, number>;
  /** Requests without an answer, by endpoint and reason. */
  errors: Record<string, number>;
}

/** Counts the outcomes of jobs by endpoint. */
export interface LifeTally extends LifeJobEvents {
  figures(): LifeFigures;
}

/** @param fromMs latencies of jobs that were due before are left out */
export function createLifeTally(fromMs: number): LifeTally {
  const lateness = createHistogram();
  const tallies = byKind(() => createTally(fromMs, lateness));
  return {
    onSent: (job) => tallies[job.step.kind].onSent(job),
    onAnswered: (job, status) => tallies[job.step.kind].onAnswered(job, status),
    onFailed: (job, reason) => tallies[job.step.kind].onFailed(job, reason),
    figures() {
      const outcomes = byKind((kind) => tallies[kind].outcomes());
      const underKind = (pick: (of: Outcomes) => Record<string, number>, mark: string) =>
        Object.fromEntries(
          LIFE_STEP_KINDS.flatMap((kind) =>
            Object.entries(pick(outcomes[kind])).map(([name, count]) => [`${kind}${mark}${name}`, count]),
          ),
        );
      const endpoints = byKind((kind): EndpointFigures => {
        const { answered, refused, latency } = outcomes[kind];
        return { answered, refused, latency };
      });
      return {
        endpoints,
        lateness: latencyOf(lateness),
        events: sum(
          LIFE_STEP_KINDS.map((kind) => LIFE_EVENTS[kind] * (endpoints[kind].answered - endpoints[kind].refused)),
        ),
        statuses: underKind(({ statuses }) => statuses, ' '),
        errors: underKind(({ errors }) => errors, ': '),
      };
    },
  };
}

function byKind<T>(make: (kind: LifeStepKind) => T): Record<LifeStepKind, T> {
  return { init: make('init'), sync: make('sync'), end: make('end') };
}
