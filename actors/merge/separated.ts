import type { GuestReleased } from '../../core/vocabulary/merge/merge-facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { remainingGuests } from './guests.ts';

/** An account without what a guest had brought. What happened after the merge stays with the account. */
export function separated(account: PlayerState, guest: PlayerState, { mergeId }: GuestReleased): PlayerState {
  return {
    ...account,
    absorbed: remainingGuests(account, mergeId),
    sessionCount: account.sessionCount - guest.sessionCount,
    purchaseCount: account.purchaseCount - guest.purchaseCount,
    totalRevenue: account.totalRevenue - guest.totalRevenue,
    totalPlaytimeSeconds: account.totalPlaytimeSeconds - guest.totalPlaytimeSeconds,
  };
}
