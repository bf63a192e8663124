import { Type } from 'typebox';
import type { AttemptGroup, WebhookHealth } from '../../../clickhouse-schema/queries/lookups/webhook-health.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../route/answer.ts';
import { integerOrNull, timeOrNull, timeOut } from '../input/fields.ts';
import { defineRoute, readBy } from '../route/route.ts';
import { webhooks } from './webhooks.ts';

/* The route that tells how the deliveries of webhooks do. */

const HOUR_MS = 3_600_000;
const count = (description: string) => Type.Integer({ minimum: 0, description });

const Group = Type.Object(
  {
    kind: Type.String({ description: 'Event kind.' }),
    outcome: Type.String({ description: 'Outcome of the attempts, as in the list of attempts.' }),
    status: integerOrNull('HTTP status of the responses; null: there was none.'),
    attempts: count('Number of attempts.'),
    last_attempt_at: timeOut('The latest one.'),
  },
  { description: 'Attempts with one kind, outcome and status.' },
);

const Health = Type.Object(
  {
    webhook_id: Type.String({ description: 'Id of the webhook.' }),
    delivered: count('Attempts that the receiver accepted.'),
    failed: count('Attempts that failed and were or will be repeated.'),
    given_up: count('Deliveries that ended without success: `exhausted`, `dropped` and `overflowed`.'),
    last_attempt_at: timeOrNull('The latest attempt. ISO 8601, UTC, milliseconds; null without one.'),
    last_delivered_at: timeOrNull('The latest success. ISO 8601, UTC, milliseconds; null without one.'),
    undelivered: count('Deliveries whose latest attempt failed and that will be tried again.'),
    oldest_undelivered_at: timeOrNull(
      'The first attempt of the oldest of these. ISO 8601, UTC, milliseconds; null without one.',
    ),
    groups: Type.Optional(Type.Array(Group, { description: 'Attempts by kind and status. With `webhook_id` only.' })),
  },
  { description: 'The deliveries of a webhook.' },
);

export const getWebhookHealth = defineRoute({
  ...webhooks.shared,
  limitClass: 'events',
  ...readBy('viewer'),
  method: 'GET',
  path: '/v1/integrations/webhook-health',
  summary: 'Count the delivery attempts of webhooks',
  description:
    `Counts the recorded attempts of the last ${WEBHOOK_LIMITS.webhookHealthHours} hours by webhook, and the deliveries that are ` +
    'being repeated. Attempts appear one or two seconds after they are made. Deliveries that wait for their first ' +
    'attempt are not among them.',
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
      webhook_id: Type.Optional(
        Type.String({ maxLength: TEXT_LIMITS.callerIdLength, description: 'Only this webhook, with `groups`.' }),
      ),
    }),
  },
  reply: {
    description: 'The counts.',
    schema: Type.Object(
      {
        webhooks: Type.Array(Health, { description: 'Webhooks with attempts, in order of their ids.' }),
        since: timeOut('Attempts from then on are counted.'),
      },
      { description: 'How the deliveries of webhooks do.' },
    ),
    example: {
      webhooks: [
        {
          webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
          delivered: 1_200,
          failed: 4,
          given_up: 0,
          last_attempt_at: '2026-01-15T10:30:00.512Z',
          last_delivered_at: '2026-01-15T10:29:58.007Z',
          undelivered: 1,
          oldest_undelivered_at: '2026-01-15T10:30:00.512Z',
        },
      ],
      since: '2026-01-14T10:30:00.000Z',
    },
  },
  action: {
    kind: 'analytics',
    rowsOf: 'RECORDS',
    toQuestion({ query }, { key, services }) {
      const sinceMs = services.clock.wallMs() - WEBHOOK_LIMITS.webhookHealthHours * HOUR_MS;
      const { game, environment } = key;
      return { kind: 'question', question: { game, environment, webhookId: query.webhook_id, sinceMs } };
    },
    read: (analytics, question) => analytics.lookups.webhookHealth(question),
    toAnswer: (health, { sinceMs, webhookId }) =>
      jsonAnswer({
        webhooks: healthOf(health, webhookId !== undefined),
        since: formatTimestamp(sinceMs),
      }),
  },
});

function healthOf({ groups, pending }: WebhookHealth, withGroups: boolean) {
  const byWebhook = [...Map.groupBy(groups, ({ webhookId }) => webhookId)];
  return byWebhook.map(([webhookId, own]) => {
    const waiting = pending.find((one) => one.webhookId === webhookId);
    const delivered = own.filter(({ outcome }) => outcome === 'delivered');
    const failed = own.filter(({ outcome }) => outcome === 'failed');
    return {
      webhook_id: webhookId,
      delivered: attemptsOf(delivered),
      failed: attemptsOf(failed),
      given_up: attemptsOf(own) - attemptsOf(delivered) - attemptsOf(failed),
      last_attempt_at: latestOf(own),
      last_delivered_at: latestOf(delivered),
      undelivered: waiting?.deliveries ?? 0,
      oldest_undelivered_at: formatTimestampOrNull(waiting?.oldestAt),
      ...(withGroups ? { groups: own.map(groupShown) } : {}),
    };
  });
}

function groupShown({ kind, outcome, status, attempts, lastAt }: AttemptGroup) {
  return { kind, outcome, status, attempts, last_attempt_at: formatTimestamp(lastAt) };
}

const attemptsOf = (groups: readonly AttemptGroup[]): number => groups.reduce((sum, { attempts }) => sum + attempts, 0);

const latestOf = (groups: readonly AttemptGroup[]): string | null =>
  groups.length === 0 ? null : formatTimestamp(Math.max(...groups.map(({ lastAt }) => lastAt)));
