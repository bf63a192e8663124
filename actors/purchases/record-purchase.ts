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
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { Targeting } from '../decision/targeting.ts';
import type { Paid, RecordedPurchase } from '../../core/vocabulary/state/player.ts';

/**
 * Adds a purchase to the player's revenue, once per `transaction_id`. A server key replaces the purchase that a client
 * key recorded under the same id, because any client can use an id first; it counts when the client reported it.
 * Without an id every request is a new purchase, unless an Idempotency-Key marks it as a repeat.
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
  if (earlier !== undefined && !isReplaced) return repeated(playerId, earlier);
  const counted = countedAmount(command, earlier);
  if (counted.kind === 'failure') return counted;
  const { amount, paid } = counted;
  const converted = paid === undefined ? {} : { paid };
  const totalRevenue = state.totalRevenue - (earlier?.amount ?? 0) + amount;
  const most = context.by === 'client' ? STATE_LIMITS.totalRevenueByClients : STATE_LIMITS.totalRevenue;
  if (totalRevenue > most) {
    return failure('CONFLICT', `total_revenue would be ${unitsText(totalRevenue)}; the maximum is ${unitsText(most)}.`);
  }

  const { game, environment, at, by } = context;
  const base = { entityId: playerId, game, environment, at, externalId: state.externalId } as const;
  const { amount: before, details: replaced = { at, currency, productId } } = earlier ?? {};
  if (earlier !== undefined && before !== undefined && transactionId !== null) {
    draft.emit({
      ...base,
      ...countedBefore(earlier),
      kind: 'PurchaseReversed',
      currency: earlier.paid?.currency ?? replaced.currency,
      productId: replaced.productId,
      transactionId,
      digest: earlier.digest,
      recordedAt: replaced.at,
    });
  }
  const purchase = { amount, ...converted, currency, productId, transactionId, digest };
  const first = earlier === undefined ? {} : { firstReportedAt: replaced.at };
  draft.emit({ kind: 'PurchaseRecorded', ...base, ...purchase, ...(by === undefined ? {} : { by }), ...first });
  const purchaseCount = state.purchaseCount + (earlier === undefined ? 1 : 0);
  const reply = { kind: 'purchaseRecorded', playerId, amount, ...paidIn(paid), totalRevenue, purchaseCount } as const;
  // The event of the client's purchase already has the same content.
  if (before === amount && earlier?.paid?.amount === paid?.amount) return { ...reply, replayed: true };
  trackServiceEvent(
    draft,
    {
      playerId,
      eventId: command.eventId,
      eventName: before === undefined ? PURCHASE_EVENT : CORRECTION_EVENT,
      properties: propertiesOf(command, counted, before),
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

/** Repeats the reply to the first request. */
function repeated(playerId: string, { amount, paid, totalRevenue, purchaseCount }: RecordedPurchase): Reply {
  return { kind: 'purchaseRecorded', playerId, amount, ...paidIn(paid), totalRevenue, purchaseCount, replayed: true };
}

const paidIn = (paid: Paid | undefined) =>
  paid === undefined ? {} : { paid: { amount: paid.amount, currency: paid.currency } };
