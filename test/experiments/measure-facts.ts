import type { FlagExposed } from '../../core/vocabulary/facts/flag-facts.ts';
import { seenVariant } from '../../actors/flags/exposure/seen-variant.ts';
import type {
  MeasuredMetric,
  MeasuredVariant,
} from '../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { ExperimentQuery } from '../../clickhouse-schema/queries/experiments/experiment-query.ts';
import { sampleOf } from '../../src/analysis/testing-samples.ts';
import type { PlacedFact } from './owner.ts';

const DAY_MS = 86_400_000;

interface Player {
  exposures: { fact: FlagExposed; sequence: number; index: number; variant: string }[];
  events: { at: number; sequence: number; index: number }[];
  isMarked: boolean;
}

/**
 * What `experimentQuery` measures of conversions and counts, from the facts themselves: a reading of its own, to hold
 * the SQL against and to measure thousands of experiments without an engine.
 */
export function measureFacts(log: readonly PlacedFact[], query: ExperimentQuery): MeasuredVariant[] {
  const players = new Map<string, Player>();
  const playerOf = (id: string): Player => {
    const found = players.get(id) ?? { exposures: [], events: [], isMarked: false };
    players.set(id, found);
    return found;
  };
  const inTime = (at: number) => at >= query.sinceMs && at < query.untilMs;
  const isCurrent = (version: number) => version >= query.fromVersion;
  for (const { fact, sequence, index } of log) {
    if (fact.kind === 'FlagExposed' && fact.flagKey === query.flagKey && fact.flagVersion < query.beforeVersion) {
      const variant = seenVariant(fact);
      if (variant === null || !query.variants.includes(variant)) continue;
      if (isCurrent(fact.flagVersion) ? !inTime(fact.at) : fact.at < query.earlierSinceMs) continue;
      playerOf(fact.entityId).exposures.push({ fact, sequence, index, variant });
    }
    if (fact.kind === 'FlagsServed' && fact.mixed.includes(query.flagKey)) {
      const version = fact.flags.find(({ flagKey }) => flagKey === query.flagKey)?.flagVersion ?? 0;
      if (isCurrent(version) && version < query.beforeVersion) playerOf(fact.entityId).isMarked = true;
    }
    if (fact.kind === 'EventTracked' && fact.eventName === query.metric && inTime(fact.at)) {
      playerOf(fact.entityId).events.push({ at: fact.at, sequence, index });
    }
  }
  const groups = new Map<string, { key: Omit<MeasuredVariant, Figures>; values: number[]; named: number }>();
  for (const { exposures, events, isMarked } of players.values()) {
    const current = exposures.filter(({ fact }) => isCurrent(fact.flagVersion));
    const [first] = current;
    if (first === undefined) continue;
    const variant = current.map((one) => one.variant).toSorted()[0] ?? '';
    const sawTwo = current.some((one) => one.variant !== variant);
    const isMismatched = current.some(({ fact }) => fact.attribution === 'mismatch');
    const namesOther = current.some(({ fact }) => fact.attribution === 'mismatch' || fact.attribution === 'earlier');
    const isCarried = exposures.some((one) => !isCurrent(one.fact.flagVersion) && one.variant !== variant);
    const excluded = sawTwo || isMismatched || isCarried || isMarked;
    const arrived = !sawTwo && !isMismatched;
    const since = first.fact.at;
    const counted = events.filter(({ at, sequence, index }) => {
      const isAfter = sequence > first.sequence || (sequence === first.sequence && index > first.index);
      return isAfter && at < since + query.windowDays * DAY_MS;
    });
    const value = query.aggregate.kind === 'conversion' ? Math.min(1, counted.length) : counted.length;
    const id = `${variant} ${String(excluded)} ${String(arrived)}`;
    const group = groups.get(id) ?? { key: { variant, excluded, arrived }, values: [], named: 0 };
    group.values.push(value);
    if (namesOther) group.named += 1;
    groups.set(id, group);
  }
  return [...groups.values()].map(({ key, values, named }) => ({ ...key, ...figuresOf(values), mismatches: named }));
}

type Figures = keyof MeasuredMetric | 'players' | 'mismatches';

function figuresOf(values: readonly number[]): MeasuredMetric & Pick<MeasuredVariant, 'players'> {
  return { ...sampleOf(values), sum: values.reduce((total, value) => total + value, 0) };
}
