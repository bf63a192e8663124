import { Type } from 'typebox';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import type { Recovery } from '../../../streams/webhook-operations.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../limits.ts';
import { formatTimestamp, formatTimestampOrNull, parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import { claimKey } from '../definitions/definition-writes.ts';
import { oneOf, timeIn, timeOrNull, timeOut } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, invalid, readBy } from '../route/route.ts';
import { enabledWebhook, WebhookById, webhooks } from './webhooks.ts';

/* The routes that start a recovery and return its progress. */

const RecoveryShape = Type.Object(
  {
    recovery_id: Type.String({ description: 'Id of the recovery.' }),
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    since: timeOut('Start time of the recovery: later events are delivered again.'),
    status: oneOf(
      ['running', 'done', 'stopped'],
      '`stopped` if it ended early, because the webhook was disabled or the log was created anew.',
    ),
    records_scanned: Type.Integer({ description: 'Number of log records read so far.' }),
    records_total: Type.Integer({ description: 'Approximate number of log records to read.' }),
    deliveries_queued: Type.Integer({ description: 'Number of deliveries queued so far.' }),
    started_at: timeOut('When the recovery started.'),
    available_since: timeOrNull(
      'If the log does not reach back to `since`: the time of the oldest record that it has. Events before it are ' +
        'not delivered again. Null if it does.',
    ),
    finished_at: timeOrNull('When the recovery ended. ISO 8601, UTC, milliseconds; null while it runs.'),
  },
  { description: 'A recovery and its progress.' },
);

const RECOVERY_REPLY = {
  description: 'The recovery and its progress.',
  schema: RecoveryShape,
  example: {
    recovery_id: '019bc0de-1234-7abc-8def-0123456789ac',
    webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
    since: '2026-01-15T08:00:00.000Z',
    status: 'running',
    records_scanned: 1_200,
    records_total: 48_000,
    deliveries_queued: 310,
    started_at: '2026-01-15T10:30:00.000Z',
    available_since: null,
    finished_at: null,
  },
} as const;

const recover = defineRoute({
  ...webhooks.shared,
  role: 'editor',
  scope: 'operate',
  audit: { kind: 'webhook', action: 'recovery_started', key: 'id' },
  approval: 'none',
  method: 'POST',
  path: `${webhooks.itemPath}/recover`,
  summary: 'Deliver all events since a given time again',
  description:
    'Use it after a receiver was unavailable for longer than the retries take, or lost data. In the background, the ' +
    'service queues all events since `since` that match the current webhook. Each delivery has its original id, so a ' +
    'receiver that skips processed ids handles each event once. A webhook has at most one running ' +
    'recovery: the same `since` returns its progress, another one returns 409. The log goes back at most ' +
    `${API_LIMITS.logRetentionDays} days, less if it needed room: see \`available_since\`.`,
  idempotent: true,
  errors: ['NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: {
    params: WebhookById,
    query: Type.Object({
      since: timeIn('Start time. Events that the service received at or after it are delivered again.'),
    }),
  },
  reply: RECOVERY_REPLY,
  action: {
    kind: 'service',
    call({ params, query }, context) {
      const since = parseTimestamp(query.since) ?? 0;
      if (since > context.origin.receivedAt) return invalid([{ path: 'since', message: 'must not be in the future' }]);
      const webhook = enabledWebhook(params.id, context);
      return webhook.kind === 'failure' ? webhook : begin(webhook.entry, since, context);
    },
  },
});

const getRecovery = defineRoute({
  ...webhooks.shared,
  ...readBy('viewer'),
  method: 'GET',
  path: `${webhooks.itemPath}/recover`,
  summary: 'Get the progress of the latest recovery',
  description: 'Returns 404 if the webhook has no recovery.',
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: WebhookById },
  reply: RECOVERY_REPLY,
  action: {
    kind: 'service',
    async call({ params }, context) {
      const entry = webhooks.find(params.id, context);
      if (entry === undefined) return webhooks.missing();
      const recovery = await context.services.webhookOperations.recovery(entry);
      if (recovery === 'unavailable') return failure('SERVICE_UNAVAILABLE');
      if (recovery === undefined) return failure('NOT_FOUND', 'The webhook has no recovery; start one with POST.');
      return recoveryAnswer(entry.key, recovery);
    },
  },
});

export const webhookRecoveryRoutes = [recover, getRecovery];

/** Starts a recovery, or returns the running one or the one that this Idempotency-Key started. */
async function begin(entry: ConfigEntry<'webhook'>, since: number, context: RequestContext): Promise<Answer> {
  const { webhookOperations } = context.services;
  const claimed = await claimKey(context);
  if (claimed.kind === 'failure') return claimed;
  if (claimed.replayed) {
    const latest = await webhookOperations.recovery(entry);
    if (latest === 'unavailable') return failure('SERVICE_UNAVAILABLE');
    if (latest?.since === since) return recoveryAnswer(entry.key, latest, true);
  }
  const begun = await webhookOperations.recover(entry, since);
  if (begun.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE');
  const { recovery } = begun;
  if (recovery.since === since) return recoveryAnswer(entry.key, recovery);
  return failure('CONFLICT', 'A recovery with another `since` is running (`details.since`); wait until it ends.', {
    since: formatTimestamp(recovery.since),
  });
}

function recoveryAnswer(webhookId: string, recovery: Recovery, replayed = false): Answer {
  const { id, since, state, scanned, total, queued, startedAt, availableSince, finishedAt } = recovery;
  return jsonAnswer(
    {
      recovery_id: id,
      webhook_id: webhookId,
      since: formatTimestamp(since),
      status: state,
      records_scanned: scanned,
      records_total: total,
      deliveries_queued: queued,
      started_at: formatTimestamp(startedAt),
      available_since: formatTimestampOrNull(availableSince),
      finished_at: formatTimestampOrNull(finishedAt),
    },
    { replayed },
  );
}
