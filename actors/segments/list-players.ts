import type { SegmentSet } from '../decision/definitions.ts';
import { failure, type Failure } from '../../core/kernel/errors.ts';
import { LIST_LIMITS } from './limits.ts';
import { playerIn, type Step } from '../decision/decision.ts';
import { movedIn } from '../decision/merged.ts';
import {
  loadBaseBegan,
  loadBegan,
  type ListedReply,
  type ListPlayers,
} from '../../core/vocabulary/documents/player-lists.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';

/**
 * Adds players to a load of a segment's list, or removes them. A repeat changes nothing and gets the same `members`.
 *
 * Loads that can no longer take effect are dropped here, so a player's state holds few of them: a load takes effect
 * within `listLoadMs` or never.
 */
export function listPlayers(body: ListPlayers, step: Step): Reply {
  const { draft, context, definitions } = step;
  const { segmentId, load, active } = body;
  const { game, environment, at } = context;
  const set = definitions.segments(game, environment);
  const inForce = set.get(segmentId)?.load;
  if (inForce !== undefined && inForce !== active) {
    return failure('CONFLICT', 'Another upload replaced this list. Send the request again.');
  }
  const crowdedUntil = body.change === 'add' ? crowding(step, body) : 0;
  if (crowdedUntil > 0) return tooManyLoads(crowdedUntil, at);
  const unknown: number[] = [];
  const moved: NonNullable<ListedReply['moved']> = [];
  let members = 0;
  let changed = 0;
  for (const [place, entityId] of body.playerIds.entries()) {
    const held = draft.get(entityId);
    const state = playerIn(context, held);
    if (state === undefined) {
      unknown.push(place);
      const elsewhere = movedIn(context, held);
      if (elsewhere !== undefined) moved.push({ place, moved: elsewhere });
      continue;
    }
    const adds = body.change === 'add';
    if (adds) members += 1;
    const loads = loadsOf(state, segmentId);
    if (loads.includes(load) === adds) continue;
    changed += 1;
    const others = fresh(loads, active, at).filter((one) => one !== load);
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
  return { kind: 'listed', members, changed, unknown, ...(moved.length === 0 ? {} : { moved }) };
}

/** When the states of all named players have room for the load, epoch milliseconds; 0: they have. */
function crowding({ draft, context }: Step, { segmentId, load, active, playerIds }: ListPlayers): number {
  let until = 0;
  for (const id of playerIds) {
    const state = playerIn(context, draft.get(id));
    const held = state === undefined ? NO_LOADS : loadsOf(state, segmentId);
    if (held.includes(load)) continue;
    const kept = fresh(held, active, context.at);
    if (kept.length < LIST_LIMITS.listLoadsOfPlayer) continue;
    const began = kept.filter((one) => one !== active).map(loadBegan);
    until = Math.max(until, Math.min(...began) + KEPT_MS);
  }
  return until;
}

function tooManyLoads(until: number, at: number): Failure {
  const seconds = Math.max(1, Math.ceil((until - at) / 1_000));
  const broken = `${LIST_LIMITS.listLoadsOfPlayer - 1} lists of the segment were not loaded to their ends`;
  return failure('CONFLICT', `${broken}; send yours again in ${seconds} seconds.`, { retry_after_seconds: seconds });
}

const NO_LOADS: readonly string[] = [];

function loadsOf({ lists }: PlayerState, segmentId: string): readonly string[] {
  return lists?.find((list) => list.segmentId === segmentId)?.loads ?? NO_LOADS;
}

/** How long a load is kept that was not loaded to its end: it takes effect within half of it or never. */
const KEPT_MS = 2 * LIST_LIMITS.listLoadMs;

/** The current load, and those that may still take effect. A load whose base was replaced cannot. */
function fresh(loads: readonly string[], active: string, at: number): string[] {
  const activeBegan = loadBegan(active);
  return loads.filter(
    (load) => load === active || (loadBaseBegan(load) >= activeBegan && loadBegan(load) > at - KEPT_MS),
  );
}

/** Lists of deleted segments, which nothing else removes. The rest follows with the player's next list. */
function deletedLists({ lists = [] }: PlayerState, { lists: known }: SegmentSet): string[] {
  if (known === undefined) return [];
  const deleted = lists.filter(({ segmentId }) => !known.has(segmentId)).map(({ segmentId }) => segmentId);
  return deleted.slice(0, LIST_LIMITS.droppedLists);
}
