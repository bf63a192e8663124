import { type Failure, failure } from '../../core/kernel/errors.ts';
import { unitsText } from '../../core/kernel/money.ts';
import { digestOf } from '../../core/kernel/secrets/digest.ts';
import type { JsonText } from '../../core/kernel/text/json.ts';
import type { RefundPurchase } from '../../core/vocabulary/commands/recorded.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PurchaseRefunded } from '../../core/vocabulary/facts/purchase-facts.ts';
import { REFUND_EVENT } from '../../core/vocabulary/service-events.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import type { RecordedRefund } from '../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import type { Targeting } from '../decision/targeting.ts';
import { trackServiceEvent } from '../events/track.ts';

/**
 * Takes an amount of a purchase off the player's revenue, once per `refund_id`: the whole of what remains, or a part.
 * A purchase of which nothing remains is no purchase any more.
 * @param targeting called only when the event names a flag
 */
export function refundPurchase(
  draft: Draft,
  command: RefundPurchase,
  context: Context,
  targeting: () => Targeting,
): Reply {
  const { playerId, transactionId, refundId } = command;
  const state = playerIn(context, draft.get(playerId));
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  const digest = digestOf(transactionId);
  const refundDigest = refundId === null ? null : digestOf(refundId);
  const earlier = state.recordedRefunds?.find((refund) => refund.digest === refundDigest);
  if (earlier !== undefined) return isRepeat(earlier, command, digest) ? repeated(playerId, earlier) : USED_REFUND_ID;
  const refund = refundOf(state, digest, command.amount);
  if (refund.kind === 'failure') return refund;

  const { game, environment, at } = context;
  const { kind: _, ...money } = refund;
  const fact: PurchaseRefunded = {
    kind: 'PurchaseRefunded',
    entityId: playerId,
    game,
    environment,
    at,
    ...money,
    transactionId,
    digest,
    refundId,
    refundDigest,
    externalId: state.externalId,
  };
  draft.emit(fact);
  const { amount, remaining } = fact;
  const after = playerIn(context, draft.get(playerId)) ?? state;
  const { totalRevenue, purchaseCount } = after;
  trackServiceEvent(
    draft,
    {
      playerId,
      eventId: command.eventId,
      eventName: REFUND_EVENT,
      properties: propertiesOf(fact),
      sessionId: null,
      timestamp: at,
    },
    context,
    targeting,
  );
  return { kind: 'purchaseRefunded', playerId, amount, remaining, totalRevenue, purchaseCount };
}

interface Refund {
  kind: 'refund';
  amount: number;
  remaining: number;
  currency: string | null;
  productId: string | null;
}

/**
 * What a refund of a transaction is, or why it is refused.
 * @param wanted `null`: all that remains
 */
export function refundOf(state: PlayerState, digest: string, wanted: number | null): Refund | Failure {
  const purchase = state.recordedPurchases.find((recorded) => recorded.digest === digest);
  if (purchase === undefined) return failure('NOT_FOUND', UNKNOWN_TRANSACTION);
  const { amount: paid, refunded = 0, details } = purchase;
  const left = paid - refunded;
  const amount = wanted ?? left;
  if (left === 0) {
    return failure('CONFLICT', `The purchase of ${unitsText(paid)} is refunded already; nothing of it remains.`, {
      remaining: 0,
    });
  }
  if (amount > left) {
    const message =
      `\`amount\` is ${unitsText(amount)}; ${unitsText(left)} of the purchase of ${unitsText(paid)} remain. ` +
      'Send at most that, or no `amount` to refund what remains.';
    return failure('CONFLICT', message, { remaining: Number(unitsText(left)) });
  }
  const { currency = null, productId = null } = details ?? {};
  return { kind: 'refund', amount, remaining: left - amount, currency, productId };
}

export const UNKNOWN_TRANSACTION =
  'The player has no purchase with this `transaction_id`. Check both ids. The service remembers the latest ' +
  `${STATE_LIMITS.recordedPurchases.toLocaleString('en-US')} transactions of a player, those of client keys last.`;

const USED_REFUND_ID = failure(
  'CONFLICT',
  'This `refund_id` was used for another transaction or amount. Send another `refund_id` for another refund.',
);

/** Without an amount a refund takes what remains, so its repeat matches one that left nothing. */
function isRepeat(
  { transaction, amount, remaining }: RecordedRefund,
  command: RefundPurchase,
  digest: string,
): boolean {
  return transaction === digest && (command.amount === null ? remaining === 0 : command.amount === amount);
}

/** Repeats the reply to the first request. */
function repeated(playerId: string, refund: RecordedRefund): Reply {
  const { amount, remaining, totalRevenue, purchaseCount } = refund;
  return { kind: 'purchaseRefunded', playerId, amount, remaining, totalRevenue, purchaseCount, replayed: true };
}

/** The event's properties, with exact amounts; absent fields are left out. */
function propertiesOf(fact: PurchaseRefunded): JsonText {
  const { amount, remaining, currency, productId, transactionId, refundId } = fact;
  const rest = JSON.stringify({
    currency: currency ?? undefined,
    product_id: productId ?? undefined,
    transaction_id: transactionId,
    refund_id: refundId ?? undefined,
  });
  return `{"amount":${unitsText(amount)},"remaining":${unitsText(remaining)},${rest.slice(1)}`;
}
