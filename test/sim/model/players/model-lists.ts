import { type ListPlayers, newLoadId } from '../../../../core/vocabulary/documents/player-lists.ts';
import type { DomainFact } from '../../../../core/vocabulary/facts/facts.ts';
import type { Scope } from '../../../../core/vocabulary/documents/scope.ts';
import type { Reply } from '../../../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../../../core/vocabulary/state/state.ts';
import type { ModelSegment } from '../model-segments.ts';

/** Lists as documented: which loads of which segments have a player. */
export interface Listing {
  facts: DomainFact[];
  reply: Reply;
}

/** Later than the simulation's time: loads of then are never too old to take effect. */
const LATER_MS = 2_800_000_000_000;
const idOf = (atMs: number, digit: number, base: string): string =>
  newLoadId(atMs, new Uint8Array(4).fill(digit), base);
const FIRST = idOf(LATER_MS, 1, '');
const SECOND = idOf(LATER_MS, 2, FIRST);
const OLD = idOf(1, 3, '');
/** Ids of loads, as the simulation draws them. */
export const LOADS = [FIRST, SECOND, OLD] as const;

/** A load stays while it is the current one, or while its base is the current one or newer than that. */
const staysWith = (active: string, load: string): boolean =>
  load === active || (load === SECOND && (active === FIRST || active === OLD));

/**
 * @param playerOf the player now
 * @param keep stores a player's next state
 */
export function predictListing(
  { segmentId, load, active, change, playerIds }: ListPlayers,
  segments: readonly ModelSegment[],
  playerOf: (id: string) => PlayerState | undefined,
  keep: (state: PlayerState) => void,
  scope: Scope,
  at: number,
): Listing {
  const inForce = segments.find(({ id }) => id === segmentId)?.load;
  if (inForce !== undefined && inForce !== active) {
    return { facts: [], reply: { kind: 'failure', code: 'CONFLICT' } };
  }
  const facts: DomainFact[] = [];
  const unknown: number[] = [];
  let members = 0;
  playerIds.forEach((entityId, place) => {
    const state = playerOf(entityId);
    if (state === undefined) {
      unknown.push(place);
      return;
    }
    const lists = new Map((state.lists ?? []).map((list) => [list.segmentId, list.loads]));
    const before = lists.get(segmentId) ?? [];
    if (change === 'add') members += 1;
    if (before.includes(load) === (change === 'add')) return;
    const kept = before.filter((one) => one !== load && staysWith(active, one));
    const loads = change === 'add' ? [...kept, load] : kept;
    const isStatic = (id: string) => segments.some((segment) => segment.id === id && segment.load !== undefined);
    const dropped = [...lists.keys()].filter((id) => !isStatic(id));
    facts.push({
      kind: 'PlayerListed',
      entityId,
      ...scope,
      at,
      segmentId,
      loads,
      ...(dropped.length === 0 ? {} : { dropped }),
    });
    for (const id of dropped) lists.delete(id);
    lists.delete(segmentId);
    if (loads.length > 0) lists.set(segmentId, loads);
    const next = [...lists].map(([id, its]) => ({ segmentId: id, loads: its }));
    const { lists: _, ...rest } = state;
    keep(next.length === 0 ? rest : { ...rest, lists: next.sort((a, b) => (a.segmentId < b.segmentId ? -1 : 1)) });
  });
  return { facts, reply: { kind: 'listed', members, changed: facts.length, unknown } };
}
