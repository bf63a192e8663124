import { failure } from '../../src/kernel/errors.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import { playerIn, type Step } from '../decision.ts';
import { loadBegan, type ListPlayers } from '../vocabulary/player-lists.ts';
import type { Reply } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { SegmentSet } from './segment-set.ts';

/**
 * Adds players to a load of a segment's list, or removes them. A repeat changes nothing and gets the same `members`.
 *
 * Loads that can no longer come into force are dropped here, so a player's state holds few of them: a load comes into
 * force within `listLoadMs` or never.
 */
export function listPlayers(body: ListPlayers, { draft, context, definitions }: Step): Reply {
  const { segmentId, load, active } = body;
  const { game, environment, at } = context;
  const set = definitions.segments(game, environment);
  const inForce = set.get(segmentId)?.load;
  if (inForce !== undefined && inForce !== active) {
    return failure('CONFLICT', 'Another list came into force meanwhile; send the request again.');
  }
  if (body.change === 'add' && body.playerIds.some((id) => isCrowded(playerIn(context, draft.get(id)), body, at))) {
    return failure('CONFLICT', 'Too many lists are being loaded into the segment; send the request again later.');
  }
  const unknown: number[] = [];
  let members = 0;
  let changed = 0;
  for (const [place, entityId] of body.playerIds.entries()) {
    const state = playerIn(context, draft.get(entityId));
    if (state === undefined) {
      unknown.push(place);
      continue;
    }
    const adds = body.change === 'add';
    if (adds) members += 1;
    const held = loadsOf(state, segmentId);
    if (held.includes(load) === adds) continue;
    changed += 1;
    const others = fresh(held, active, at).filter((one) => one !== load);
    const dropped = deletedLists(state, set);
    draft.emit({
      kind: 'PlayerListed',
      entityId,
      game,
      environment,
      at,
      segmentId,
      loads: adds ? [...others, load] : others,
      ...(dropped.length === 0 ? {} : { dropped }),
    });
  }
  return { kind: 'listed', members, changed, unknown };
}

/** Whether the player's state has no room for another load. */
function isCrowded(state: PlayerState | undefined, { segmentId, load, active }: ListPlayers, at: number): boolean {
  if (state === undefined) return false;
  const held = loadsOf(state, segmentId);
  return !held.includes(load) && fresh(held, active, at).length >= LIMITS.listLoadsOfPlayer;
}

const NO_LOADS: readonly string[] = [];

function loadsOf({ lists }: PlayerState, segmentId: string): readonly string[] {
  return lists?.find((list) => list.segmentId === segmentId)?.loads ?? NO_LOADS;
}

/**
 * The load in force, and those that may still come into force, by clocks that differ. A load that began before the one
 * in force began with another list in force, so it cannot replace this one.
 */
function fresh(loads: readonly string[], active: string, at: number): string[] {
  const sinceMs = Math.max(at - 2 * LIMITS.listLoadMs, loadBegan(active) - LIMITS.listClockMs);
  return loads.filter((load) => load === active || loadBegan(load) > sinceMs);
}

/** Lists of deleted segments, which nothing else removes. The rest follows with the player's next list. */
function deletedLists({ lists = [] }: PlayerState, { lists: known }: SegmentSet): string[] {
  if (known === undefined) return [];
  const deleted = lists.filter(({ segmentId }) => !known.has(segmentId)).map(({ segmentId }) => segmentId);
  return deleted.slice(0, LIMITS.droppedLists);
}
