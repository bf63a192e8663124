import { Type } from 'typebox';
import { PLAYER_API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { LARGEST_PURCHASE, parseAmount, unitsText } from '../../../../core/kernel/money.ts';
import { exchangeOf } from '../../../../streams/config/exchange-rates.ts';
import { answer } from '../../route/answer.ts';
import { amountField, money } from './amount.ts';
import { refusedPurchase } from './client-purchases.ts';
import { PlayerId } from '../../input/fields.ts';
import { defineRoute, forGames, invalid } from '../../route/route.ts';

/** The route that records a purchase. */
export const recordPurchase = defineRoute({
  method: 'POST',
  path: '/v1/players/players/{id}/purchase',
  tag: 'Players',
  summary: 'Record a purchase',
  description:
    'Send the fields as query parameters. A transaction_id counts once per player, however late a repeat arrives; ' +
    'the repeat returns the first response. Without a transaction_id and an Idempotency-Key, every request records a ' +
    'new purchase. The service also tracks the event `purchase`. A game can refuse purchases from client keys. In a ' +
    'game with exchange rates a purchase in another currency is converted; without a rate for its day it is refused ' +
    '(409), and a repeat is refused until the rate is there.',
  auth: { keys: ['client', 'server'] },
  players: ({ params }) => ({ playerId: params.id }),
  limitClass: 'none',
  ...forGames('track'),
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  input: {
    params: Type.Object({ id: PlayerId }),
    query: Type.Object({
      amount: amountField(
        "Amount paid, in the game's currency, or in `currency` if the game has exchange rates: a decimal number " +
          `(\`9.99\`, \`.5\`, \`1e1\`) greater than 0 and at most ${LARGEST_PURCHASE}. It is rounded to four ` +
          'decimals, half to even, and again after a conversion; an amount that rounds to 0 is refused.',
      ),
      currency: Type.Optional(
        Type.String({
          format: 'currency',
          description:
            'ISO 4217 code of the currency the player paid in, in upper case. Without exchange rates of the game ' +
            "(`/v1/settings/exchange-rates`) it is only recorded: `amount` is in the game's currency.",
        }),
      ),
      product_id: Type.Optional(
        Type.String({ minLength: 1, maxLength: PLAYER_API_LIMITS.productIdLength, description: 'Id of the product.' }),
      ),
      transaction_id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: TEXT_LIMITS.callerIdLength,
          format: 'caller-id',
          description: "The store's transaction id. Repeats for the same player count once.",
        }),
      ),
    }),
  },
  reply: {
    description: 'The purchase is durable.',
    schema: Type.Object(
      {
        player_id: PlayerId,
        amount: money('Amount of the purchase'),
        paid: Type.Optional(
          Type.Object(
            {
              amount: Type.Number({ description: 'As you sent it.' }),
              currency: Type.String({ description: 'ISO 4217 code.' }),
            },
            { description: 'What the player paid, if it was converted.' },
          ),
        ),
        total_revenue: money('Sum of all purchases of the player, including this one, less its refunds'),
        purchase_count: Type.Integer({
          description: 'Number of purchases of the player, including this one, without those that are wholly refunded.',
        }),
        is_payer: Type.Boolean({ description: 'Always true: the player has paid.' }),
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
      if (amount === undefined) return invalid([{ path: 'amount', message: 'must be a decimal number' }]);
      const { origin, services, idempotency } = context;
      const playerId = params.id.toLowerCase();
      const currency = query.currency ?? null;
      const exchange = exchangeOf(services.config, context.key.game, currency, origin.receivedAt);
      return {
        kind: 'addressed',
        playerId: playerId,
        body: {
          kind: 'RecordPurchase',
          playerId,
          amount,
          currency,
          ...(exchange === undefined ? {} : { exchange }),
          productId: query.product_id ?? null,
          transactionId: query.transaction_id ?? null,
          eventId: services.ids.uuidv7(origin.receivedAt),
          ...(idempotency === undefined ? {} : { idempotency }),
        },
      };
    },
    toAnswer(reply) {
      if (reply.kind !== 'purchaseRecorded') throw new Error(`a recorded purchase was answered with ${reply.kind}`);
      const { playerId, amount, paid, totalRevenue, purchaseCount, replayed = false } = reply;
      const converted =
        paid === undefined ? '' : `"paid":{"amount":${unitsText(paid.amount)},"currency":"${paid.currency}"},`;
      return answer(
        `{"player_id":"${playerId}","amount":${unitsText(amount)},${converted}"total_revenue":${unitsText(totalRevenue)},` +
          `"purchase_count":${purchaseCount},"is_payer":true}`,
        { replayed },
      );
    },
  },
});
