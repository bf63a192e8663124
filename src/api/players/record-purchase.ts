import { Type } from 'typebox';
import { LIMITS } from '../../kernel/limits.ts';
import { inUnits, parseAmount, unitsText } from '../../kernel/money.ts';
import { answer } from '../answer.ts';
import { refusedPurchase } from './client-purchases.ts';
import { PlayerId } from '../fields.ts';
import { defineRoute, invalid } from '../route.ts';

const AMOUNT =
  "What was paid, in the game's currency: a decimal number in any notation (`9.99`, `.5`, `1e1`), over 0 and at most " +
  '900,000,000,000. It is rounded half to even at four decimals; a result of 0 is refused.';
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
  players: ({ params }) => ({ playerId: params.id }),
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
      const refused = refusedPurchase(context);
      if (refused !== undefined) return refused;
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
        `{"player_id":"${playerId}","amount":${unitsText(amount)},"total_revenue":${unitsText(totalRevenue)},` +
          `"purchase_count":${purchaseCount},"is_payer":true}`,
        { replayed },
      );
    },
  },
});
