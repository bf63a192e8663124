import type { WebhookDocument } from '../../streams/config/documents.ts';
import { failure, type Failure } from '../kernel/errors.ts';
import { uuidv5 } from '../kernel/ids.ts';
import { LIMITS } from '../kernel/limits.ts';
import { answer, type Answer } from './answer.ts';
import { claimKey } from './definition-writes.ts';
import type { RequestContext } from './request-context.ts';
import { defineRoute, invalid } from './route.ts';
import { Webhook, WebhookBody, webhookJson } from './webhook-resource.ts';
import { eventFaults, headerFaults, urlFaults } from './webhook-rules.ts';

const EXAMPLE = {
  name: 'Purchases',
  url: 'https://hooks.example.com/purchases',
  events: ['purchase_completed'],
  enabled: true,
  headers: { 'X-Team': 'economy' },
  retry_policy: { max_retries: 3, backoff: 'exponential' as const },
  filters: { 'properties.amount': { gte: 10 } },
};

/** The webhook routes. @param allowPrivateHosts hosts a webhook may point to though they are not public */
export function webhookRoutes(allowPrivateHosts: readonly string[]) {
  const createWebhook = defineRoute({
    method: 'POST',
    path: '/v1/integrations/webhooks',
    tag: 'Webhooks',
    summary: 'Create a webhook',
    description: 'In effect on this node with the answer. The secret is shown in this answer only.',
    auth: { keys: ['server'] },
    limitClass: 'none',
    idempotent: true,
    errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
    input: { body: WebhookBody },
    reply: {
      statuses: [201],
      description: 'The webhook with its secret.',
      schema: Webhook,
      example: {
        webhook_id: 'wh_019bc0de-1234-7abc-8def-0123456789ab',
        ...EXAMPLE,
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        created_at: '2026-01-15T10:30:00.000Z',
        version: 1,
      },
    },
    example: EXAMPLE,
    action: {
      kind: 'handle',
      handle({ body }, context) {
        const faults = [
          ...urlFaults(body.url, allowPrivateHosts),
          ...eventFaults(body.events),
          ...headerFaults(body.headers ?? {}),
        ];
        return faults.length > 0 ? invalid(faults) : create(body, context);
      },
    },
  });
  return [createWebhook];
}

/** Namespace of webhook ids that derive from an Idempotency-Key. */
const DERIVED_IDS = '5f0b8f57-9f0e-4f0b-8d57-0c7a8a5f3e11';

/**
 * Stores the webhook. With an Idempotency-Key its id derives from the key, so that a repeat finds the webhook the first
 * request made, or makes it if the first never got that far.
 */
async function create(body: WebhookBody, context: RequestContext): Promise<Answer> {
  const { key, idempotency, origin, services } = context;
  const { config, ids } = services;
  const claim = await claimKey(context);
  if (claim.kind === 'failure') return claim;
  const { replayed } = claim;
  const uuid =
    idempotency === undefined ? ids.uuidv7(origin.receivedAt) : uuidv5(DERIVED_IDS, `${key.id}\n${idempotency.key}`);
  const address = { game: key.game, environment: key.environment, kind: 'webhook', key: `wh_${uuid}` } as const;
  const earlier = replayed ? config.get(address) : undefined;
  if (earlier !== undefined) return created(earlier.document, true);
  if (config.list('webhook', key.game, key.environment).length >= LIMITS.webhooksPerEnvironment) return tooMany();
  const write = await config.put(address, documentOf(address.key, body, context), 0);
  switch (write.kind) {
    case 'written':
      return created(write.entry.document, false);
    case 'conflict': {
      const first = config.get(address);
      return first === undefined ? failure('SERVICE_UNAVAILABLE') : created(first.document, true);
    }
    case 'unavailable':
      return failure('SERVICE_UNAVAILABLE');
  }
}

function created(webhook: WebhookDocument, replayed: boolean): Answer {
  return answer(webhookJson(webhook, true), { status: 201, replayed });
}

function tooMany(): Failure {
  return failure('CONFLICT', `There are ${LIMITS.webhooksPerEnvironment} webhooks already; delete one first.`);
}

function documentOf(id: string, body: WebhookBody, { origin, services }: RequestContext): WebhookDocument {
  return {
    id,
    name: body.name ?? new URL(body.url).host,
    url: body.url,
    events: body.events,
    secret: body.secret ?? `whsec_${Buffer.from(services.ids.bytes(24)).toString('base64')}`,
    enabled: body.enabled ?? true,
    headers: body.headers ?? {},
    retryPolicy: {
      maxRetries: body.retry_policy?.max_retries ?? 4,
      backoff: body.retry_policy?.backoff ?? 'exponential',
    },
    filters: body.filters ?? {},
    createdAt: origin.receivedAt,
    version: 1,
  };
}
