import type { MetricName } from '../../../core/vocabulary/metrics/metrics.ts';

/* What the tiles of the Overview ask. */

export const KPIS = [
  'active_players',
  'new_players',
  'sessions',
  'revenue',
  'payers',
] as const satisfies readonly MetricName[];
export type KpiName = (typeof KPIS)[number];

/** Days of the chart, today included. */
const DAYS = 28;

/** The days of the chart. The last one is today, as the tile shows it. */
export const kpiQuery = (metric: KpiName) => ({ kind: 'trend', interval: 'day', metric, last_days: DAYS }) as const;
