import type { MeasureName } from '../../core/vocabulary/metrics/measures.ts';

/**
 * How a measure is computed from the rows of its source. `only` is a condition on a row.
 * - `rows`: their number. `sum`: the sum of an expression. `players`: distinct players; with `having`, those whose own
 *   rows together fulfil it.
 * - `property`: an aggregate of a number in the properties of events.
 * - `window`: distinct players of the days that end with a day.
 */
export type MeasureSql =
  | { readonly kind: 'rows'; readonly only?: string }
  | { readonly kind: 'sum'; readonly of: string; readonly only?: string }
  | { readonly kind: 'players'; readonly only?: string }
  | { readonly kind: 'players'; readonly only?: string; readonly perPlayer: string; readonly having: string }
  | { readonly kind: 'property'; readonly aggregate: 'sum' | 'average' | 'percentile' }
  | { readonly kind: 'window' };

const IS_PURCHASE = "kind != 'refund'";

const MEASURE_SQL = {
  active_players: { kind: 'players' },
  active_days: { kind: 'rows' },
  wau: { kind: 'window' },
  mau: { kind: 'window' },
  new_players: { kind: 'rows' },
  returning_players: { kind: 'players', only: 'day != cohort_day' },
  sessions: { kind: 'rows' },
  playtime_seconds: { kind: 'sum', of: 'duration_seconds' },
  events: { kind: 'rows' },
  players: { kind: 'players' },
  sum: { kind: 'property', aggregate: 'sum' },
  average: { kind: 'property', aggregate: 'average' },
  percentile: { kind: 'property', aggregate: 'percentile' },
  // Who bought, whatever is refunded later. A purchase that a server's record replaced has a row with -1.
  purchases: { kind: 'sum', of: 'counts', only: IS_PURCHASE },
  payers: { kind: 'players', only: IS_PURCHASE, perPlayer: 'sum(counts)', having: 'times > 0' },
  first_time_payers: { kind: 'rows', only: 'ifNull(first_purchase_day = day, 0)' },
  gross_revenue: { kind: 'sum', of: 'amount', only: IS_PURCHASE },
  refunds: { kind: 'sum', of: '-amount', only: "kind = 'refund'" },
  revenue: { kind: 'sum', of: 'amount' },
} as const satisfies Record<MeasureName, MeasureSql>;

/** The SQL of a measure, with all fields that one may have. */
export const measureSql = (name: MeasureName): MeasureSql => MEASURE_SQL[name];
