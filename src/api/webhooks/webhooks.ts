import { Type } from 'typebox';
import type { WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { createdRevisionOf } from '../../../streams/config/webhooks/webhook-revision.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { answer } from '../route/answer.ts';
import { definitionRoutes } from '../definitions/definition-routes.ts';
import { changeDefinition, createDefinition, type Written } from '../definitions/definition-writes.ts';
import { IfMatch, type Basis } from '../input/if-match.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, invalid, type KeyedRoute, writtenBy } from '../route/route.ts';
import {
  changedWebhook,
  hiddenHeaderFaults,
  movedHeaderFaults,
  newSecret,
  rotatedWebhook,
  secretFaults,
  webhookFaults,
  wholeContent,
} from './webhook-content.ts';
import {
  createdWebhookJson,
  rotatedWebhookJson,
  RotationBody,
  SECRET_EXAMPLE,
  Webhook,
  WebhookBody,
  WEBHOOK_BODY_EXAMPLE,
  WEBHOOK_EXAMPLE,
  webhookJson,
  WebhookPatch,
  WebhookRotated,
  WebhookWithSecret,
} from './webhook-resource.ts';

/* The routes that read and write webhooks. */

export const missingWebhook = (): Failure => failure('NOT_FOUND', 'The webhook does not exist.');

const PATH = '/v1/integrations/webhooks';
export const webhooks = definitionRoutes({
  kind: 'webhook',
  tag: 'Webhooks',
  path: PATH,
  many: 'webhooks',
  id: { parameter: 'id', field: 'webhook_id', description: 'Id of the webhook.' },
  schema: Webhook,
  example: WEBHOOK_EXAMPLE,
  toJson: webhookJson,
  missing: missingWebhook,
  most: WEBHOOK_LIMITS.webhooksPerEnvironment,
});
export const WebhookById = Type.Object({ id: Type.String({ description: 'Id of the webhook.' }) });
export const DeliveryById = Type.Object({
  ...WebhookById.properties,
  delivery_id: Type.String({ format: 'uuid', description: 'Id of the delivery, `id` in its payload.' }),
});
const CHANGE_ERRORS = ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'] as const;

/** Finds an enabled webhook. CONFLICT if the webhook is disabled. */
export function enabledWebhook(
  id: string,
  context: RequestContext,
): { kind: 'enabled'; entry: ConfigEntry<'webhook'> } | Failure {
  const entry = webhooks.find(id, context);
  if (entry === undefined) return missingWebhook();
  if (!entry.document.enabled)
    return failure('CONFLICT', 'The webhook is disabled; enable it first (`enabled: true`).');
  return { kind: 'enabled', entry };
}

/** @param allowPrivateHosts hosts that need not be public */
const createWebhook = (allowPrivateHosts: readonly string[]): KeyedRoute =>
  defineRoute({
    ...webhooks.shared,
    // A webhook sends players' data to any address, so changing where is for admins; repeating a delivery is not.
    ...writtenBy('admin', 'none'),
    versioned: true,
    method: 'POST',
    path: PATH,
    summary: 'Create a webhook',
    description:
      'The webhook is in effect on this node when the response is sent. Only this response shows the secret and the ' +
      'values of the headers.',
    idempotent: true,
    errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
    input: { body: WebhookBody },
    reply: {
      statuses: [201],
      description: 'The webhook with its secret.',
      schema: WebhookWithSecret,
      example: { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE },
    },
    example: WEBHOOK_BODY_EXAMPLE,
    action: {
      kind: 'write',
      write({ body }, context) {
        const faults = [...webhookFaults(body, allowPrivateHosts), ...hiddenHeaderFaults(body.headers, {})];
        return faults.length > 0 ? invalid(faults) : create(body, context);
      },
      toAnswer({ entry: { document }, replayed }) {
        return answer(createdWebhookJson(document), { status: 201, replayed, etag: document.version });
      },
    },
  });

/** @param allowPrivateHosts hosts that need not be public */
export const patchWebhook = (allowPrivateHosts: readonly string[]): KeyedRoute =>
  defineRoute({
    ...webhooks.shared,
    ...writtenBy('admin', 'none'),
    versioned: true,
    method: 'PATCH',
    path: webhooks.itemPath,
    summary: 'Change fields of a webhook',
    description:
      'Replaces the fields that you send; objects are replaced, not merged. null sets a field to its default. Queued ' +
      'deliveries use the new configuration. Enabling a webhook removes `disabled`; `recover` delivers the events it ' +
      'missed. A URL of another origin needs the values of the headers again, or `headers: {}`.',
    idempotent: true,
    errors: CHANGE_ERRORS,
    input: { params: WebhookById, headers: IfMatch, body: WebhookPatch },
    reply: { description: 'The updated webhook.', schema: Webhook, example: WEBHOOK_EXAMPLE },
    example: { enabled: false },
    action: {
      kind: 'write',
      write({ params, headers, body }, context) {
        return change(params.id, { ...headers, version: body.version }, context, (held) => {
          // Against the webhook that the change is based on: others may have changed it, and a repeat has no basis.
          const faults = [
            ...webhookFaults(body, allowPrivateHosts, held),
            ...hiddenHeaderFaults(body.headers, held.headers),
            ...movedHeaderFaults(body, held),
          ];
          return faults.length > 0 ? invalid(faults) : changedWebhook(body, held, context.origin.receivedAt);
        });
      },
      toAnswer({ entry: { document }, replayed }, { key }) {
        return answer(webhookJson(document, key), { replayed, etag: document.version });
      },
    },
  });

/** The routes that read and write webhooks. */
export const webhookRoutes = (patch: KeyedRoute, allowPrivateHosts: readonly string[]): KeyedRoute[] => [
  listWebhooks,
  createWebhook(allowPrivateHosts),
  getWebhook,
  patch,
  deleteWebhook,
  rotateSecret,
];

const listWebhooks = webhooks.listRoute({
  summary: 'List the webhooks',
  description: 'Ordered by id, without secrets and values of headers.',
});

const getWebhook = webhooks.getRoute({
  summary: 'Get a webhook',
  description: 'The response contains neither the secret nor values of headers.',
});

const deleteWebhook = webhooks.deleteRoute({
  summary: 'Delete a webhook',
  ...writtenBy('admin', 'none'),
  description:
    'Queued deliveries are dropped when they are due. Earlier attempts stay in the table `webhook_deliveries`.',
});

const rotateSecret = defineRoute({
  ...webhooks.shared,
  ...writtenBy('admin', 'none'),
  versioned: true,
  method: 'POST',
  path: `${webhooks.itemPath}/rotate-secret`,
  summary: 'Rotate the secret of a webhook',
  description:
    'The new secret signs deliveries at once. For 24 hours the previous secret signs too: `webhook-signature` has ' +
    'both signatures, `X-Service-Signature-Previous` the previous one. Older secrets no longer sign. The body may be ' +
    'left out.',
  idempotent: true,
  bodyOptional: true,
  errors: CHANGE_ERRORS,
  input: { params: WebhookById, headers: IfMatch, body: RotationBody },
  reply: {
    description: 'The webhook with its new secret. Only this response shows the secret.',
    schema: WebhookRotated,
    example: {
      ...WEBHOOK_EXAMPLE,
      version: 2,
      secret: SECRET_EXAMPLE,
      previous_secret_until: '2026-01-16T10:30:00.000Z',
    },
  },
  example: {},
  action: {
    kind: 'write',
    write({ params, headers, body }, context) {
      const faults = secretFaults(body.secret);
      if (faults.length > 0) return invalid(faults);
      const { origin, services } = context;
      const secret = body.secret ?? newSecret(services.ids);
      return change(params.id, headers, context, (held) => rotatedWebhook(held, secret, origin.receivedAt));
    },
    toAnswer({ entry: { document }, replayed }) {
      return answer(rotatedWebhookJson(document), { replayed, etag: document.version });
    },
  },
});

/** UUID namespace of webhook ids derived from an Idempotency-Key. */
const DERIVED_IDS = '5f0b8f57-9f0e-4f0b-8d57-0c7a8a5f3e11';

/** With an Idempotency-Key, the webhook's id derives from the key, so one key never creates two webhooks. */
function create(body: WebhookBody, context: WriteContext): Promise<Written<'webhook'> | Failure> {
  const { key, idempotency, origin, services } = context;
  const { config, ids } = services;
  const uuid =
    idempotency === undefined ? ids.uuidv7(origin.receivedAt) : uuidv5(DERIVED_IDS, `${key.id}\n${idempotency.key}`);
  const id = `wh_${uuid}`;
  const address = webhooks.addressOf(id, context);
  const document: WebhookDocument = {
    id,
    ...wholeContent(body),
    secret: body.secret ?? newSecret(ids),
    createdAt: origin.receivedAt,
    version: 1,
  };
  return createDefinition<'webhook'>(
    { address, document, holder: () => config.get(address), taken, overQuota: () => webhooks.overQuota(context) },
    context,
  );
}

const taken = (): Failure => failure('CONFLICT', 'The Idempotency-Key created a webhook earlier; send a new key.');

function change(
  id: string,
  basis: Basis,
  context: WriteContext,
  next: (held: WebhookDocument) => WebhookDocument | Failure,
): Promise<Written<'webhook'> | Failure> {
  return changeDefinition<'webhook'>(
    {
      address: webhooks.addressOf(id, context),
      basis,
      missing: missingWebhook(),
      change(held, entry) {
        const document = next(held);
        if ('kind' in document) return document;
        return { kind: 'changed', document: { ...document, createdRevision: createdRevisionOf(entry) } };
      },
    },
    context,
  );
}
