import { failure, type Failure } from '../../kernel/errors.ts';
import type { OnlyPlayer } from '../request-context.ts';

/** How a request names its player. */
export type NamedPlayer =
  | { playerId: string }
  | { externalId: string }
  /** Either of the two. */
  | { idOrExternalId: string };

/**
 * Which players a request names. `none`: it concerns no player. `each item`: the route compares its items with
 * `context.player` itself.
 */
export type PlayersOf<T> = 'none' | 'each item' | ((input: T) => NamedPlayer);

/** Refuses a request that names another player than its player token. */
export function refusedPlayer(named: NamedPlayer, only: OnlyPlayer | undefined): Failure | undefined {
  return only === undefined || isIt(named, only) ? undefined : anotherPlayer();
}

export function anotherPlayer(): Failure {
  return failure(
    'FORBIDDEN',
    'X-Player-Token is of another player than the request; send the token of the player that the request names.',
  );
}

function isIt(named: NamedPlayer, only: OnlyPlayer): boolean {
  if ('playerId' in named) return named.playerId.toLowerCase() === only.playerId;
  if ('externalId' in named) return named.externalId === only.externalId;
  return named.idOrExternalId === only.externalId || named.idOrExternalId.toLowerCase() === only.playerId;
}
