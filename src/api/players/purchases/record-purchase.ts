import { Type } from 'typebox';
import { PLAYER_API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { LARGEST_PURCHASE, parseAmount, unitsText } from '../../../../core/kernel/money.ts';
import { exchangeOf } from '../../../../streams/config/exchange-rates.ts';
import { gameAddress, revenueOf } from '../../../../streams/config/games.ts';
import { PURCHASE_STATES, RECEIPT_REASONS } from '../../../../core/vocabulary/state/receipt.ts';
import { queueReceipt, ReceiptBody, receiptFault } from './receipts.ts';
import { answer } from '../../route/answer.ts';
import { amountField, money } from './amount.ts';
import { refusedPurchase } from './client-purchases.ts';
import { oneOf, PlayerId } from '../../input/fields.ts';
import { defineRoute, forGames, invalid } from '../../route/route.ts';

const REASONS = Object.keys(RECEIPT_REASONS);

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
    '(409), and a repeat is refused until the rate is there. With a `receipt` the store is asked afterwards, and the ' +
    'state of the purchase is `pending` until then. To read it, repeat the request with the same key, without the ' +
    'receipt and without an Idempotency-Key.',
  auth: { keys: ['client', 'server'] },
  players: ({ params }) => ({ playerId: params.id }),
  limitClass: 'none',
  ...forGames('track'),
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  bodyOptional: true,
  example: { receipt: { store: 'google', payload: 'opaque-token-up-to-1500-characters' } },
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
    body: ReceiptBody,
  },
  reply: {
    description: 'The purchase is durable, and so is its receipt, if it has one.',
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
        is_payer: Type.Boolean({ description: 'Whether any purchase of the player counts.' }),
        state: oneOf(
          PURCHASE_STATES,
          '`recorded`: without a receipt. `pending`: not verified yet, or without a receipt in a game that counts ' +
            'verified purchases. `refunded`: it has a receipt, and nothing of it remains. `rejected`: the receipt ' +
            'proves no such purchase.',
        ),
        reason: Type.Optional(oneOf(REASONS, 'Why the receipt was rejected.')),
      },
      { description: 'A recorded purchase.' },
    ),
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      amount: 9.99,
      total_revenue: 109.98,
      purchase_count: 4,
      is_payer: true,
      state: 'recorded',
    },
  },
  action: {
    kind: 'command',
    toCommand({ params, query, body: { receipt } }, context) {
      const refused = refusedPurchase(context) ?? receiptFault(receipt, query.transaction_id, context);
      if (refused !== undefined) return refused;
      const amount = parseAmount(query.amount);
      if (amount === undefined) return invalid([{ path: 'amount', message: 'must be a decimal number' }]);
      const { origin, services, idempotency } = context;
      const playerId = params.id.toLowerCase();
      const currency = query.currency ?? null;
      const exchange = exchangeOf(services.config, context.key.game, currency, origin.receivedAt);
      const game = services.config.get(gameAddress(context.key.game))?.document;
      const countsVerified = revenueOf(game) === 'verified';
      return {
        kind: 'addressed',
        playerId,
        receipt,
        transactionId: query.transaction_id,
        body: {
          kind: 'RecordPurchase',
          playerId,
          amount,
          currency,
          ...(exchange === undefined ? {} : { exchange }),
          productId: query.product_id ?? null,
          transactionId: query.transaction_id ?? null,
          ...(receipt === undefined ? {} : { store: receipt.store }),
          ...(countsVerified ? { countsVerified } : {}),
          eventId: services.ids.uuidv7(origin.receivedAt),
          ...(idempotency === undefined ? {} : { idempotency }),
        },
      };
    },
    toAnswer(reply, context, { receipt, transactionId }) {
      if (reply.kind !== 'purchaseRecorded') throw new Error(`a recorded purchase was answered with ${reply.kind}`);
      const {
        playerId,
        amount,
        paid,
        totalRevenue,
        purchaseCount,
        state = 'recorded',
        reason,
        replayed = false,
      } = reply;
      const why = reason === undefined ? '' : `,"reason":"${reason}"`;
      const converted =
        paid === undefined ? '' : `"paid":{"amount":${unitsText(paid.amount)},"currency":"${paid.currency}"},`;
      const recorded = answer(
        `{"player_id":"${playerId}","amount":${unitsText(amount)},${converted}"total_revenue":${unitsText(totalRevenue)},` +
          `"purchase_count":${purchaseCount},"is_payer":${purchaseCount > 0},"state":"${state}"${why}}`,
        { replayed },
      );
      if (receipt === undefined || transactionId === undefined) return recorded;
      return queueReceipt(receipt, transactionId, reply, context).then((unqueued) => unqueued ?? recorded);
    },
  },
});
