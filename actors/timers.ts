import { LIMITS } from '../src/kernel/limits.ts';
import { triggerCampaigns } from './campaigns/trigger-campaigns.ts';
import { hasStepsForPlayer, metered, nextPlayer } from './conditions/steps.ts';
import { type Context, type Draft, playerIn } from './decision.ts';
import { evaluateLifecycle, updateLifecycle } from './player/update-lifecycle.ts';
import { updateLater, updateSegments } from './segments/update-segments.ts';
import { sessionsDue, sessionsDueAt } from './sessions/expire.ts';
import type { EntityState, PlayerState } from './vocabulary/state.ts';
import type { Definitions } from './definitions.ts';

/**
 * When the entity changes next by itself, epoch milliseconds; `null`: never. A pure function of state: the due-time index
 * of the store holds exactly this for every entity.
 */
export function dueAt(state: EntityState): number | null {
  if (state.kind !== 'player') return null;
  return earliest(ownTimerAt(state), orNull(state.segmentsDueAt));
}

/** When the player itself changes next, apart from what segments make of it. */
function ownTimerAt(state: PlayerState): number | null {
  return earliest(orNull(state.lifecycleDueAt), sessionsDueAt(state));
}

function orNull(at: number): number | null {
  return at === 0 ? null : at;
}

function earliest(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.min(one, other);
}

/**
 * Emits what happens to an entity whose due time has come, however late: change by change, as each would have come in time
 * (up to a bound; what is left stays due). Nothing when the state has moved on meanwhile. Segments are looked at as of the
 * due time, but never as of a time before the player was last seen, which its counters are ahead of.
 * Segments are also put off when the meter has no room for all they may take.
 * @param room facts after which segments are put off: they are due at once, and are looked at in a later record
 */
export function decideTimers(
  draft: Draft,
  entityId: string,
  nowMs: number,
  definitions: Definitions,
  room = Infinity,
): void {
  metered(() => decideTimersMetered(draft, entityId, nowMs, definitions, room));
}

function decideTimersMetered(
  draft: Draft,
  entityId: string,
  nowMs: number,
  definitions: Definitions,
  room: number,
): void {
  const began = draft.facts.length;
  for (let step = 0; step < LIMITS.dueSteps; step++) {
    const state = draft.get(entityId);
    if (state?.kind !== 'player') return;
    const since = draft.facts.length;
    const isTooMuch = since - began > room || !hasStepsForPlayer();
    const due = isTooMuch ? ownTimerAt(state) : dueAt(state);
    if (due === null || due > nowMs) return;
    happen(draft, state, due, definitions);
    const changed = draft.get(entityId);
    if (changed?.kind !== 'player') return;
    const { game, environment } = state;
    const at = Math.max(due, state.lastSeenAt);
    nextPlayer();
    const set = definitions.segments(game, environment);
    for (const fact of isTooMuch ? updateLater(changed, at) : updateSegments(changed, set, 'all', at, draft.limits))
      draft.emit(fact);
    triggerCampaigns(draft, since, definitions.campaigns(game, environment), { game, environment, at });
  }
}

/**
 * Emits what fell due to the players of a command before it was received and that nobody has looked at yet: what the command
 * does comes after it. So who returns after weeks in which the service was down was churned first, and a session that is past
 * its time is closed to a late call.
 */
export function catchUp(draft: Draft, playerIds: readonly string[], context: Context, definitions: Definitions): void {
  const began = draft.facts.length;
  let previous: string | undefined;
  for (const playerId of playerIds) {
    if (playerId === previous) continue;
    previous = playerId;
    const state = playerIn(context, draft.get(playerId));
    const due = state === undefined ? null : ownTimerAt(state);
    if (due === null || due > context.at) continue;
    const room = LIMITS.segmentFactsPerCommand - (draft.facts.length - began);
    decideTimers(draft, playerId, context.at, definitions, room);
  }
}

/** What the player's own clocks bring at `due`. A session that ends counts for the risk that is looked at then. */
function happen(draft: Draft, state: PlayerState, due: number, definitions: Definitions): void {
  const { lifecycle } = definitions.settings(state.game);
  const since = draft.facts.length;
  if (sessionsDueAt(state) === due) for (const fact of sessionsDue(state, due)) draft.emit(fact);
  updateLifecycle(draft, since, lifecycle, due);
  const current = draft.get(state.id);
  if (current?.kind === 'player' && current.lifecycleDueAt === due) evaluateLifecycle(draft, current, lifecycle);
}
