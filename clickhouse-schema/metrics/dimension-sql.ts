import type { Source } from '../../core/vocabulary/metrics/metric.ts';
import type { DIMENSIONS, DimensionName } from '../../core/vocabulary/metrics/dimensions.ts';

/** The value as text: of the row itself, or of the player's row of `player_days` on the day of the row. */
export type ColumnSql = { readonly of: 'row' | 'day'; readonly text: string };

const row = (text: string): ColumnSql => ({ of: 'row', text });
const day = (text: string): ColumnSql => ({ of: 'day', text });

/** The text of each dimension in each source that has it; '' where a row has no value. */
const DIMENSION_SQL: {
  readonly [D in DimensionName]: { readonly [S in (typeof DIMENSIONS)[D]['sources'][number]]: ColumnSql };
} = {
  event_name: { events: row('toString(event_name)') },
  country: {
    events: row('toString(country)'),
    sessions: day('toString(country)'),
    purchases: day('toString(country)'),
    player_days: row('toString(country)'),
    first_days: row('toString(cohort_country)'),
  },
  platform: {
    events: row('toString(platform)'),
    sessions: row('toString(platform)'),
    purchases: day('toString(platform)'),
    player_days: row('toString(platform)'),
    first_days: row('toString(cohort_platform)'),
  },
  app_version: {
    events: row('toString(app_version)'),
    sessions: row('toString(app_version)'),
    purchases: day('toString(app_version)'),
    player_days: row('toString(app_version)'),
    first_days: row('toString(cohort_app_version)'),
  },
  build: { events: row('toString(build)'), sessions: row('toString(build)') },
  lifecycle_stage: { events: row('toString(lifecycle_stage)') },
  is_payer: { events: row(`if(is_payer, 'true', 'false')`) },
  source: { events: row('toString(source)') },
  key_kind: { events: row('toString(key_kind)') },
  end_reason: { sessions: row('toString(end_reason)') },
  currency: { purchases: row(`ifNull(toString(currency), '')`) },
  product_id: { purchases: row(`ifNull(toString(product_id), '')`) },
  recorded_by: { purchases: row('toString(recorded_by)') },
};

/** The column of a source; undefined: its rows have none. */
export function columnSql(dimension: DimensionName, source: Source): ColumnSql | undefined {
  const columns: Readonly<Partial<Record<Source, ColumnSql>>> = DIMENSION_SQL[dimension];
  return columns[source];
}
