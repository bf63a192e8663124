import { failure } from '../../src/kernel/errors.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { inUnits } from '../../src/kernel/money.ts';
import type { RecordPurchase } from '../commands.ts';
import { playerIn, type Context, type Draft } from '../decision.ts';
import { digestOf } from '../digest.ts';
import { trackEvent } from '../events/track.ts';
import type { Reply } from '../replies.ts';
import type { Targeting } from '../targeting.ts';

/**
 * Records a purchase: it adds to the player's revenue, once for each `transaction_id`, however late a repeat comes.
 * Without such an id every request is a purchase of its own, unless an Idempotency-Key ties them.
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
  if (earlier !== undefined) {
    const { amount, totalRevenue, purchaseCount } = earlier;
    return { kind: 'purchaseRecorded', playerId, amount, totalRevenue, purchaseCount, replayed: true };
  }
  const totalRevenue = state.totalRevenue + amount;
  if (totalRevenue > LIMITS.totalRevenue) {
    const most = inUnits(LIMITS.totalRevenue);
    return failure('CONFLICT', `The player's total_revenue would be over ${most}; nothing was changed.`);
  }

  const { game, environment, at } = context;
  draft.emit({
    kind: 'PurchaseRecorded',
    entityId: playerId,
    game,
    environment,
    at,
    amount,
    currency,
    productId,
    transactionId,
    digest,
    externalId: state.externalId,
  });
  const purchaseCount = state.purchaseCount + 1;
  trackEvent(
    draft,
    {
      index: 0,
      playerId,
      eventId: command.eventId,
      remember: false,
      eventName: 'purchase',
      // What was not said is left out.
      properties: JSON.stringify({
        amount: inUnits(amount),
        currency: currency ?? undefined,
        product_id: productId ?? undefined,
        transaction_id: transactionId ?? undefined,
      }),
      sessionId: null,
      timestamp: at,
    },
    context,
    targeting,
  );
  return { kind: 'purchaseRecorded', playerId, amount, totalRevenue, purchaseCount };
}
