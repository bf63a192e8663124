import { failure } from '../../../core/kernel/errors.ts';
import type { ErasePlayer } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { Backend, Origin } from '../../api/route/backend.ts';

export interface ErasingBackends extends Pick<Backend, 'query' | 'send'> {
  /** Sends to owners without following merges. */
  owners: Backend;
}

/**
 * Erases a player, and first the guests that were merged into it: their ids and the states that they keep. A guest's
 * id erases its account. After a failure a repeat erases what is left, because the account goes last.
 */
export async function eraseWithGuests(
  origin: Origin,
  playerId: string,
  { query, send, owners }: ErasingBackends,
  body: ErasePlayer,
): Promise<Reply> {
  const found = await query(origin, playerId, { kind: 'GetPlayer', playerId });
  if (found.kind === 'failure' && found.code !== 'PLAYER_NOT_FOUND') return found;
  const guests = found.kind === 'player' ? (found.merged ?? []) : [];
  // An earlier erasure of this account may have ended between its guests and itself.
  const outcomes = await Promise.all(guests.map(({ guestId }) => eraseAlias(origin, guestId, owners)));
  if (outcomes.includes('failed')) return NOT_ALL;
  if (found.kind !== 'player') return send(origin, playerId, body);
  return send(origin, found.player.id, { ...body, playerId: found.player.id, guests: guests.length });
}

async function eraseAlias(origin: Origin, playerId: string, owners: Backend): Promise<'erased' | 'failed'> {
  const reply = await owners.send(origin, playerId, { kind: 'ErasePlayer', playerId, alias: true });
  if (reply.kind === 'erased') return 'erased';
  return reply.kind === 'failure' && reply.code === 'PLAYER_NOT_FOUND' ? 'erased' : 'failed';
}

const NOT_ALL = failure(
  'SERVICE_UNAVAILABLE',
  'A guest that was merged into the player could not be erased. Send the request again to erase both.',
);
