import type { PlayerState } from '../../../core/vocabulary/state/state.ts';

type Quarantines = Pick<PlayerState, 'guestQuarantines'>;

/**
 * The tallies of all guests beside the account's own: the numbers of each player's quarantined events count from 1, and
 * their rows keep them.
 */
export function unitedQuarantines({ guestQuarantines = [] }: PlayerState, guest: PlayerState): Quarantines {
  const { id: playerId, quarantine, guestQuarantines: brought = [] } = guest;
  const own = quarantine.last === 0 ? [] : [{ playerId, ...quarantine }];
  const others = guestQuarantines.filter((one) => one.playerId !== playerId);
  return listed([...others, ...brought, ...own]);
}

export function separatedQuarantines({ guestQuarantines = [] }: PlayerState, guest: PlayerState): Quarantines {
  const gone = new Set([guest.id, ...(guest.guestQuarantines ?? []).map(({ playerId }) => playerId)]);
  return listed(guestQuarantines.filter(({ playerId }) => !gone.has(playerId)));
}

function listed(guestQuarantines: NonNullable<PlayerState['guestQuarantines']>): Quarantines {
  return guestQuarantines.length === 0 ? {} : { guestQuarantines };
}
