import { failure } from '../../src/kernel/errors.ts';
import type { ErasePlayer, GetErasure } from '../vocabulary/commands.ts';
import { type Context, type Decision, playerIn } from '../decision.ts';
import type { Reply } from '../vocabulary/replies.ts';
import type { EntityState } from '../vocabulary/state.ts';
import type { Scope } from '../vocabulary/scope.ts';

/**
 * Erases a player. One that is erased already answers when it was: a repeat changes nothing. Who registered anew meanwhile is
 * erased anew.
 */
export function erasePlayer(
  state: EntityState | undefined,
  { playerId }: Pick<ErasePlayer, 'playerId'>,
  context: Context,
): Decision {
  const held = playerIn(context, state);
  if (held === undefined) return { facts: [], reply: readErasure(state, { playerId }, context) };
  const { game, environment, at } = context;
  const device = held.deviceId === null ? {} : { deviceId: held.deviceId };
  const base = { entityId: playerId, game, environment, at };
  return {
    facts: [{ kind: 'PlayerErased', ...base, quarantined: held.quarantine.last, ...device }],
    reply: { kind: 'erased', playerId, erasedAt: at },
  };
}

/** Whether and when a player was erased. Another game's or environment's looks like none at all. */
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
    case 'ledger':
      return failure('PLAYER_NOT_FOUND');
  }
}
