import type { PlayerAbsorbed } from '../../../core/vocabulary/merge/merge-facts.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { EvolveLimits } from '../../decision/decision.ts';
import { unitedAttributes } from './attributes.ts';
import { unitedCampaigns } from './campaigns.ts';
import { unitedComputed } from './computed.ts';
import { unitedFlags } from './flags.ts';
import { unitedGuests } from './guests.ts';
import { both } from './kept.ts';
import { unitedLists } from './lists.ts';
import { repeatedPurchases, unitedPurchases } from './purchases.ts';
import { unitedQuarantines } from './quarantines.ts';
import { unitedRemembered } from './remembered.ts';
import { salesOf, unitedTotals } from './totals.ts';

/**
 * An account with the state of a guest: sums add, the account's own values win, and what only the guest has goes on.
 * Every bound of a player's state holds; beyond one the guest's part goes first. Stage, risk and memberships are the
 * account's, and are evaluated after the fact.
 */
export function united(
  account: PlayerState,
  guest: PlayerState,
  fact: Pick<PlayerAbsorbed, 'mergeId' | 'mergedAt' | 'at'>,
  limits: EvolveLimits,
): PlayerState {
  const repeated = repeatedPurchases(account, guest);
  return {
    ...account,
    ...unitedTotals(account, guest, salesOf(repeated)),
    ...unitedAttributes(account, guest),
    ...unitedPurchases(account, guest),
    ...unitedFlags(account, guest),
    ...unitedCampaigns(account, guest, limits),
    ...unitedLists(account, guest),
    ...unitedComputed(account, guest),
    ...unitedQuarantines(account, guest),
    ...unitedRemembered(account, guest, fact.at, limits),
    absorbed: unitedGuests(account, guest, fact, repeated),
    sessions: bySessionId(account, guest),
    firstSeenAt: Math.min(account.firstSeenAt, guest.firstSeenAt),
    lastSeenAt: Math.max(account.lastSeenAt, guest.lastSeenAt),
  };
}

/** Of both, the oldest first. The step closes those that are too many. */
function bySessionId(account: PlayerState, guest: PlayerState): PlayerState['sessions'] {
  const sessions = both(guest.sessions, account.sessions, ({ sessionId }) => sessionId);
  return sessions.toSorted((one, other) => one.openedAt - other.openedAt);
}
