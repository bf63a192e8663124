import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { OnlyPlayer } from '../route/request-context.ts';

/** The player that a request names. */
export type NamedPlayer =
  | { playerId: string }
  | { externalId: string }
  /** One of the two. */
  | { idOrExternalId: string };

/**
 * The players that a request names. `none`: the request is about no player. `each item`: the route compares each item
 * with `context.player` itself.
 */
export type PlayersOf<T> = 'none' | 'each item' | ((input: T) => NamedPlayer);

/** Refuses a request whose player is not the one of its player token. */
export function refusedPlayer(named: NamedPlayer, only: OnlyPlayer | undefined): Failure | undefined {
  return only === undefined || isIt(named, only) ? undefined : anotherPlayer();
}

export function anotherPlayer(): Failure {
  return failure(
    'FORBIDDEN',
    'X-Player-Token belongs to another player; send the token of the player that the request names.',
  );
}

function isIt(named: NamedPlayer, only: OnlyPlayer): boolean {
  if ('playerId' in named) return named.playerId.toLowerCase() === only.playerId;
  if ('externalId' in named) return named.externalId === only.externalId;
  return named.idOrExternalId === only.externalId || named.idOrExternalId.toLowerCase() === only.playerId;
}
