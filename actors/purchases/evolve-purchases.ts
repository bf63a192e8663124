import type { RefundImported } from '../../core/vocabulary/facts/import-facts.ts';
import { PURCHASE_LIMITS } from './limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import type {
  PurchaseRecorded,
  PurchaseRefunded,
  PurchaseReversed,
} from '../../core/vocabulary/facts/purchase-facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { RecordedPurchase, RecordedRefund } from '../../core/vocabulary/state/player.ts';

export function purchaseRecorded(state: PlayerState, fact: PurchaseRecorded): PlayerState {
  const { digest, amount, paid, by, currency, productId, firstReportedAt: at = fact.at } = fact;
  const totalRevenue = state.totalRevenue + amount;
  const purchaseCount = state.purchaseCount + 1;
  const converted = paid === undefined ? {} : { paid };
  const purchase = { amount, ...converted, totalRevenue, purchaseCount, details: { at, currency, productId } };
  const whose = by === 'client' ? { byClient: true as const } : {};
  return {
    ...state,
    totalRevenue,
    purchaseCount,
    isPayer: true,
    recordedPurchases:
      digest === null
        ? state.recordedPurchases
        : withPurchase(state.recordedPurchases, { digest, ...purchase, ...whose }),
    lastSeenAt: Math.max(state.lastSeenAt, at),
  };
}

export function purchaseReversed(state: PlayerState, { digest, amount }: PurchaseReversed): PlayerState {
  const purchaseCount = state.purchaseCount - 1;
  return {
    ...state,
    totalRevenue: state.totalRevenue - amount,
    purchaseCount,
    isPayer: purchaseCount > 0,
    recordedPurchases: state.recordedPurchases.filter((purchase) => purchase.digest !== digest),
  };
}

/** A refund confirms its purchase: no server key replaces it afterwards. It is no activity of the player. */
export function purchaseRefunded(state: PlayerState, fact: PurchaseRefunded | RefundImported): PlayerState {
  const { digest, amount, remaining, refundDigest, paid } = fact;
  const totalRevenue = state.totalRevenue - amount;
  const purchaseCount = state.purchaseCount - (remaining === 0 ? 1 : 0);
  const back = paid === undefined ? {} : { paid };
  const refund = { transaction: digest, amount, remaining, totalRevenue, purchaseCount, ...back };
  return {
    ...state,
    totalRevenue,
    purchaseCount,
    isPayer: purchaseCount > 0,
    recordedPurchases: state.recordedPurchases.map((purchase) =>
      purchase.digest === digest ? refunded(purchase, fact) : purchase,
    ),
    ...(refundDigest === null ? {} : { recordedRefunds: withRefund(state, { digest: refundDigest, ...refund }) }),
  };
}

function refunded(
  recorded: RecordedPurchase,
  { remaining, paid: back }: Pick<PurchaseRefunded, 'remaining' | 'paid'>,
): RecordedPurchase {
  const { byClient: _, ...purchase } = recorded;
  const { paid } = purchase;
  const returned =
    paid === undefined || back === undefined ? {} : { paid: { ...paid, refunded: paid.amount - back.remaining } };
  return { ...purchase, refunded: purchase.amount - remaining, ...returned };
}

function withRefund({ recordedRefunds = [] }: PlayerState, refund: RecordedRefund): readonly RecordedRefund[] {
  return [...recordedRefunds, refund].slice(-PURCHASE_LIMITS.recordedRefunds);
}

/** Beyond the bound, drops the oldest purchases of client keys first, so that a client cannot evict a server's. */
function withPurchase(held: readonly RecordedPurchase[], purchase: RecordedPurchase): readonly RecordedPurchase[] {
  const next = [...held, purchase];
  if (next.length > STATE_LIMITS.recordedPurchases) {
    const oldest = next.findIndex(({ byClient }) => byClient !== undefined);
    next.splice(Math.max(0, oldest), 1);
  }
  return withoutOldDetails(next);
}

/** Whether details of one more purchase, older than the others, are kept. */
export function hasRoomForDetails(purchases: readonly RecordedPurchase[]): boolean {
  return purchases.filter(({ details }) => details !== undefined).length < PURCHASE_LIMITS.detailedPurchases;
}

function withoutOldDetails(purchases: RecordedPurchase[]): RecordedPurchase[] {
  let detailed = 0;
  for (let place = purchases.length - 1; place >= 0; place--) {
    const purchase = purchases[place];
    if (purchase?.details === undefined) continue;
    detailed += 1;
    if (detailed <= PURCHASE_LIMITS.detailedPurchases) continue;
    const { details: _, ...rest } = purchase;
    purchases[place] = rest;
    break;
  }
  return purchases;
}
