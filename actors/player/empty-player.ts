import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import type { Targeting } from '../decision/targeting.ts';
import { registered } from './evolve-player.ts';
import { newPlayer } from './register.ts';

/**
 * The state that a player would have if it registered now, without attributes: for evaluations without a registration.
 * @param nowMs epoch milliseconds
 */
export function emptyPlayer(
  who: { playerId: string; externalId: string },
  { game, environment }: Scope,
  { segments }: Targeting,
  nowMs: number,
): PlayerState {
  const player = newPlayer(who, '{}', nowMs);
  const base = { entityId: player.id, game, environment, at: nowMs };
  const state = registered(undefined, { kind: 'PlayerRegistered', ...base, player });
  const entered = segments.filter(({ condition }) => condition.matches({ player: state, nowMs }));
  return { ...state, segments: entered.map(({ id, key }) => ({ segmentId: id, segmentKey: key, since: nowMs })) };
}
