import type { ExportedPlayer } from '../../../../core/vocabulary/commands/replies.ts';
import type { Failure } from '../../../../core/kernel/errors.ts';
import type { RequestContext } from '../../route/request-context.ts';

/** The live state of a player from its owner, or the failure to answer. Reading it records nothing. */
export async function readPlayerState(
  id: string,
  { origin, services: { backend } }: RequestContext,
): Promise<{ kind: 'state'; player: ExportedPlayer } | Failure> {
  const playerId = id.toLowerCase();
  const reply = await backend.query(origin, playerId, { kind: 'ExportPlayer', playerId });
  if (reply.kind === 'failure') return reply;
  if (reply.kind !== 'exported') throw new Error(`an export was answered with ${reply.kind}`);
  return { kind: 'state', player: reply.player };
}
