import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import type { PlayerState, RememberedKey } from '../../../core/vocabulary/state/state.ts';
import { unitedEvents } from '../../events/united-events.ts';
import { bounded, PLAYER_BOUND } from '../../idempotency/bounded-keys.ts';
import type { EvolveLimits } from '../../decision/decision.ts';
import { both } from './kept.ts';

type Remembered = Pick<PlayerState, 'recentEvents' | 'olderEvents' | 'keys' | 'recordedSessions'>;

/**
 * Requests of either player that may be repeated: a repeat to the guest comes to the account by forwarding. They stay
 * when a merge is taken back, because they only refuse what was counted.
 */
export function unitedRemembered(
  account: PlayerState,
  guest: PlayerState,
  nowMs: number,
  limits: EvolveLimits,
): Remembered {
  const keys = both(guest.keys, account.keys, keyName).toSorted((one, other) => one.at - other.at);
  return {
    ...unitedEvents(account, guest, nowMs, limits),
    keys: bounded(keys, PLAYER_BOUND),
    recordedSessions: both(guest.recordedSessions, account.recordedSessions, ({ digest }) => digest).slice(
      -STATE_LIMITS.recordedSessions,
    ),
  };
}

const keyName = ({ by, key }: RememberedKey): string => `${by ?? ''}:${key}`;
