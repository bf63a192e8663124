import { MEASURES, type MeasureName } from './measures.ts';
import type { Measure, Ratio, Unit } from './metric.ts';

/*
 * The meaning of every figure of the service. The query API, the console and the documents are made of these
 * declarations. Daily views have SQL of their own; test/contract/http/metrics.test.ts compares each of their columns.
 */

const PER_ACTIVE = 'Nobody was active.';

/** Figures that divide one measure by another. */
export const RATIOS = {
  stickiness: {
    title: 'Stickiness',
    words: 'DAU / MAU: the share of the players of the last 30 days who are active on the day.',
    unit: 'share',
    numerator: 'active_players',
    denominator: 'mau',
    nullWithout: 'Nobody was active in the 30 days.',
  },
  arpdau: {
    title: 'ARPDAU',
    words: 'Revenue for each day of activity of a player: by day, revenue / DAU.',
    unit: 'money',
    numerator: 'revenue',
    denominator: 'active_days',
    nullWithout: PER_ACTIVE,
  },
  arppu: {
    title: 'ARPPU',
    words: 'Revenue for each payer of the interval.',
    unit: 'money',
    numerator: 'revenue',
    denominator: 'payers',
    nullWithout: 'Nobody paid.',
  },
  payer_share: {
    title: 'Payer share',
    words: 'Payers / active players of the interval.',
    unit: 'share',
    numerator: 'payers',
    denominator: 'active_players',
    nullWithout: PER_ACTIVE,
  },
  conversion: {
    title: 'Conversion',
    words: 'First-time payers / new players of the interval. The two need not be the same players.',
    unit: 'share',
    numerator: 'first_time_payers',
    denominator: 'new_players',
    nullWithout: 'Nobody was new.',
  },
  sessions_per_player: {
    title: 'Sessions per player',
    words: 'Sessions / active players of the interval.',
    unit: 'number',
    numerator: 'sessions',
    denominator: 'active_players',
    nullWithout: PER_ACTIVE,
  },
  playtime_per_player: {
    title: 'Playtime per player',
    words: 'Playtime / active players of the interval.',
    unit: 'seconds',
    numerator: 'playtime_seconds',
    denominator: 'active_players',
    nullWithout: PER_ACTIVE,
  },
} as const satisfies Record<string, Ratio & { readonly numerator: MeasureName; readonly denominator: MeasureName }>;

export type RatioName = keyof typeof RATIOS;
export type MetricName = MeasureName | RatioName;

export const METRICS = { ...MEASURES, ...RATIOS } as const;
export const METRIC_NAMES: readonly MetricName[] = namesOf(METRICS);
export const MEASURE_NAMES: readonly MeasureName[] = namesOf(MEASURES);

/** The measure that a ratio divides by others when it is asked for each player. */
export const PER_PLAYER = 'active_players' satisfies MeasureName;

/** The shares of the metric `percentile`, in percent. */
export const PERCENTILES = [50, 90, 95, 99] as const;
export type Percentile = (typeof PERCENTILES)[number];

/** A declaration with all fields that one may have. */
export const measureOf = (name: MeasureName): Measure => MEASURES[name];

/** Whether a metric divides two measures. */
export const isRatio = (name: MetricName): name is RatioName => name in RATIOS;

/** The unit of one measure for each unit of another. */
export function unitOfRatio(numerator: Unit, denominator: Unit): Unit {
  return denominator === 'count' && numerator !== 'count' ? numerator : 'number';
}

/** The keys of a declaration, in its order. */
export function namesOf<K extends string>(declared: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(declared).filter((name): name is K => name in declared);
}
