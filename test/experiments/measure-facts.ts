import type { FlagExposed } from '../../core/vocabulary/facts/flag-facts.ts';
import { seenVariant } from '../../actors/flags/exposure/seen-variant.ts';
import type {
  MeasuredMetric,
  MeasuredVariant,
} from '../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { ExperimentQuery } from '../../clickhouse-schema/queries/experiments/experiment-query.ts';
import { clusteredSampleOf } from '../../src/analysis/testing-samples.ts';
import type { PlacedFact } from './owner.ts';

const DAY_MS = 86_400_000;

interface Player {
  exposures: {
    fact: FlagExposed;
    sequence: number;
    index: number;
    variant: string;
    stratum: number;
    cluster: number;
  }[];
  /** What is counted: events or, of revenue, purchases. */
  events: { at: number; sequence: number; index: number; amount: number }[];
  isMarked: boolean;
}

/**
 * What `experimentQuery` measures of conversions, counts and revenue without refunds, from the facts themselves: a
 * reading of its own, to hold the SQL against and to measure thousands of experiments without an engine.
 */
export function measureFacts(log: readonly PlacedFact[], query: ExperimentQuery): MeasuredVariant[] {
  const players = new Map<string, Player>();
  const playerOf = (id: string): Player => {
    const found = players.get(id) ?? { exposures: [], events: [], isMarked: false };
    players.set(id, found);
    return found;
  };
  const inTime = (at: number) => at >= query.sinceMs && at < query.untilMs;
  const { phaseOf: { experiment, phase } = { experiment: undefined, phase: 0 } } = query;
  const [from, before] = experiment === undefined ? [query.fromVersion, query.beforeVersion] : [phase, phase + 1];
  /** Periods of a flag go by its version, and phases of an experiment by their number. */
  const placeOf = (one: Pick<FlagExposed, 'flagVersion' | 'period'>) =>
    experiment === undefined ? one.flagVersion : one.period;
  const isOf = ({ trial }: Pick<FlagExposed, 'trial'>) => trial?.experiment === experiment;
  const isCurrent = (one: Pick<FlagExposed, 'flagVersion' | 'period'>) => placeOf(one) >= from;
  for (const { fact, sequence, index } of log) {
    if (fact.kind === 'FlagExposed' && fact.flagKey === query.flagKey && isOf(fact) && placeOf(fact) < before) {
      const variant = fact.trial?.variant ?? seenVariant(fact) ?? '';
      // An earlier period may have had other variants.
      const counts = !isCurrent(fact) || query.variants.includes(variant);
      const stratum = counts ? (fact.stratum ?? 0) : 0;
      if (isCurrent(fact) ? !inTime(fact.at) : fact.at < query.earlierSinceMs) continue;
      playerOf(fact.entityId).exposures.push({ fact, sequence, index, variant, stratum, cluster: fact.cluster ?? 0 });
    }
    if (fact.kind === 'FlagsServed' && fact.mixed.includes(query.flagKey)) {
      const served = fact.flags.find(({ flagKey }) => flagKey === query.flagKey);
      if (served !== undefined && isOf(served) && isCurrent(served) && placeOf(served) < before) {
        playerOf(fact.entityId).isMarked = true;
      }
    }
    const isRevenue = query.aggregate.kind === 'revenue';
    const isEvent = !isRevenue && fact.kind === 'EventTracked' && fact.eventName === query.metric;
    const amount = isRevenue && fact.kind === 'PurchaseRecorded' ? fact.amount / 10_000 : isEvent ? 1 : 0;
    if (amount > 0 && inTime(fact.at)) playerOf(fact.entityId).events.push({ at: fact.at, sequence, index, amount });
  }
  const groups = new Map<string, Group>();
  for (const [player, { exposures, events, isMarked }] of players) {
    const shown = exposures.filter(({ fact }) => isCurrent(fact));
    if (shown.length === 0) continue;
    const drawn = shown.filter(({ stratum }) => stratum > 0);
    const first = drawn[0] ?? { ...NOTHING, fact: { at: -Infinity } };
    const { variant, stratum: firstStratum, cluster } = first;
    // Boolean flags: players with the same chance are alike.
    const stratum = firstStratum % 2 ** 31 < 10_000 ? firstStratum % 2 ** 31 : firstStratum;
    // Of a draw by device or attribute a player may see two.
    const sawTwo = firstStratum < 2 ** 31 && drawn.some((one) => one.stratum === stratum && one.variant !== variant);
    const isMismatched = drawn.some(({ fact }) => fact.attribution === 'mismatch');
    const namesOther = drawn.some(({ fact }) => fact.attribution === 'mismatch' || fact.attribution === 'earlier');
    const earlier = stratum > 0 && exposures.some((one) => !isCurrent(one.fact) && one.stratum > 0);
    const excluded = sawTwo || isMismatched || earlier || isMarked;
    const arrived = stratum > 0 && !sawTwo && !isMismatched && !earlier;
    const since = first.fact.at;
    const counted = events.filter(({ at, sequence, index }) => {
      const isAfter = sequence > first.sequence || (sequence === first.sequence && index > first.index);
      return isAfter && at < since + query.windowDays * DAY_MS;
    });
    const total = counted.reduce((sum, { amount }) => sum + amount, 0);
    const value = query.aggregate.kind === 'conversion' ? Math.min(1, total) : total;
    const key = { variant, stratum, earlier, excluded, arrived };
    const id = JSON.stringify(key);
    const group: Group = groups.get(id) ?? { key, clusters: new Map(), named: 0 };
    const unit = cluster === 0 ? player : cluster;
    group.clusters.set(unit, [...(group.clusters.get(unit) ?? []), value]);
    if (namesOther) group.named += 1;
    groups.set(id, group);
  }
  return [...groups.values()].map(({ key, clusters, named }) => ({
    ...key,
    ...figuresOf([...clusters.values()]),
    mismatches: named,
  }));
}

/** The exposure of a player for whom nothing was drawn. */
const NOTHING = { sequence: 0, index: 0, variant: '', stratum: 0, cluster: 0 };

interface Group {
  key: Omit<MeasuredVariant, Figures>;
  /** The values of players by what they were drawn with. */
  clusters: Map<string | number, number[]>;
  named: number;
}

type Figures = keyof MeasuredMetric | 'players' | 'squares' | 'mismatches';

function figuresOf(
  clusters: readonly (readonly number[])[],
): MeasuredMetric & Pick<MeasuredVariant, 'players' | 'squares'> {
  const values = clusters.flat();
  const none = {
    theta: Number.NaN,
    covariateMean: Number.NaN,
    covariateVariance: Number.NaN,
    plainVariance: Number.NaN,
  };
  const untreated = { counted: values.length, cap: Number.NaN, cuped: none };
  const squares = clusters.reduce((sum, { length }) => sum + length ** 2, 0);
  return {
    ...clusteredSampleOf(clusters),
    ...untreated,
    squares,
    sum: values.reduce((total, value) => total + value, 0),
  };
}
