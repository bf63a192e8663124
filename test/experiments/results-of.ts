import { armsOf } from '../../actors/flags/periods.ts';
import type { MeasuredVariant } from '../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { ExperimentQuery } from '../../clickhouse-schema/queries/experiments/experiment-query.ts';
import type { Aggregate } from '../../clickhouse-schema/queries/experiments/metric.ts';
import { FLAG_KEY, METRIC, START_MS, type SimulatedExperiment } from './simulate-experiment.ts';

/** A period of a simulated experiment, as results ask for it. */
export function periodQueries({ flag, endMs }: SimulatedExperiment, aggregate: Aggregate): ExperimentQuery[] {
  const { periods } = flag;
  return periods.map((period, place) => {
    const next = periods[place + 1];
    return {
      game: 'demo',
      environment: 'live',
      flagKey: FLAG_KEY,
      fromVersion: period.version,
      beforeVersion: next?.version ?? 1_000,
      variants: (period.arms ?? armsOf(flag)).map(({ variantKey }) => variantKey),
      metric: METRIC,
      aggregate,
      windowDays: 7,
      sinceMs: period.since,
      untilMs: next?.since ?? endMs + 1,
      zone: 'UTC',
      earlierSinceMs: START_MS,
    };
  });
}

/** Those who count, of the largest stratum, in order of their variants. */
export function countedIn(measured: readonly MeasuredVariant[]): MeasuredVariant[] {
  const counted = measured.filter(({ stratum, excluded }) => stratum > 0 && !excluded);
  const strata = [...Map.groupBy(counted, ({ stratum }) => stratum).values()];
  const sizeOf = (rows: readonly MeasuredVariant[]) => rows.reduce((sum, { players }) => sum + players, 0);
  const [largest = []] = strata.toSorted((one, other) => sizeOf(other) - sizeOf(one));
  return largest.toSorted((one, other) => (one.variant < other.variant ? -1 : 1));
}
