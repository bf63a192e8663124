import { failure } from '../../src/kernel/errors.ts';
import type { JsonText } from '../../src/kernel/json.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { unitsText } from '../../src/kernel/money.ts';
import type { RecordPurchase } from '../vocabulary/commands.ts';
import { type Context, type Draft, playerIn } from '../decision.ts';
import { digestOf } from '../../src/kernel/digest.ts';
import { trackEvent } from '../events/track.ts';
import type { Reply } from '../vocabulary/replies.ts';
import type { Targeting } from '../targeting.ts';
import type { RecordedPurchase } from '../vocabulary/player.ts';

/**
 * Records a purchase: it adds to the player's revenue, once for each `transaction_id`, however late a repeat comes. What a
 * server key records replaces what a client key recorded under the same id, with the totals corrected: anybody who plays can
 * take an id first. Without such an id every request is a purchase of its own, unless an Idempotency-Key ties them.
 * @param targeting looked up only when the event names a flag
 */
export function recordPurchase(
  draft: Draft,
  command: RecordPurchase,
  context: Context,
  targeting: () => Targeting,
): Reply {
  const { playerId, amount, currency, productId, transactionId } = command;
  const state = playerIn(context, draft.get(playerId));
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  const digest = transactionId === null ? null : digestOf(transactionId);
  const earlier = digest === null ? undefined : state.recordedPurchases.find((purchase) => purchase.digest === digest);
  const isReplaced = earlier?.byClient !== undefined && context.by === 'server';
  if (earlier !== undefined && !isReplaced) return repeated(playerId, earlier);
  const totalRevenue = state.totalRevenue - (earlier?.amount ?? 0) + amount;
  const most = context.by === 'client' ? LIMITS.totalRevenueByClients : LIMITS.totalRevenue;
  if (totalRevenue > most) {
    return failure('CONFLICT', `total_revenue would be ${unitsText(totalRevenue)}; the maximum is ${unitsText(most)}.`);
  }

  const { game, environment, at, by } = context;
  const base = { entityId: playerId, game, environment, at, externalId: state.externalId } as const;
  if (earlier !== undefined && transactionId !== null) {
    const { digest: taken, amount: before, byClient } = earlier;
    const told = byClient?.told ?? { at, currency, productId };
    draft.emit({
      kind: 'PurchaseReversed',
      ...base,
      amount: before,
      currency: told.currency,
      productId: told.productId,
      transactionId,
      digest: taken,
      recordedAt: told.at,
    });
  }
  const told = { amount, currency, productId, transactionId, digest };
  draft.emit({ kind: 'PurchaseRecorded', ...base, ...told, ...(by === undefined ? {} : { by }) });
  const purchaseCount = state.purchaseCount + (earlier === undefined ? 1 : 0);
  const reply = { kind: 'purchaseRecorded', playerId, amount, totalRevenue, purchaseCount } as const;
  // The event of the client's purchase has the same content already.
  if (earlier?.amount === amount) return { ...reply, replayed: true };
  trackEvent(
    draft,
    {
      index: 0,
      playerId,
      eventId: command.eventId,
      remember: false,
      eventName: 'purchase',
      properties: propertiesOf(command),
      sessionId: null,
      timestamp: at,
    },
    context,
    targeting,
    'service',
  );
  return reply;
}

/** The amount to its last digit; what was not said is left out. */
function propertiesOf({ amount, currency, productId, transactionId }: RecordPurchase): JsonText {
  const rest = JSON.stringify({
    currency: currency ?? undefined,
    product_id: productId ?? undefined,
    transaction_id: transactionId ?? undefined,
  });
  return `{"amount":${unitsText(amount)}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`;
}

/** As the first request was answered. */
function repeated(playerId: string, { amount, totalRevenue, purchaseCount }: RecordedPurchase): Reply {
  return { kind: 'purchaseRecorded', playerId, amount, totalRevenue, purchaseCount, replayed: true };
}
