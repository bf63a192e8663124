import { type Failure, failure } from '../../core/kernel/errors.ts';
import { convertedAt, unitsText } from '../../core/kernel/money.ts';
import { digestOf } from '../../core/kernel/secrets/digest.ts';
import type { RefundPurchase } from '../../core/vocabulary/commands/recorded.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PurchaseRefunded } from '../../core/vocabulary/facts/purchase-facts.ts';
import { REFUND_EVENT } from '../../core/vocabulary/service-events.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import type { PaidBack, RecordedRefund } from '../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import type { Targeting } from '../decision/targeting.ts';
import { moneyEvent } from './money-event.ts';
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
  const refund = refundOf(
    state,
    digest,
    command.share === undefined ? command.amount : partOf(state, digest, command.share),
  );
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
  const paid = fact.paid === undefined ? {} : { paid: fact.paid };
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
  return { kind: 'purchaseRefunded', playerId, amount, remaining, ...paid, totalRevenue, purchaseCount };
}

interface Refund {
  kind: 'refund';
  amount: number;
  remaining: number;
  paid?: PaidBack;
  currency: string | null;
  productId: string | null;
}

/**
 * What a refund of a transaction is, or why it is refused.
 * @param wanted in the currency in which the amount of the purchase was sent; `null`: all that remains
 */
export function refundOf(state: PlayerState, digest: string, wanted: number | null): Refund | Failure {
  const purchase = state.recordedPurchases.find((recorded) => recorded.digest === digest);
  if (purchase === undefined) return failure('NOT_FOUND', UNKNOWN_TRANSACTION);
  const { amount: counted, refunded = 0, details, paid, uncounted } = purchase;
  if (uncounted === true) return failure('CONFLICT', NOT_COUNTED);
  const {
    amount: sent,
    currency = details?.currency ?? null,
    refunded: returned = 0,
  } = paid ?? {
    amount: counted,
    refunded,
  };
  const left = sent - returned;
  const amount = wanted ?? left;
  const unit = paid === undefined ? '' : ` ${paid.currency}`;
  if (counted === refunded) {
    return failure(
      'CONFLICT',
      `The purchase of ${unitsText(sent)}${unit} is refunded already; nothing of it remains.`,
      {
        remaining: 0,
      },
    );
  }
  if (amount > left) {
    const message =
      `\`amount\` is ${unitsText(amount)}; ${unitsText(left)}${unit} of the purchase of ${unitsText(sent)}${unit} remain. ` +
      'Send at most that, or no `amount` to refund what remains.';
    return failure('CONFLICT', message, { remaining: Number(unitsText(left)) });
  }
  const product = { currency, productId: details?.productId ?? null };
  if (paid === undefined) return { kind: 'refund', amount, remaining: left - amount, ...product };
  // All parts together are rounded once, so that the last one leaves nothing.
  const remaining = amount === left ? 0 : counted - convertedAt(paid.rate, returned + amount);
  const back = { amount, remaining: left - amount, currency: paid.currency };
  if (remaining === counted - refunded) return failure('CONFLICT', tooSmall(back));
  return { kind: 'refund', amount: counted - refunded - remaining, remaining, paid: back, ...product };
}

const tooSmall = ({ amount, currency }: PaidBack): string =>
  `\`amount\` is ${unitsText(amount)} ${currency}, less than 0.0001 of the game's currency. Refund a larger part.`;

export const UNKNOWN_TRANSACTION =
  'The player has no purchase with this `transaction_id`. Check both ids. The service remembers the latest ' +
  `${STATE_LIMITS.recordedPurchases.toLocaleString('en-US')} transactions of a player, those of client keys last.`;

const NOT_COUNTED =
  'The purchase adds nothing to the revenue: its receipt is not verified, or was rejected. There is nothing to refund.';

const USED_REFUND_ID = failure(
  'CONFLICT',
  'This `refund_id` was used for another transaction or amount. Send another `refund_id` for another refund.',
);

/** Without an amount a refund takes what remains, so its repeat matches one that left nothing. */
function isRepeat(
  { transaction, amount, remaining, paid }: RecordedRefund,
  command: RefundPurchase,
  digest: string,
): boolean {
  // A store says the share alone.
  if (command.share !== undefined) return transaction === digest;
  const isSame = command.amount === null ? remaining === 0 : command.amount === (paid?.amount ?? amount);
  return transaction === digest && isSame;
}

/** A share of what was paid, at most what remains. */
function partOf(state: PlayerState, digest: string, share: number): number | null {
  const purchase = state.recordedPurchases.find((recorded) => recorded.digest === digest);
  if (purchase === undefined) return null;
  const { amount, refunded = 0, paid } = purchase;
  const [sent, back] = paid === undefined ? [amount, refunded] : [paid.amount, paid.refunded ?? 0];
  return Math.max(1, Math.min(Math.round(sent * share), sent - back));
}

/** Repeats the reply to the first request. */
function repeated(playerId: string, recorded: RecordedRefund): Reply {
  const { digest: _, transaction: __, ...refund } = recorded;
  return { kind: 'purchaseRefunded', playerId, ...refund, replayed: true };
}

function propertiesOf({ amount, remaining, paid, currency, productId, transactionId, refundId }: PurchaseRefunded) {
  return moneyEvent(
    { amount, remaining, paid_amount: paid?.amount },
    { currency, product_id: productId, transaction_id: transactionId, refund_id: refundId },
  );
}
