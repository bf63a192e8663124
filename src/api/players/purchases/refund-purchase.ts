import { Type } from 'typebox';
import { parseAmount, unitsText } from '../../../../core/kernel/money.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { answer } from '../../route/answer.ts';
import { defineRoute, invalid } from '../../route/route.ts';
import { PlayerId } from '../../input/fields.ts';
import { amountField, money } from './amount.ts';

/** The route that refunds a purchase, whole or in part. */
export const refundPurchase = defineRoute({
  method: 'POST',
  path: '/v1/players/players/{id}/refund',
  tag: 'Players',
  summary: 'Refund a purchase',
  description:
    'Send the fields as query parameters. Takes `amount` off the purchase and off the revenue of the player, at the ' +
    'time of the request. When nothing remains of a purchase, it no longer counts. A refund_id counts once per player: ' +
    'a repeat returns the first response, and 409 if its transaction or amount differs. Without a refund_id and an ' +
    'Idempotency-Key, every request is a new refund, never of more than remains. The service also tracks the event ' +
    '`purchase_refunded`. Purchases without a transaction_id cannot be refunded.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  role: 'editor',
  scope: 'track',
  audit: {
    kind: 'player',
    action: 'refunded',
    player: 'id',
    peopleOnly: true,
    shows: ({ query = {} }) => ({ amount: query['amount'] ?? 'all that remains' }),
  },
  approval: 'none',
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND', 'NOT_FOUND', 'CONFLICT'],
  input: {
    params: Type.Object({ id: PlayerId }),
    query: Type.Object({
      transaction_id: Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.callerIdLength,
        format: 'caller-id',
        description: 'The transaction_id of the purchase.',
      }),
      amount: Type.Optional(
        amountField(
          "Amount to refund, in the game's currency, or in that of a converted purchase: a decimal number greater than 0 " +
            'and at most what remains of the purchase. It is rounded and converted as the amount of the purchase. By ' +
            'default what remains.',
        ),
      ),
      refund_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: TEXT_LIMITS.callerIdLength,
          format: 'caller-id',
          description:
            "Your id, or the store's, of this refund. Repeats for the same player count once; the latest 1,000 of a " +
            'player are recognised.',
        }),
      ),
    }),
  },
  reply: {
    description: 'The refund is durable.',
    schema: Type.Object(
      {
        player_id: PlayerId,
        transaction_id: Type.String({ description: 'The transaction_id of the purchase.' }),
        amount: money('Amount of the refund'),
        remaining: money('What remains of the purchase after it; 0 if it no longer counts'),
        paid: Type.Optional(
          Type.Object(
            {
              amount: Type.Number({ description: 'Amount of the refund.' }),
              remaining: Type.Number({ description: 'What remains of the purchase.' }),
              currency: Type.String({ description: 'ISO 4217 code.' }),
            },
            { description: 'The same in the currency that the player paid in, if the purchase was converted.' },
          ),
        ),
        total_revenue: money('Sum of all purchases of the player, less its refunds'),
        purchase_count: Type.Integer({ description: 'Number of purchases of the player of which something remains.' }),
        is_payer: Type.Boolean({ description: 'Whether something remains of any purchase of the player.' }),
      },
      { description: 'A refund.' },
    ),
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      transaction_id: 'GPA.3312-4512-1100-55923',
      amount: 2,
      remaining: 7.99,
      total_revenue: 107.98,
      purchase_count: 4,
      is_payer: true,
    },
  },
  action: {
    kind: 'command',
    toCommand({ params, query }, { origin, services, idempotency }) {
      const amount = query.amount === undefined ? null : parseAmount(query.amount);
      if (amount === undefined) return invalid([{ path: 'amount', message: 'must be a decimal number' }]);
      const playerId = params.id.toLowerCase();
      return {
        kind: 'addressed',
        playerId,
        transactionId: query.transaction_id,
        body: {
          kind: 'RefundPurchase',
          playerId,
          transactionId: query.transaction_id,
          amount,
          refundId: query.refund_id ?? null,
          eventId: services.ids.uuidv7(origin.receivedAt),
          ...(idempotency === undefined ? {} : { idempotency }),
        },
      };
    },
    toAnswer(reply, _context, { transactionId }) {
      if (reply.kind !== 'purchaseRefunded') throw new Error(`a refund was answered with ${reply.kind}`);
      const { playerId, amount, remaining, paid, totalRevenue, purchaseCount, replayed = false } = reply;
      const converted =
        paid === undefined
          ? ''
          : `"paid":{"amount":${unitsText(paid.amount)},"remaining":${unitsText(paid.remaining)},` +
            `"currency":"${paid.currency}"},`;
      return answer(
        `{"player_id":"${playerId}","transaction_id":${JSON.stringify(transactionId)},` +
          `"amount":${unitsText(amount)},"remaining":${unitsText(remaining)},${converted}` +
          `"total_revenue":${unitsText(totalRevenue)},"purchase_count":${purchaseCount},` +
          `"is_payer":${purchaseCount > 0}}`,
        { replayed },
      );
    },
  },
});
