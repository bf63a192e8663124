import { CORRECTION_EVENT, PURCHASE_EVENT } from '../../core/vocabulary/service-events.ts';
import { failure } from '../../core/kernel/errors.ts';
import type { JsonText } from '../../core/kernel/text/json.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import { unitsText } from '../../core/kernel/money.ts';
import type { RecordPurchase } from '../../core/vocabulary/commands/recorded.ts';
import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import { type CountedAmount, countedAmount, countedBefore } from './counted-amount.ts';
import { moneyEvent } from './money-event.ts';
import { digestOf } from '../../core/kernel/secrets/digest.ts';
import { trackServiceEvent } from '../events/track.ts';
import type { PurchaseRecordedReply, Reply } from '../../core/vocabulary/commands/replies.ts';
import type { Targeting } from '../decision/targeting.ts';
import type { Paid, RecordedPurchase } from '../../core/vocabulary/state/player.ts';
import type { PurchaseReceipt } from '../../core/vocabulary/state/receipt.ts';

/**
 * Adds a purchase to the player's revenue, once per `transaction_id`. A server key replaces the purchase that a client
 * key recorded under the same id, because any client can use an id first; it counts when the client reported it.
 * Without an id every request is a new purchase, unless an Idempotency-Key marks it as a repeat. Where only verified
 * purchases count, one with a receipt waits for it, and so does one by a client key.
 * @param targeting called only when the event names a flag
 */
export function recordPurchase(
  draft: Draft,
  command: RecordPurchase,
  context: Context,
  targeting: () => Targeting,
): Reply {
  const { playerId, currency, productId, transactionId } = command;
  const state = playerIn(context, draft.get(playerId));
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  const digest = transactionId === null ? null : digestOf(transactionId);
  const earlier = digest === null ? undefined : state.recordedPurchases.find((purchase) => purchase.digest === digest);
  const isReplaced = earlier?.byClient !== undefined && context.by === 'server';
  if (earlier !== undefined && (!isReplaced || earlier.receipt?.state === 'rejected'))
    return repeated(playerId, earlier);
  const counted = countedAmount(command, earlier);
  if (counted.kind === 'failure') return counted;
  const { amount, paid } = counted;
  const isHeld = waits(command, earlier, context);
  const before = earlier === undefined || earlier.uncounted === true ? undefined : earlier;
  const converted = paid === undefined ? {} : { paid };
  const totalRevenue = isHeld ? state.totalRevenue : state.totalRevenue - (before?.amount ?? 0) + amount;
  const most = context.by === 'client' ? STATE_LIMITS.totalRevenueByClients : STATE_LIMITS.totalRevenue;
  if (totalRevenue > most) {
    return failure('CONFLICT', `total_revenue would be ${unitsText(totalRevenue)}; the maximum is ${unitsText(most)}.`);
  }

  const { game, environment, at, by } = context;
  const base = { entityId: playerId, game, environment, at, externalId: state.externalId } as const;
  const { details: replaced = { at, currency, productId } } = earlier ?? {};
  if (before !== undefined && transactionId !== null) {
    draft.emit({
      ...base,
      ...countedBefore(before),
      kind: 'PurchaseReversed',
      currency: before.paid?.currency ?? replaced.currency,
      productId: replaced.productId,
      transactionId,
      digest: before.digest,
      recordedAt: replaced.at,
    });
  }
  const purchase = { amount, ...converted, currency, productId, transactionId, digest };
  const first = earlier === undefined ? {} : { firstReportedAt: replaced.at };
  const receipt = receiptOf(command, earlier);
  const kind = isHeld ? 'PurchaseHeld' : 'PurchaseRecorded';
  draft.emit({ kind, ...base, ...purchase, ...(by === undefined ? {} : { by }), ...first, ...receipt });
  const purchaseCount = state.purchaseCount + (isHeld || before !== undefined ? 0 : 1);
  const totals = { totalRevenue, purchaseCount };
  const stands = stateOf({ amount, ...receipt, ...(isHeld ? { uncounted: true } : {}) });
  const reply = { kind: 'purchaseRecorded', playerId, amount, ...paidIn(paid), ...totals, ...stands } as const;
  // Its event follows once it counts.
  if (isHeld) return reply;
  // The event of the client's purchase already has the same content.
  if (before?.amount === amount && before.paid?.amount === paid?.amount) return { ...reply, replayed: true };
  trackServiceEvent(
    draft,
    {
      playerId,
      eventId: command.eventId,
      eventName: before === undefined ? PURCHASE_EVENT : CORRECTION_EVENT,
      properties: propertiesOf(command, counted, before?.amount),
      sessionId: null,
      timestamp: at,
    },
    context,
    targeting,
  );
  return reply;
}

/** What an event says of a purchase; an import reads it back. */
export function propertiesOf(
  { currency, productId, transactionId }: Pick<RecordPurchase, 'currency' | 'productId' | 'transactionId'>,
  { amount, paid }: Pick<CountedAmount, 'amount' | 'paid'>,
  before?: number,
): JsonText {
  return moneyEvent(
    { amount, previous_amount: before, paid_amount: paid?.amount },
    { exchange_rate: paid?.rate, currency, product_id: productId, transaction_id: transactionId },
  );
}

/**
 * Whether a purchase adds nothing before its receipt is verified. A server key vouches for what it sends without a
 * receipt. What counts already, or was verified, counts on.
 */
function waits({ countsVerified, store }: RecordPurchase, earlier: RecordedPurchase | undefined, { by }: Context) {
  if (countsVerified !== true || (earlier !== undefined && earlier.uncounted !== true)) return false;
  return store !== undefined || by !== 'server';
}

/** A server's amount keeps what is known of the receipt. */
function receiptOf({ store }: RecordPurchase, earlier: RecordedPurchase | undefined): { receipt?: PurchaseReceipt } {
  if (earlier?.receipt !== undefined) return { receipt: earlier.receipt };
  return store === undefined ? {} : { receipt: { store, state: 'pending' } };
}

/** Repeats the reply to the first request, with what became of the purchase since. */
export function repeated(playerId: string, purchase: RecordedPurchase): PurchaseRecordedReply {
  const { amount, paid, totalRevenue, purchaseCount } = purchase;
  const totals = { totalRevenue, purchaseCount };
  const stands = stateOf(purchase);
  return { kind: 'purchaseRecorded', playerId, amount, ...paidIn(paid), ...totals, ...stands, replayed: true };
}

/** What a purchase with a receipt is now, as replies say it. Without one, a repeat gets the first reply. */
function stateOf(purchase: Pick<RecordedPurchase, 'amount' | 'refunded' | 'receipt' | 'uncounted'>) {
  const { amount, refunded = 0, receipt, uncounted } = purchase;
  if (receipt?.reason !== undefined) return { state: receipt.state, reason: receipt.reason } as const;
  if (receipt !== undefined && amount === refunded) return { state: 'refunded' } as const;
  const state = receipt?.state ?? (uncounted === true ? 'pending' : undefined);
  return state === undefined ? {} : { state };
}

const paidIn = (paid: Paid | undefined) =>
  paid === undefined ? {} : { paid: { amount: paid.amount, currency: paid.currency } };
