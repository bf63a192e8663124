import { failure } from '../../core/kernel/errors.ts';
import { unitsText } from '../../core/kernel/money.ts';
import { digestOf } from '../../core/kernel/secrets/digest.ts';
import type { DecideReceipt, ReceiptVerdict } from '../../core/vocabulary/commands/recorded.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { ReceiptDecided } from '../../core/vocabulary/facts/purchase-facts.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { PURCHASE_EVENT, REJECTED_EVENT, VERIFIED_EVENT } from '../../core/vocabulary/service-events.ts';
import type { RecordedPurchase } from '../../core/vocabulary/state/player.ts';
import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import type { Targeting } from '../decision/targeting.ts';
import { trackServiceEvent } from '../events/track.ts';
import { moneyEvent } from './money-event.ts';
import { propertiesOf, repeated } from './record-purchase.ts';
import { UNKNOWN_TRANSACTION } from './refund-purchase.ts';

/**
 * Stores what the store said of the receipt of a purchase.
 *
 * Invariants
 * 1. A purchase is verified at most once, and stays so: another receipt that is rejected changes nothing.
 * 2. A rejected receipt takes a purchase off the totals only if the purchase was reported with it.
 * 3. A rejected purchase is verified by a later, valid receipt, unless the store has refunded it.
 * @param targeting called only when an event names a flag
 */
export function decideReceipt(
  draft: Draft,
  command: DecideReceipt,
  context: Context,
  targeting: () => Targeting,
): Reply {
  const { playerId, transactionId, store, verdict, eventId } = command;
  const state = playerIn(context, draft.get(playerId));
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  const digest = digestOf(transactionId);
  const purchase = state.recordedPurchases.find((recorded) => recorded.digest === digest);
  if (purchase === undefined) return failure('NOT_FOUND', UNKNOWN_TRANSACTION);
  if (isSettled(purchase, verdict)) return repeated(playerId, purchase);
  const counts = changeOf(purchase, verdict);
  const money = counts === -1 ? leftOf(purchase) : reportedOf(purchase);
  if (counts === 1 && state.totalRevenue + money.amount > STATE_LIMITS.totalRevenue) {
    const most = unitsText(STATE_LIMITS.totalRevenue);
    return failure('CONFLICT', `total_revenue would be over its maximum, ${most}.`);
  }
  const { game, environment, at } = context;
  const { details = { at, currency: null, productId: null } } = purchase;
  const { currency, productId } = details;
  const fact: ReceiptDecided = {
    kind: 'ReceiptDecided',
    entityId: playerId,
    game,
    environment,
    at,
    store,
    verdict: verdict.kind,
    reason: verdict.kind === 'rejected' ? verdict.reason : null,
    provenProductId: verdict.kind === 'verified' ? verdict.productId : null,
    counts,
    ...money,
    currency,
    productId,
    transactionId,
    digest,
    recordedAt: details.at,
    externalId: state.externalId,
    by: purchase.byClient === true ? 'client' : 'server',
  };
  draft.emit(fact);
  const track = (eventName: string, id: string, properties: string, timestamp: number): void =>
    trackServiceEvent(
      draft,
      { playerId, eventId: id, eventName, properties, sessionId: null, timestamp },
      context,
      targeting,
    );
  // It happened when the purchase was reported, as its rows say.
  const bought = propertiesOf({ currency, productId, transactionId }, money);
  if (counts === 1) track(PURCHASE_EVENT, eventId, bought, details.at);
  track(verdict.kind === 'verified' ? VERIFIED_EVENT : REJECTED_EVENT, `${eventId}-receipt`, saidOf(fact), at);
  const after = playerIn(context, draft.get(playerId)) ?? state;
  const { replayed: _, ...reply } = repeated(
    playerId,
    after.recordedPurchases.find((recorded) => recorded.digest === digest) ?? purchase,
  );
  return { ...reply, totalRevenue: after.totalRevenue, purchaseCount: after.purchaseCount };
}

/** Whether a verdict comes too late to change anything. */
function isSettled({ receipt, uncounted }: RecordedPurchase, verdict: ReceiptVerdict): boolean {
  if (receipt?.state === 'verified') return true;
  if (receipt?.state === 'rejected') return verdict.kind === 'rejected' || receipt.reason === 'refunded';
  // It was reported without a receipt, so it does not depend on one.
  return verdict.kind === 'rejected' && receipt === undefined && uncounted !== true;
}

function changeOf({ uncounted, amount, refunded = 0 }: RecordedPurchase, { kind }: ReceiptVerdict): 1 | 0 | -1 {
  if (kind === 'verified') return uncounted === true ? 1 : 0;
  return uncounted === true || amount === refunded ? 0 : -1;
}

type Money = Pick<ReceiptDecided, 'amount' | 'paid'>;

function reportedOf({ amount, paid }: RecordedPurchase): Money {
  if (paid === undefined) return { amount };
  const { refunded: _, ...sent } = paid;
  return { amount, paid: sent };
}

/** What remains of a purchase after refunds. */
function leftOf({ amount, refunded = 0, paid }: RecordedPurchase): Money {
  if (paid === undefined) return { amount: amount - refunded };
  const { refunded: returned = 0, ...sent } = paid;
  return { amount: amount - refunded, paid: { ...sent, amount: sent.amount - returned } };
}

function saidOf({ amount, paid, currency, productId, transactionId, store, reason, provenProductId }: ReceiptDecided) {
  const isOther = productId !== null && provenProductId !== null && productId !== provenProductId;
  return moneyEvent(
    { amount, paid_amount: paid?.amount },
    {
      currency,
      product_id: productId,
      transaction_id: transactionId,
      store,
      reason,
      ...(isOther ? { proven_product_id: provenProductId } : {}),
    },
  );
}
