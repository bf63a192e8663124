import type { GuestReleased } from '../../../core/vocabulary/merge/merge-facts.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { separatedAttributes } from './attributes.ts';
import { separatedCampaigns } from './campaigns.ts';
import { separatedComputed } from './computed.ts';
import { separatedFlags } from './flags.ts';
import { leftWithout } from './guests.ts';
import { goes } from './kept.ts';
import { separatedLists } from './lists.ts';
import { separatedPurchases } from './purchases.ts';
import { separatedQuarantines } from './quarantines.ts';
import { salesOf, separatedTotals } from './totals.ts';

/**
 * An account without what a guest had brought: sums are taken away, and what only the guest had goes if it is still as
 * it was. What happened after the merge stays with the account.
 */
export function separated(
  account: PlayerState,
  guest: PlayerState,
  { mergeId }: Pick<GuestReleased, 'mergeId'>,
): PlayerState {
  const { kept, repeated, ...left } = leftWithout(account, guest, mergeId);
  const { absorbed: _, lists: __, computed: ___, guestQuarantines: ____, recordedRefunds: _____, ...rest } = account;
  const sessionGoes = goes('session', guest, kept);
  return {
    ...rest,
    ...separatedTotals(account, guest, salesOf(repeated)),
    ...separatedAttributes(account, guest, kept),
    ...separatedPurchases(account, guest, kept),
    ...separatedFlags(account, guest, kept),
    ...separatedCampaigns(account, guest, kept),
    ...separatedLists(account, guest, kept),
    ...separatedComputed(account, guest),
    ...separatedQuarantines(account, guest),
    ...left,
    sessions: account.sessions.filter(({ sessionId }) => !sessionGoes(sessionId)),
  };
}
