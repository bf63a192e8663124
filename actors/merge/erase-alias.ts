import { decodeGuest } from '../../core/codec/stored-guest.ts';
import { failure } from '../../core/kernel/errors.ts';
import type { ErasePlayer } from '../../core/vocabulary/commands/commands.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import type { Context, Decision } from '../decision/decision.ts';
import { mergedIn } from '../decision/merged.ts';
import { erasePlayer } from '../player/erase.ts';
import { unchanged } from './guest-steps.ts';

/**
 * Erases a merged player's id and the state that it keeps, once the account has absorbed it. The account is erased by
 * itself. A repeat gets the same reply.
 */
export function eraseAlias(state: EntityState | undefined, command: ErasePlayer, context: Context): Decision {
  const merged = mergedIn(context, state);
  if (merged === undefined) {
    if (state?.kind === 'erased') return erasePlayer(state, command, context);
    return unchanged(failure('PLAYER_NOT_FOUND', 'The player is not merged.'));
  }
  const { id: playerId, stage, guest, quarantined } = merged;
  if (stage !== 'moved' && stage !== 'settled') return unchanged(failure('SERVICE_UNAVAILABLE'));
  const { game, environment, at } = context;
  const deviceId = guest.length === 0 ? null : decodeGuest(guest).deviceId;
  const device = deviceId === null ? {} : { deviceId };
  return {
    facts: [{ kind: 'PlayerErased', entityId: playerId, game, environment, at, quarantined, ...device }],
    reply: { kind: 'erased', playerId, erasedAt: at },
  };
}
