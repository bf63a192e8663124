import type { Failure } from '../../../core/kernel/errors.ts';
import { isTemporary } from '../../../core/kernel/errors.ts';
import { playerIdOf } from '../players/player-id.ts';
import type { RequestContext } from '../route/request-context.ts';
import { SEGMENT_CLIENT_LIMITS } from './limits.ts';

/** A player whom an identify or alias ties to another one. */
export interface Link {
  /** The external_id of the player before it was identified. */
  before: string;
  externalId: string;
}

/** Whether a caller's links merge players, beyond tying them for analysts. Client keys prove no guest. */
export const mayMerge = ({ key }: Pick<RequestContext, 'key'>): boolean => key.kind === 'server';

/**
 * Merges the players of links, each once: one that is merged already belongs to the first who was identified with it.
 * A link that owners refuse stays a tie. A repeat changes nothing.
 */
export async function mergeLinked(links: readonly Link[], context: RequestContext): Promise<Failure | undefined> {
  const firsts = new Map<string, Link>();
  for (const link of links) if (!firsts.has(link.before)) firsts.set(link.before, link);
  const all = [...firsts.values()];
  for (let from = 0; from < all.length; from += SEGMENT_CLIENT_LIMITS.segmentMergesAtOnce) {
    const some = all.slice(from, from + SEGMENT_CLIENT_LIMITS.segmentMergesAtOnce);
    const outcomes = await Promise.all(some.map((link) => mergeOne(link, context)));
    const failed = outcomes.find((outcome) => outcome !== undefined);
    if (failed !== undefined) return failed;
  }
  return undefined;
}

async function mergeOne(link: Link, { key, origin, services }: RequestContext): Promise<Failure | undefined> {
  const guestId = playerIdOf(key, link.before);
  const accountId = playerIdOf(key, link.externalId);
  const found = await services.backend.query(origin, guestId, { kind: 'GetPlayer', playerId: guestId });
  if (found.kind === 'failure') return isTemporary(found.code) ? found : undefined;
  const isMerged = found.kind !== 'player' || found.player.id !== guestId;
  if (isMerged || guestId === accountId) return undefined;
  const merged = await services.merges.merge(origin, { guestId, accountId, byClientKey: false });
  return merged.kind === 'failure' && isTemporary(merged.code) ? merged : undefined;
}
