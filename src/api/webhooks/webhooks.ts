import { type Static, Type } from 'typebox';
import type { WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { ConfigEntry } from '../../../streams/config/config-store.ts';
import { hiddenValues } from '../../../streams/config/hidden-texts.ts';
import { createdRevisionOf } from '../../../streams/config/webhooks/webhook-revision.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import { answer } from '../route/answer.ts';
import { SWITCHED } from '../definitions/definition-list.ts';
import { definitionRoutes } from '../definitions/definition-routes.ts';
import { IfMatch } from '../input/if-match.ts';
import type { RequestContext } from '../route/request-context.ts';
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

export const webhooks = definitionRoutes({
  kind: 'webhook',
  states: SWITCHED,
  tag: 'Webhooks',
  path: '/v1/integrations/webhooks',
  one: 'webhook',
  many: 'webhooks',
  id: { parameter: 'id', field: 'webhook_id', description: 'Id of the webhook.' },
  idOf: ({ id }) => id,
  schema: Webhook,
  example: WEBHOOK_EXAMPLE,
  toJson: webhookJson,
  taken: () => failure('CONFLICT', 'The Idempotency-Key created a webhook earlier; send a new key.'),
  most: WEBHOOK_LIMITS.webhooksPerEnvironment,
});
export const WebhookById = Type.Object({ id: Type.String({ description: 'Id of the webhook.' }) });
export const DeliveryById = Type.Object({
  ...WebhookById.properties,
  delivery_id: Type.String({ format: 'uuid', description: 'Id of the delivery, `id` in its payload.' }),
});

/** Finds an enabled webhook. CONFLICT if the webhook is disabled. */
export function enabledWebhook(
  id: string,
  context: RequestContext,
): { kind: 'enabled'; entry: ConfigEntry<'webhook'> } | Failure {
  const entry = webhooks.find(id, context);
  if (entry === undefined) return webhooks.missing();
  if (!entry.document.enabled)
    return failure('CONFLICT', 'The webhook is disabled; enable it first (`enabled: true`).');
  return { kind: 'enabled', entry };
}

/**
 * The routes that read and write webhooks.
 * @param allowPrivateHosts hosts that need not be public
 */
export const webhookRoutes = (patch: KeyedRoute, allowPrivateHosts: readonly string[]): KeyedRoute[] => [
  webhooks.listRoute({ description: 'Ordered by creation time, oldest first, without secrets and values of headers.' }),
  webhooks.createRoute({
    // A webhook sends players' data to any address, so changing where is for admins; repeating a delivery is not.
    ...writtenBy('admin', 'none', 'configure'),
    description:
      'The webhook is in effect on this node when the response is sent. Only this response shows the secret and the ' +
      'values of the headers.',
    body: WebhookBody,
    example: WEBHOOK_BODY_EXAMPLE,
    make(body, context) {
      const faults = [...webhookFaults(body, allowPrivateHosts), ...hiddenHeaderFaults(body.headers, {})];
      return faults.length > 0 ? invalid(faults) : documentOf(body, context);
    },
    shown: {
      reply: {
        description: 'The webhook with its secret.',
        schema: WebhookWithSecret,
        example: { ...WEBHOOK_EXAMPLE, secret: SECRET_EXAMPLE },
      },
      toJson: createdWebhookJson,
    },
  }),
  webhooks.getRoute({ description: 'The response contains neither the secret nor values of headers.' }),
  patch,
  webhooks.deleteRoute({
    ...writtenBy('admin', 'none', 'configure'),
    description:
      'Queued deliveries are dropped when they are due. Earlier attempts stay in the table `webhook_deliveries`.',
  }),
  rotateSecret,
  ...webhooks.historyRoutes(),
  ...webhooks.restoreRoutes({
    ...writtenBy('admin', 'none', 'configure'),
    by: patching(allowPrivateHosts),
    fitted: (wire, { url, headers }) => ({ ...wire, url, headers: hiddenValues(headers) }),
    kept: 'The URL, the headers and the secret stay as they are: they may be secret, so the history does not have them.',
  }),
];

/** @param allowPrivateHosts hosts that need not be public */
export const patchWebhook = (allowPrivateHosts: readonly string[]): KeyedRoute =>
  webhooks.changeRoute({
    ...patching(allowPrivateHosts),
    ...writtenBy('admin', 'none', 'configure'),
    method: 'PATCH',
    description:
      'Replaces the fields that you send; objects are replaced, not merged. null sets a field to its default. Queued ' +
      'deliveries use the new configuration. Enabling a webhook removes `disabled`; `recover` delivers the events it ' +
      'missed. A URL of another origin needs the values of the headers again, or `headers: {}`.',
    example: { enabled: false },
  });

const patching = (allowPrivateHosts: readonly string[]) => ({
  body: WebhookPatch,
  change:
    (body: Static<typeof WebhookPatch>, context: RequestContext) =>
    (held: WebhookDocument, entry: ConfigEntry<'webhook'>) => {
      // Against the webhook that the change is based on: others may have changed it, and a repeat has no basis.
      const faults = [
        ...webhookFaults(body, allowPrivateHosts, held),
        ...hiddenHeaderFaults(body.headers, held.headers),
        ...movedHeaderFaults(body, held),
      ];
      return faults.length > 0
        ? invalid(faults)
        : carried(changedWebhook(body, held, context.origin.receivedAt), entry);
    },
});

const rotateSecret = defineRoute({
  ...webhooks.shared,
  ...writtenBy('admin', 'none', 'configure'),
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
  errors: webhooks.changeErrors,
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
      return webhooks.change({ id: params.id, basis: headers }, context, (held, entry) =>
        carried(rotatedWebhook(held, secret, origin.receivedAt), entry),
      );
    },
    toAnswer({ entry: { document }, replayed }) {
      return answer(rotatedWebhookJson(document), { replayed, etag: document.version });
    },
  },
});

/** UUID namespace of webhook ids derived from an Idempotency-Key. */
const DERIVED_IDS = '5f0b8f57-9f0e-4f0b-8d57-0c7a8a5f3e11';

/** With an Idempotency-Key, the webhook's id derives from the key, so one key never creates two webhooks. */
function documentOf(
  body: WebhookBody,
  { key, idempotency, origin, services: { ids } }: RequestContext,
): WebhookDocument {
  const uuid =
    idempotency === undefined ? ids.uuidv7(origin.receivedAt) : uuidv5(DERIVED_IDS, `${key.id}\n${idempotency.key}`);
  return {
    id: `wh_${uuid}`,
    ...wholeContent(body),
    secret: body.secret ?? newSecret(ids),
    createdAt: origin.receivedAt,
    version: 1,
  };
}

/** A changed webhook with the revision of its creation, which every version carries. */
function carried(document: WebhookDocument, entry: ConfigEntry<'webhook'>): WebhookDocument {
  return { ...document, createdRevision: createdRevisionOf(entry) };
}
