import type { RowPlace } from '../rows/player-rows.ts';

/** Filters of a webhook's delivery attempts; a missing filter matches all attempts. */
export interface WebhookDeliveriesQuery {
  game: string;
  environment: string;
  webhookId: string;
  outcome?: string | undefined;
  kind?: string | undefined;
  /** A UUID. */
  deliveryId?: string | undefined;
  /** Bounds of `attempted_at`, epoch milliseconds, the upper one exclusive. */
  sinceMs?: number | undefined;
  untilMs?: number | undefined;
  /** Only attempts after this one in the order of the list. Its `receivedMs` is `attempted_at`. */
  behind?: RowPlace | undefined;
  limit: number;
}

/** A recorded delivery attempt. Times are epoch milliseconds. */
export interface LoggedAttempt {
  place: RowPlace;
  deliveryId: string;
  kind: string;
  playerId: string;
  attempt: number;
  attemptedAt: number;
  durationMs: number;
  outcome: string;
  status: number | null;
  /** Empty if the receiver responded. */
  error: string;
  /** The start of the receiver's response body. */
  responseStart: string;
  urlHost: string;
  nextAttemptAt: number | null;
}

/** A row of the result. */
export interface AttemptRow {
  delivery_id: string;
  kind: string;
  player_id: string;
  attempt: number;
  attempted_ms: string | number;
  duration_ms: number;
  outcome: string;
  status: number | null;
  error: string;
  response_start: string;
  url_host: string;
  next_attempt_ms: string | number | null;
  records_sequence: string | number;
  records_index: number;
}

/**
 * Attempts, newest first: by `attempted_at`, then by their position in RECORDS. The order starts with the primary key,
 * so a page reads few other rows. Callers' values are parameters.
 */
export function webhookDeliveriesQuery(query: WebhookDeliveriesQuery): {
  sql: string;
  parameters: Record<string, unknown>;
} {
  const { game, environment, webhookId, outcome, kind, deliveryId, sinceMs, untilMs, behind, limit } = query;
  const conditions = [
    'game_id = {game:String}',
    'environment = {environment:String}',
    'webhook_id = {webhook:String}',
    ...(outcome === undefined ? [] : ['outcome = {outcome:String}']),
    ...(kind === undefined ? [] : ['kind = {kind:String}']),
    ...(deliveryId === undefined ? [] : ['delivery_id = {delivery:UUID}']),
    ...(sinceMs === undefined ? [] : ['attempted_at >= fromUnixTimestamp64Milli({since:Int64})']),
    ...(untilMs === undefined ? [] : ['attempted_at < fromUnixTimestamp64Milli({until:Int64})']),
    ...(behind === undefined ? [] : [BEHIND]),
  ];
  const sql = `
SELECT
  delivery_id,
  kind,
  player_id,
  attempt,
  toUnixTimestamp64Milli(attempted_at) AS attempted_ms,
  duration_ms,
  outcome,
  status,
  error,
  response_start,
  url_host,
  toUnixTimestamp64Milli(next_attempt_at) AS next_attempt_ms,
  records_sequence,
  records_index
FROM webhook_deliveries
WHERE ${conditions.join('\n  AND ')}
ORDER BY attempted_at DESC, records_sequence DESC, records_index DESC
LIMIT {limit:UInt32}`;
  return {
    sql,
    parameters: {
      game,
      environment,
      webhook: webhookId,
      limit,
      ...(outcome === undefined ? {} : { outcome }),
      ...(kind === undefined ? {} : { kind }),
      ...(deliveryId === undefined ? {} : { delivery: deliveryId }),
      ...(sinceMs === undefined ? {} : { since: sinceMs }),
      ...(untilMs === undefined ? {} : { until: untilMs }),
      ...(behind === undefined ? {} : { ms: behind.receivedMs, sequence: behind.sequence, index: behind.index }),
    },
  };
}

/** The first condition lets the engine use the primary key. */
const BEHIND = `attempted_at <= fromUnixTimestamp64Milli({ms:Int64})
  AND (attempted_at < fromUnixTimestamp64Milli({ms:Int64})
    OR (records_sequence, records_index) < ({sequence:UInt64}, {index:UInt32}))`;

export function loggedAttempt(row: AttemptRow): LoggedAttempt {
  const attemptedAt = Number(row.attempted_ms);
  return {
    place: { receivedMs: attemptedAt, sequence: Number(row.records_sequence), index: row.records_index },
    deliveryId: row.delivery_id,
    kind: row.kind,
    playerId: row.player_id,
    attempt: row.attempt,
    attemptedAt,
    durationMs: row.duration_ms,
    outcome: row.outcome,
    status: row.status,
    error: row.error,
    responseStart: row.response_start,
    urlHost: row.url_host,
    nextAttemptAt: row.next_attempt_ms === null ? null : Number(row.next_attempt_ms),
  };
}

export interface DeliveryQuery {
  game: string;
  environment: string;
  webhookId: string;
  /** A UUID. */
  deliveryId: string;
}

/** The position of a delivered fact in FACTS. */
export interface DeliveredFact {
  /** Creation time of FACTS, in the broker's spelling. */
  created: string;
  sequence: number;
  index: number;
}

export interface DeliveredFactRow {
  facts_created: string;
  facts_sequence: string | number;
  facts_index: number;
}

/** Selects the position of a delivery's fact; every attempt of the delivery has it. */
export const DELIVERED_FACT = `
SELECT facts_created, facts_sequence, facts_index
FROM webhook_deliveries
WHERE game_id = {game:String} AND environment = {environment:String} AND webhook_id = {webhook:String}
  AND delivery_id = {delivery:UUID}
LIMIT 1`;

export function deliveredFact(row: DeliveredFactRow): DeliveredFact {
  return { created: row.facts_created, sequence: Number(row.facts_sequence), index: row.facts_index };
}
