import { SCOPE } from './run-query.ts';

/** The kinds of entries of a player's timeline. */
export const TIMELINE_KINDS = [
  'event',
  'quarantined',
  'session',
  'purchase',
  'segment',
  'stage',
  'exposure',
  'campaign',
] as const;
export type TimelineKind = (typeof TIMELINE_KINDS)[number];

/**
 * How each table fills the columns that all parts of a timeline share: `id`, `name` (of what), `what` (happened),
 * `why`, `value` (text), `number` and `paid`.
 */
const PARTS: Readonly<Record<TimelineKind, { table: string; columns: string; paid?: string; key?: string }>> = {
  event: {
    table: 'events',
    columns: `event_id AS id, toString(event_name) AS name, toString(source) AS what, schema_fault AS why,
      properties AS value, 0. AS number`,
    // Part of the primary key, and of the projection that finds a player's rows (0001_events.sql).
    key: 'event_name, ',
  },
  quarantined: {
    table: 'quarantined_events',
    columns: `event_id AS id, toString(event_name) AS name, 'caller' AS what, reason AS why, properties AS value,
      toFloat64(schema_version) AS number`,
  },
  session: {
    table: 'sessions',
    columns: `session_id AS id, toString(platform) AS name, toString(end_reason) AS what,
      toString(app_version) AS why, '' AS value, toFloat64(duration_seconds) AS number`,
  },
  purchase: {
    table: 'purchases',
    columns: `ifNull(transaction_id, '') AS id, toString(ifNull(product_id, '')) AS name,
      transform(purchases.kind, ['refund', 'replaced', 'held', 'verified', 'rejected'],
        ['refunded', 'reversed', 'held', 'verified', 'rejected'], 'recorded') AS what,
      toString(recorded_by) AS why,
      toString(ifNull(currency, '')) AS value, toFloat64(amount) AS number`,
    paid: 'toFloat64(ifNull(paid_amount, 0))',
  },
  segment: {
    table: 'segment_transitions',
    columns: `toString(segment_id) AS id, toString(segment_key) AS name, toString(transition) AS what, '' AS why,
      '' AS value, 0. AS number`,
  },
  stage: {
    table: 'lifecycle_transitions',
    columns: `'' AS id, toString(to_stage) AS name, 'changed' AS what, toString(from_stage) AS why, '' AS value,
      0. AS number`,
  },
  exposure: {
    table: 'flag_exposures',
    columns: `toString(ifNull(variant_key, '')) AS id, toString(flag_key) AS name, toString(attribution) AS what,
      toString(reason) AS why, value AS value, toFloat64(flag_version) AS number`,
  },
  campaign: {
    table: 'campaign_events',
    columns: `toString(campaign_id) AS id, toString(campaign_key) AS name, toString(event) AS what,
      toString(concat(reason, button)) AS why, toString(cause) AS value, toFloat64(campaign_version) AS number`,
  },
};

const PLAYER = `${SCOPE} AND player_id = {player:UUID}`;
const PLACE = 'received_at, facts_sequence, facts_index';
const NEWEST_FIRST = 'received_at DESC, facts_sequence DESC, facts_index DESC';
/** The first condition follows from the second; it lets the engine use orders by time. */
const BEHIND = `
      AND received_at <= fromUnixTimestamp64Milli({behind:Int64})
      AND (received_at < fromUnixTimestamp64Milli({behind:Int64})
        OR (facts_sequence, facts_index) < ({sequence:UInt64}, {index:UInt32}))`;

/**
 * The newest entries of one kind. It finds the keys of the rows first and then reads the rows, so that wide columns are
 * read for one page only.
 */
export function timelinePart(kind: TimelineKind, isBehind: boolean): string {
  const { table, columns, paid = '0.', key = '' } = PARTS[kind];
  return `
  SELECT '${kind}' AS kind, toUnixTimestamp64Milli(received_at) AS received_ms, facts_sequence AS place_sequence,
    facts_index AS place_index, ${columns}, ${paid} AS paid
  FROM ${table}
  WHERE ${PLAYER} AND (${key}${PLACE}) IN (
    SELECT ${key}${PLACE}
    FROM ${table}
    PREWHERE ${PLAYER}${isBehind ? BEHIND : ''}
    ORDER BY player_id DESC, ${NEWEST_FIRST}
    LIMIT {rows:UInt32}
  )`;
}
