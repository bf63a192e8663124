import type { MovedReply } from '../../../core/vocabulary/commands/replies.ts';
import type { Backend, Origin } from '../../api/route/backend.ts';
import { SAGA_LIMITS } from './limits.ts';

/**
 * The guests of a circle of merges that leads back to a guest, as far as their merges have not ended: one that has
 * ended cannot be cancelled.
 * @param moved what the guest's account is merged into
 * @returns `none`: it does not lead back; `unknown`: an owner does not answer. Merges that wait for each other never
 *   end, so then none may wait.
 */
export async function circleOf(
  owners: Pick<Backend, 'query'>,
  origin: Origin,
  guestId: string,
  moved: MovedReply,
): Promise<readonly string[] | 'none' | 'unknown'> {
  const circle = [guestId];
  let next = moved;
  for (let hop = 0; hop <= SAGA_LIMITS.hops; hop++) {
    if (next.stage === 'moving') circle.push(next.playerId);
    const { playerId } = next.into;
    if (playerId === guestId) return circle;
    const reply = await owners.query(origin, playerId, { kind: 'GetPlayer', playerId });
    if (reply.kind === 'failure' && reply.code !== 'PLAYER_NOT_FOUND') return 'unknown';
    if (reply.kind !== 'moved') return 'none';
    next = reply;
  }
  return 'unknown';
}

/** How many merges lead from the farthest guest of a player to the player. */
export async function chainTo(
  owners: Pick<Backend, 'query'>,
  origin: Origin,
  playerId: string,
  guestIds: readonly string[],
): Promise<number> {
  const replies = await Promise.all(
    guestIds.map((guestId) => owners.query(origin, guestId, { kind: 'GetPlayer', playerId: guestId })),
  );
  const into = new Map(
    replies.filter((reply) => reply.kind === 'moved').map((reply) => [reply.playerId, reply.into.playerId]),
  );
  const lengths = [...into.keys()].map((guestId) => {
    let length = 1;
    for (let next = into.get(guestId); next !== undefined && next !== playerId; next = into.get(next)) length += 1;
    return length;
  });
  return Math.max(0, ...lengths);
}
