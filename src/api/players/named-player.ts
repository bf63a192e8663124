import { failure, type Failure } from '../../../core/kernel/errors.ts';
import type { OnlyPlayer, RequestContext } from '../route/request-context.ts';
import { playerIdOf, playerIdsOf } from './player-id.ts';

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

/**
 * Refuses a request whose player is neither the one of its player token nor a guest that was merged into it: a client
 * may have kept events of the guest. Only a request that names another player waits for an owner.
 */
export function refusedNamed(
  named: NamedPlayer,
  context: Pick<RequestContext, 'key' | 'origin' | 'player' | 'services'>,
): undefined | Promise<Failure | undefined> {
  const { player: only } = context;
  return only === undefined || isIt(named, only) ? undefined : refusedUnlessMerged(named, only, context);
}

async function refusedUnlessMerged(
  named: NamedPlayer,
  only: OnlyPlayer,
  { key, origin, services }: Pick<RequestContext, 'key' | 'origin' | 'services'>,
): Promise<Failure | undefined> {
  for (const playerId of idsOf(named, key)) {
    const found = await services.merges.accountOf(origin, playerId);
    if (found.kind === 'failure') return found;
    if (found.playerId === only.playerId) return undefined;
  }
  return anotherPlayer();
}

function idsOf(named: NamedPlayer, key: RequestContext['key']): readonly string[] {
  if ('playerId' in named) return [named.playerId.toLowerCase()];
  return 'externalId' in named ? [playerIdOf(key, named.externalId)] : playerIdsOf(key, named.idOrExternalId);
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
