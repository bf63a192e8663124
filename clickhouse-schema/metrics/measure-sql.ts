import type { MeasureName } from '../../core/vocabulary/metrics/measures.ts';

/* How each measure is computed from the rows of its source: queries, views, experiments and the builder of
 * `player_days` take it from here. */

/** The sum of what rows add: `of`, 1 without it. `only` is a condition on a row. */
interface Added {
  readonly kind: 'sum';
  readonly of?: string | undefined;
  readonly only?: string | undefined;
}

/**
 * - `players`: distinct players; with `having`, those for whom this measure of the same rows is above 0.
 * - `property`: an aggregate of a number in the properties of events.
 * - `window`: distinct players of the days that end with a day.
 */
export type MeasureSql =
  | Added
  | { readonly kind: 'players'; readonly only?: string; readonly having?: MeasureName }
  | { readonly kind: 'property'; readonly aggregate: 'sum' | 'average' | 'percentile' }
  | { readonly kind: 'window' };

const IS_PURCHASE = "kind != 'refund'";

const MEASURE_SQL: Readonly<Record<MeasureName, MeasureSql>> = {
  active_players: { kind: 'players' },
  active_days: { kind: 'sum' },
  wau: { kind: 'window' },
  mau: { kind: 'window' },
  new_players: { kind: 'sum' },
  returning_players: { kind: 'players', only: 'day != cohort_day' },
  sessions: { kind: 'sum' },
  playtime_seconds: { kind: 'sum', of: 'duration_seconds' },
  events: { kind: 'sum' },
  players: { kind: 'players' },
  sum: { kind: 'property', aggregate: 'sum' },
  average: { kind: 'property', aggregate: 'average' },
  percentile: { kind: 'property', aggregate: 'percentile' },
  // Who bought, whatever is refunded later. A purchase that a server's record replaced has a row with -1.
  purchases: { kind: 'sum', of: 'counts', only: IS_PURCHASE },
  payers: { kind: 'players', only: IS_PURCHASE, having: 'purchases' },
  first_time_payers: { kind: 'sum', only: 'ifNull(first_purchase_day = day, 0)' },
  gross_revenue: { kind: 'sum', of: 'amount', only: IS_PURCHASE },
  refunds: { kind: 'sum', of: '-amount', only: "kind = 'refund'" },
  revenue: { kind: 'sum', of: 'amount' },
};

/** The SQL of a measure, with all fields that one may have. */
export const measureSql = (name: MeasureName): MeasureSql => MEASURE_SQL[name];

/** What a row adds to a measure; of a measure of players, to what is above 0 for those whom it counts. */
export function addedSql(name: MeasureName): string {
  const { of = '1', only } = addedOf(name);
  return only === undefined ? of : `if(${only}, ${of}, 0)`;
}

/** The same of a group of rows. */
export function sumSql(name: MeasureName): string {
  const { of, only } = addedOf(name);
  if (of === undefined) return only === undefined ? 'count()' : `countIf(${only})`;
  return only === undefined ? `sum(${of})` : `sumIf(${of}, ${only})`;
}

function addedOf(name: MeasureName): Pick<Added, 'of' | 'only'> {
  const sql = measureSql(name);
  if (sql.kind === 'sum') return sql;
  if (sql.kind !== 'players') return {};
  return sql.having === undefined ? { only: sql.only } : addedOf(sql.having);
}
