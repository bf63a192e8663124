import { LOOKUP_LIMITS } from './limits.ts';
import type { QueryResult } from '../../query-result.ts';
import { type RunQuery, SCOPE } from './run-query.ts';

export interface WebhookHealthQuery {
  game: string;
  environment: string;
  /** Only this webhook, with its attempts by kind and status. */
  webhookId: string | undefined;
  /** Only attempts from then on, epoch milliseconds. */
  sinceMs: number;
}

/** Attempts of one webhook with one outcome, kind and status. Times are epoch milliseconds. */
export interface AttemptGroup {
  webhookId: string;
  outcome: string;
  /** Empty unless one webhook was asked for. */
  kind: string;
  /** HTTP status; `null`: no answer, or not asked for. */
  status: number | null;
  attempts: number;
  lastAt: number;
}

/** Deliveries of one webhook whose latest attempt failed and that will be tried again. */
export interface PendingDeliveries {
  webhookId: string;
  deliveries: number;
  /** The first attempt of the oldest, epoch milliseconds. */
  oldestAt: number;
}

export interface WebhookHealth {
  groups: AttemptGroup[];
  pending: PendingDeliveries[];
}

/** Counts the recorded attempts. Deliveries that wait for their first attempt are in the queue and not among them. */
export async function findWebhookHealth(
  runQuery: RunQuery,
  { game, environment, webhookId, sinceMs }: WebhookHealthQuery,
): Promise<QueryResult<WebhookHealth>> {
  const parameters = { game, environment, since: sinceMs, ...(webhookId === undefined ? {} : { webhook: webhookId }) };
  const isOne = webhookId !== undefined;
  const groups = await runQuery<GroupRow>(groupsSql(isOne), parameters);
  if (groups.kind === 'unavailable') return groups;
  const pending = await runQuery<PendingRow>(pendingSql(isOne), parameters);
  if (pending.kind === 'unavailable') return pending;
  return {
    kind: 'answered',
    value: {
      groups: groups.value.map((row) => ({
        webhookId: row.webhook_id,
        outcome: row.outcome,
        kind: row.group_kind,
        status: row.group_status,
        attempts: Number(row.attempts),
        lastAt: Number(row.last_ms),
      })),
      pending: pending.value.map((row) => ({
        webhookId: row.webhook_id,
        deliveries: Number(row.deliveries),
        oldestAt: Number(row.oldest_ms),
      })),
    },
  };
}

interface GroupRow {
  webhook_id: string;
  outcome: string;
  group_kind: string;
  group_status: number | null;
  attempts: string | number;
  last_ms: string | number;
}

interface PendingRow {
  webhook_id: string;
  deliveries: string | number;
  oldest_ms: string | number;
}

function whose(isOne: boolean): string {
  const one = isOne ? ' AND webhook_id = {webhook:String}' : '';
  return `${SCOPE}${one} AND attempted_at >= fromUnixTimestamp64Milli({since:Int64})`;
}

function groupsSql(isOne: boolean): string {
  const [kind, status] = isOne ? ['toString(kind)', 'status'] : ["''", 'CAST(NULL AS Nullable(UInt16))'];
  return `
SELECT webhook_id, outcome, ${kind} AS group_kind, ${status} AS group_status, count() AS attempts,
  toUnixTimestamp64Milli(max(attempted_at)) AS last_ms
FROM webhook_deliveries
WHERE ${whose(isOne)}
GROUP BY webhook_id, outcome, group_kind, group_status
ORDER BY webhook_id, attempts DESC, group_kind, group_status
LIMIT ${LOOKUP_LIMITS.webhookHealthRows}`;
}

/** Deliveries with a failed attempt are few, so only their attempts are grouped. */
function pendingSql(isOne: boolean): string {
  return `
SELECT webhook_id, count() AS deliveries, toUnixTimestamp64Milli(min(first_at)) AS oldest_ms
FROM (
  SELECT webhook_id, delivery_id, min(attempted_at) AS first_at,
    argMax(outcome, (attempted_at, records_sequence, records_index)) AS latest
  FROM webhook_deliveries
  WHERE ${whose(isOne)} AND delivery_id IN (
    SELECT delivery_id FROM webhook_deliveries WHERE ${whose(isOne)} AND outcome = 'failed'
  )
  GROUP BY webhook_id, delivery_id
)
WHERE latest = 'failed'
GROUP BY webhook_id`;
}
