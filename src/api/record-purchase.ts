import { Type } from 'typebox';
import { gameAddress } from '../../streams/config/games.ts';
import { failure } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { inUnits, parseAmount } from '../kernel/money.ts';
import { answer } from './answer.ts';
import { PlayerId } from './fields.ts';
import type { RequestContext } from './request-context.ts';
import { defineRoute, invalid } from './route.ts';

const AMOUNT = "What was paid, in the game's currency: over 0, at most 1,000,000, with at most 4 decimals.";
/** Without `multipleOf`: 9.99 is no multiple of 0.0001 to who divides floats. */
const amountSchema = {
  type: 'number',
  exclusiveMinimum: 0,
  maximum: inUnits(LIMITS.purchaseAmount),
  description: AMOUNT,
};

/** Validated as the text it is, so that no digit is lost on the way through a float. */
const Amount = Type.Unsafe<string>({
  type: 'string',
  format: 'amount',
  description: AMOUNT,
  'x-shown': amountSchema,
});

const money = (description: string) => Type.Number({ description: `${description}, in the game's currency.` });

export const recordPurchase = defineRoute({
  method: 'POST',
  path: '/v1/players/players/{id}/purchase',
  tag: 'Players',
  summary: 'Record a purchase',
  description:
    'Counts once per transaction_id, however late a repeat comes: a repeat answers as the first did. Without one, ' +
    'every request without an Idempotency-Key is a purchase of its own. It is also tracked as the event `purchase`. ' +
    'A game may refuse purchases from client keys.',
  auth: { keys: ['client', 'server'] },
  limitClass: 'none',
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  input: {
    params: Type.Object({ id: PlayerId }),
    query: Type.Object({
      amount: Amount,
      currency: Type.Optional(
        Type.String({
          format: 'currency',
          description:
            "Currency the player paid in, ISO 4217 in upper case. Recorded only: amount is always in the game's currency.",
        }),
      ),
      product_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: LIMITS.productIdLength, description: 'What was bought.' }),
      ),
      transaction_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: LIMITS.callerIdLength,
          description: "The store's id of the transaction: a repeat for the same player is counted once.",
        }),
      ),
    }),
  },
  reply: {
    statuses: [200],
    description: 'The purchase is durable.',
    schema: Type.Object(
      {
        player_id: PlayerId,
        amount: money('What was paid'),
        total_revenue: money('All the player paid, this included'),
        purchase_count: Type.Integer({ description: "The player's purchases with this one." }),
        is_payer: Type.Boolean({ description: 'Whether the player ever paid: true from now on.' }),
      },
      { description: 'A recorded purchase.' },
    ),
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      amount: 9.99,
      total_revenue: 109.98,
      purchase_count: 4,
      is_payer: true,
    },
  },
  action: {
    kind: 'command',
    toCommand({ params, query }, context) {
      if (!mayPurchase(context)) return failure('FORBIDDEN', 'This game takes purchases from server keys (sk_) only.');
      const amount = parseAmount(query.amount);
      if (amount === undefined) return invalid([{ path: 'amount', message: 'must be an amount' }]);
      const { origin, services, idempotency } = context;
      const playerId = params.id.toLowerCase();
      return {
        kind: 'addressed',
        entityId: playerId,
        body: {
          kind: 'RecordPurchase',
          playerId,
          amount,
          currency: query.currency ?? null,
          productId: query.product_id ?? null,
          transactionId: query.transaction_id ?? null,
          eventId: services.ids.uuidv7(origin.receivedAt),
          ...(idempotency === undefined ? {} : { idempotency }),
        },
      };
    },
    toAnswer(reply) {
      if (reply.kind !== 'purchaseRecorded') throw new Error(`a recorded purchase was answered with ${reply.kind}`);
      const { playerId, amount, totalRevenue, purchaseCount, replayed = false } = reply;
      return answer(
        `{"player_id":"${playerId}","amount":${inUnits(amount)},"total_revenue":${inUnits(totalRevenue)},` +
          `"purchase_count":${purchaseCount},"is_payer":true}`,
        { replayed },
      );
    },
  },
});

/** A client's word about money is worth what the game thinks it is: its setting says whether it counts. */
function mayPurchase({ key, services }: RequestContext): boolean {
  if (key.kind === 'server') return true;
  return services.config.get(gameAddress(key.game))?.document.clientPurchases !== false;
}
