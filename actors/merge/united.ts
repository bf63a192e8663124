import type { PlayerAbsorbed } from '../../core/vocabulary/merge/merge-facts.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { unitedGuests } from './guests.ts';

/** An account with the state of a guest. Every bound of a player's state holds. */
export function united(account: PlayerState, guest: PlayerState, fact: PlayerAbsorbed): PlayerState {
  return {
    ...account,
    absorbed: unitedGuests(account, guest, fact),
    firstSeenAt: Math.min(account.firstSeenAt, guest.firstSeenAt),
    lastSeenAt: Math.max(account.lastSeenAt, guest.lastSeenAt),
    sessionCount: account.sessionCount + guest.sessionCount,
    purchaseCount: account.purchaseCount + guest.purchaseCount,
    totalRevenue: account.totalRevenue + guest.totalRevenue,
    totalPlaytimeSeconds: account.totalPlaytimeSeconds + guest.totalPlaytimeSeconds,
    isTestPlayer: account.isTestPlayer || guest.isTestPlayer,
    isPayer: account.isPayer || guest.isPayer,
  };
}
