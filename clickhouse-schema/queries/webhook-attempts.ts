import type { QueryResult } from '../query-result.ts';

/** The attempts of a game's webhooks in the last seconds. */
export interface WebhookAttemptsQuery {
  game: string;
  environment: string;
  seconds: number;
  /** Webhooks in the answer, those with the most failures first. */
  limit: number;
}

/** The attempts of one webhook. */
export interface WebhookAttempts {
  webhookId: string;
  delivered: number;
  /** Attempts that failed and are repeated. */
  failed: number;
  /** Deliveries that were given up: exhausted, dropped or overflowed. */
  givenUp: number;
  /** Epoch milliseconds; undefined: none failed. */
  lastFailureAt: number | undefined;
  /** Status of the last failure; null: no response. */
  lastStatus: number | null;
}

/** What is accepted and what fails, by webhook. */
export async function findWebhookAttempts(
  runQuery: <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>,
  { game, environment, seconds, limit }: WebhookAttemptsQuery,
): Promise<QueryResult<WebhookAttempts[]>> {
  const found = await runQuery<Row>(SQL, { game, environment, seconds, limit });
  if (found.kind === 'unavailable') return found;
  const value = found.value.map((row) => {
    const lastFailureAt = Number(row.last_failure_ms);
    return {
      webhookId: row.webhook_id,
      delivered: Number(row.delivered),
      failed: Number(row.failed),
      givenUp: Number(row.given_up),
      lastFailureAt: lastFailureAt === 0 ? undefined : lastFailureAt,
      lastStatus: row.last_status,
    };
  });
  return { kind: 'answered', value };
}

interface Row {
  webhook_id: string;
  delivered: string | number;
  failed: string | number;
  given_up: string | number;
  last_failure_ms: string | number;
  last_status: number | null;
}

/** `received_at` selects the months; `attempted_at` is part of the primary key. */
const SQL = `
SELECT
  webhook_id,
  countIf(outcome = 'delivered') AS delivered,
  countIf(outcome = 'failed') AS failed,
  countIf(outcome NOT IN ('delivered', 'failed')) AS given_up,
  toUnixTimestamp64Milli(maxIf(attempted_at, outcome != 'delivered')) AS last_failure_ms,
  argMaxIf(tuple(status), attempted_at, outcome != 'delivered').1 AS last_status
FROM webhook_deliveries
WHERE game_id = {game:String} AND environment = {environment:String}
  AND attempted_at >= now64(3) - {seconds:UInt32} AND received_at >= now64(3) - {seconds:UInt32} - 86400
GROUP BY webhook_id
ORDER BY failed + given_up DESC, webhook_id
LIMIT {limit:UInt32}`;
