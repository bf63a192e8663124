import { Type } from 'typebox';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import { storesAddress } from '../../../streams/config/stores.ts';
import { RECEIPT_LIMITS } from '../../receipts/limits.ts';
import { oneOf } from '../input/fields.ts';
import { type Answer, jsonAnswer } from '../route/answer.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, forGames } from '../route/route.ts';
import { type Handled, refundByStore } from './store-refund.ts';

/*
 * The endpoints that stores send notifications of refunds to. Stores send no header of ours, so the key is in the path;
 * it may be one that can do nothing else (scope `notify`). What a notification says counts by the store's signature.
 */

const shared = {
  method: 'POST',
  tag: 'Players',
  auth: { keys: ['server'], writeKeys: true },
  limitClass: 'events',
  ...forGames('notify'),
  repeatsById: true,
  errors: ['FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
} as const;

/** A notification holds a signed transaction, signed again: base64 in base64, and two chains of certificates. */
const NOTICE_LENGTH = RECEIPT_LIMITS.payloadLength * 3;

const params = Type.Object({ write_key: Type.String({ description: 'A server key with the scope `notify`.' }) });

const reply = {
  description: 'Nothing is left to repeat.',
  schema: Type.Object(
    {
      handled: oneOf(
        ['refunded', 'ignored', 'unknown'],
        '`refunded`: the purchase is refunded, now or before. `ignored`: it says nothing of a refund. `unknown`: no ' +
          'player has the transaction.',
      ),
    },
    { description: 'What became of a notification.' },
  ),
  example: { handled: 'refunded' },
};

const handled = (outcome: Handled | Failure): Answer =>
  typeof outcome === 'string' ? jsonAnswer({ handled: outcome }) : outcome;

const apple = defineRoute({
  ...shared,
  path: '/v1/integrations/stores/apple/{write_key}',
  summary: 'Take a notification of the App Store',
  description:
    'For App Store Server Notifications, version 2. A refund takes its purchase off the revenue of the player, once. ' +
    'Answers 403 if the App Store did not sign it for this app and environment.',
  input: {
    params,
    body: Type.Object(
      {
        signedPayload: Type.String({
          minLength: 1,
          maxLength: NOTICE_LENGTH,
          description: 'As the App Store sends it.',
        }),
      },
      { description: 'A notification.' },
    ),
  },
  example: { signedPayload: 'eyJhbGciOiJFUzI1NiIsIng1YyI6W119.e30.c2lnbmF0dXJl' },
  reply,
  action: {
    kind: 'several',
    async handle({ body }, context) {
      const app = storesOf(context)?.apple;
      if (app === undefined) return NOT_SET_UP;
      const { stores } = context.services.receipts;
      const notice = await stores.appleNotice(app, context.key.environment, body.signedPayload);
      switch (notice.kind) {
        case 'other':
          return handled('ignored');
        case 'rejected':
          return failure('FORBIDDEN', `This is no notification for this app and environment: ${notice.reason}.`);
        case 'unavailable':
          return failure('SERVICE_UNAVAILABLE');
        case 'refunded': {
          const { transactionId, share, purchasedAtMs, atMs } = notice;
          const refundId = `apple:${transactionId}:${atMs}`;
          return handled(
            await refundByStore({ store: 'apple', transactionId, share, refundId, purchasedAtMs }, context),
          );
        }
      }
    },
  },
});

const google = defineRoute({
  ...shared,
  path: '/v1/integrations/stores/google/{write_key}',
  summary: 'Take a notification of Google Play',
  description:
    'For real-time developer notifications, which a push subscription of Pub/Sub sends with a token of Google. A voided ' +
    'purchase, such as a refund or a chargeback, is taken off the revenue of the player, once. Answers 403 without a ' +
    'token of the account and audience in the settings.',
  input: {
    params,
    headers: Type.Object({
      authorization: Type.Optional(Type.String({ description: 'Bearer and a token of Google.' })),
    }),
    body: Type.Object(
      {
        message: Type.Object(
          {
            data: Type.String({
              minLength: 1,
              maxLength: RECEIPT_LIMITS.payloadLength,
              description: 'The notification, JSON in base64.',
            }),
          },
          { description: 'The message of Pub/Sub.' },
        ),
        subscription: Type.Optional(Type.String({ description: 'Ignored.' })),
      },
      { description: 'A push of Pub/Sub.' },
    ),
  },
  example: { message: { data: 'eyJwYWNrYWdlTmFtZSI6ImNvbS5leGFtcGxlLmdhbWUifQ==' } },
  reply,
  action: {
    kind: 'several',
    async handle({ body, headers }, context) {
      const app = storesOf(context)?.google;
      if (app === undefined) return NOT_SET_UP;
      const [scheme = '', token = ''] = (headers.authorization ?? '').split(' ');
      if (scheme.toLowerCase() !== 'bearer' || token === '') return NOT_GOOGLE;
      const sender = await context.services.receipts.stores.googleSender(app, token);
      if (sender.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE');
      if (sender.kind === 'unknown') return NOT_GOOGLE;
      const voided = voidedIn(body.message.data, app.packageName);
      if (voided === undefined) return handled('ignored');
      const refund = { store: 'google', transactionId: voided.orderId, share: 1, purchasedAtMs: voided.atMs } as const;
      return handled(await refundByStore({ ...refund, refundId: `google:${voided.orderId}` }, context));
    },
  },
});

export const storeNotificationRoutes = [apple, google];

const storesOf = ({ key, services }: RequestContext) => services.config.get(storesAddress(key))?.document;

const NOT_SET_UP = failure('NOT_FOUND', 'The store is not set up in this environment (PUT /v1/settings/stores).');
const NOT_GOOGLE = failure(
  'FORBIDDEN',
  'The request has no token of Google for the account and the audience in `notifications` of the settings.',
);

/** A voided purchase of the app, wholly refunded; `undefined`: the notification says nothing of one. */
function voidedIn(data: string, packageName: string): { orderId: string; atMs: number } | undefined {
  const said = jsonOf(Buffer.from(data, 'base64').toString('utf8'));
  if (!isPlainObject(said) || said['packageName'] !== packageName) return undefined;
  const { voidedPurchaseNotification: voided, eventTimeMillis } = said;
  if (!isPlainObject(voided)) return undefined;
  const { orderId, refundType } = voided;
  // Type 2 pays back some of several pieces; how much is not said.
  if (typeof orderId !== 'string' || orderId === '' || refundType === 2) return undefined;
  const atMs = Number(eventTimeMillis);
  return { orderId, atMs: Number.isFinite(atMs) ? atMs : 0 };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
