import { LIMITS } from '../../src/kernel/limits.ts';
import { append } from '../bounded.ts';
import type { PurchaseRecorded } from '../facts.ts';
import type { PlayerState } from '../state.ts';

export function purchaseRecorded(state: PlayerState, { digest, amount, at }: PurchaseRecorded): PlayerState {
  const totalRevenue = state.totalRevenue + amount;
  const purchaseCount = state.purchaseCount + 1;
  const recorded = digest === null ? undefined : { digest, amount, totalRevenue, purchaseCount };
  return {
    ...state,
    totalRevenue,
    purchaseCount,
    isPayer: true,
    recordedPurchases:
      recorded === undefined
        ? state.recordedPurchases
        : append(state.recordedPurchases, recorded, LIMITS.recordedPurchases),
    lastSeenAt: Math.max(state.lastSeenAt, at),
  };
}
