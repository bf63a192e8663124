import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import type { RepeatedPurchase } from '../../../core/vocabulary/merge/merged.ts';
import type { RecordedPurchase } from '../../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { PURCHASE_LIMITS } from '../../purchases/limits.ts';
import { both, goes, type Kept } from './kept.ts';

type Purchases = Pick<PlayerState, 'recordedPurchases' | 'recordedRefunds'>;

/** What the guest's reports add to its totals of purchases that the account has recorded too. */
export function repeatedPurchases(account: PlayerState, guest: PlayerState): readonly RepeatedPurchase[] {
  const known = new Set(account.recordedPurchases.map(({ digest }) => digest));
  return guest.recordedPurchases
    .filter(({ digest, uncounted }) => known.has(digest) && uncounted !== true)
    .map(({ digest, amount, refunded = 0 }) => {
      const purchases = refunded < amount || amount === 0 ? 1 : 0;
      return { digest, revenue: amount - refunded, purchases };
    });
}

/** The account's record of a purchase wins. Beyond a bound the guest's go first. */
export function unitedPurchases(account: PlayerState, guest: PlayerState): Purchases {
  const purchases = both(guest.recordedPurchases, account.recordedPurchases, ({ digest }) => digest);
  const refunds = both(guest.recordedRefunds ?? [], account.recordedRefunds ?? [], ({ digest }) => digest);
  return {
    recordedPurchases: withNewestDetails(purchases.slice(-STATE_LIMITS.recordedPurchases)),
    ...withRefunds(refunds.slice(-PURCHASE_LIMITS.recordedRefunds)),
  };
}

export function separatedPurchases(account: PlayerState, guest: PlayerState, kept: Kept): Purchases {
  const purchaseGoes = goes('purchase', guest, kept);
  const refundGoes = goes('refund', guest, kept);
  return {
    recordedPurchases: account.recordedPurchases.filter(({ digest }) => !purchaseGoes(digest)),
    ...withRefunds((account.recordedRefunds ?? []).filter(({ digest }) => !refundGoes(digest))),
  };
}

function withRefunds(refunds: NonNullable<PlayerState['recordedRefunds']>): Pick<PlayerState, 'recordedRefunds'> {
  return refunds.length === 0 ? {} : { recordedRefunds: refunds };
}

function withNewestDetails(purchases: readonly RecordedPurchase[]): readonly RecordedPurchase[] {
  let surplus = purchases.filter(({ details }) => details !== undefined).length - PURCHASE_LIMITS.detailedPurchases;
  if (surplus <= 0) return purchases;
  return purchases.map((purchase) => {
    if (purchase.details === undefined || surplus <= 0) return purchase;
    surplus -= 1;
    const { details: _, ...rest } = purchase;
    return rest;
  });
}
