import { PURCHASE_LIMITS } from './limits.ts';
import { STATE_LIMITS } from '../../core/vocabulary/limits.ts';
import type { PurchaseRecorded, PurchaseReversed } from '../../core/vocabulary/facts/purchase-facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { RecordedPurchase } from '../../core/vocabulary/state/player.ts';

export function purchaseRecorded(state: PlayerState, fact: PurchaseRecorded): PlayerState {
  const { digest, amount, at, by, currency, productId } = fact;
  const totalRevenue = state.totalRevenue + amount;
  const purchaseCount = state.purchaseCount + 1;
  const totals = { amount, totalRevenue, purchaseCount };
  const correction = by === 'client' ? { byClient: { told: { at, currency, productId } } } : {};
  return {
    ...state,
    totalRevenue,
    purchaseCount,
    isPayer: true,
    recordedPurchases:
      digest === null
        ? state.recordedPurchases
        : withPurchase(state.recordedPurchases, { digest, ...totals, ...correction }),
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

/** Beyond the bound, drops the oldest purchases of client keys first, so that a client cannot evict a server's. */
function withPurchase(held: readonly RecordedPurchase[], purchase: RecordedPurchase): readonly RecordedPurchase[] {
  const next = [...held, purchase];
  if (next.length > STATE_LIMITS.recordedPurchases) {
    const oldest = next.findIndex(({ byClient }) => byClient !== undefined);
    next.splice(Math.max(0, oldest), 1);
  }
  return purchase.byClient === undefined ? next : withoutOldTold(next);
}

function withoutOldTold(purchases: RecordedPurchase[]): RecordedPurchase[] {
  let correctable = 0;
  for (let place = purchases.length - 1; place >= 0; place--) {
    const purchase = purchases[place];
    if (purchase === undefined || (purchase.byClient?.told ?? null) === null) continue;
    correctable += 1;
    if (correctable <= PURCHASE_LIMITS.correctablePurchases) continue;
    purchases[place] = { ...purchase, byClient: { told: null } };
    break;
  }
  return purchases;
}
