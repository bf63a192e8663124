import { failure, type Failure } from '../kernel/errors.ts';
import type { OnlyPlayer } from './request-context.ts';

/** How a request names the player it is about. */
export type NamedPlayer =
  | { playerId: string }
  | { externalId: string }
  /** Either of the two. */
  | { idOrExternalId: string };

/**
 * Which players a request names. `none`: it is about no player. `each item`: the route holds its items against
 * `context.player` itself.
 */
export type PlayersOf<T> = 'none' | 'each item' | ((input: T) => NamedPlayer);

/** Refuses a request that a player token restricts to one player and that names another. */
export function refusedPlayer(named: NamedPlayer, only: OnlyPlayer | undefined): Failure | undefined {
  return only === undefined || isIt(named, only) ? undefined : anotherPlayer();
}

export function anotherPlayer(): Failure {
  return failure('FORBIDDEN', 'X-Player-Token is of another player; a client acts for the player of its token only.');
}

function isIt(named: NamedPlayer, only: OnlyPlayer): boolean {
  if ('playerId' in named) return named.playerId.toLowerCase() === only.playerId;
  if ('externalId' in named) return named.externalId === only.externalId;
  return named.idOrExternalId === only.externalId || named.idOrExternalId.toLowerCase() === only.playerId;
}
