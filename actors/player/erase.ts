import { failure } from '../../core/kernel/errors.ts';
import type { ErasePlayer, GetErasure } from '../../core/vocabulary/commands/commands.ts';
import { type Context, type Decision, playerIn } from '../decision/decision.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { EntityState } from '../../core/vocabulary/state/state.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';

/**
 * Erases a player. For an erased player it returns the time of the erasure and changes nothing. A player that
 * registered again is erased again.
 */
export function erasePlayer(
  state: EntityState | undefined,
  { playerId, guests }: Pick<ErasePlayer, 'playerId' | 'guests'>,
  context: Context,
): Decision {
  const player = playerIn(context, state);
  if (player === undefined) return { facts: [], reply: readErasure(state, { playerId }, context) };
  if (guests !== undefined && guests !== (player.absorbed ?? []).length) return { facts: [], reply: MORE_GUESTS };
  const { game, environment, at } = context;
  const device = player.deviceId === null ? {} : { deviceId: player.deviceId };
  const base = { entityId: playerId, game, environment, at };
  return {
    facts: [{ kind: 'PlayerErased', ...base, quarantined: player.quarantine.last, ...device }],
    reply: { kind: 'erased', playerId, erasedAt: at },
  };
}

const MORE_GUESTS = failure('SERVICE_UNAVAILABLE', 'A guest was merged into the player meanwhile; erase it again.');

/** Whether and when a player was erased. Players of other games and environments do not exist here. */
export function readErasure(
  state: EntityState | undefined,
  { playerId }: Pick<GetErasure, 'playerId'>,
  scope: Scope,
): Reply {
  if (state?.game !== scope.game || state.environment !== scope.environment) return failure('PLAYER_NOT_FOUND');
  switch (state.kind) {
    case 'erased':
      return { kind: 'erased', playerId, erasedAt: state.erasedAt };
    case 'player':
      return { kind: 'erased', playerId, erasedAt: null };
    case 'merged':
    case 'ledger':
      return failure('PLAYER_NOT_FOUND');
  }
}
