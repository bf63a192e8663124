import { ACTOR_LIMITS } from './limits.ts';
import { IMPORT_STATE_LIMITS } from './import/limits.ts';
import { triggerCampaigns } from './campaigns/trigger-campaigns.ts';
import { hasStepsForPlayer, metered, nextPlayer } from './conditions/steps.ts';
import { type Context, type Draft, playerIn } from './decision/decision.ts';
import { settled, settlesAt } from './merge/settle.ts';
import { evaluateLifecycle, updateLifecycle } from './player/update-lifecycle.ts';
import { updateLater, updateSegments } from './segments/update-segments.ts';
import { sessionsDue, sessionsDueAt } from './sessions/expire.ts';
import type { PlayerState } from '../core/vocabulary/state/state.ts';
import type { PlayerTimes, StateOutline } from '../core/vocabulary/state/state-outline.ts';
import type { Definitions } from './decision/definitions.ts';

/**
 * When the entity changes next by itself, epoch milliseconds; `null`: never. A pure function of state: the due-time
 * index of the store holds exactly this value for every entity.
 */
export function dueAt(state: StateOutline): number | null {
  if (state.kind === 'merged') return settlesAt(state);
  if (state.kind !== 'player') return null;
  return earliest(ownTimerAt(state), orNull(state.segmentsDueAt));
}

/** When the player changes next by time, without its segments. */
function ownTimerAt(state: PlayerTimes): number | null {
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
 * Emits the timed changes of an entity up to now, in order of their due times. At most `dueSteps` are made; the
 * rest stay due. Segments are evaluated as of the later of due time and last activity, because counters include that
 * activity. They are deferred when the meter's quota cannot hold their evaluation.
 * @param factQuota number of facts after which segments are deferred to a later record
 */
export function decideTimers(
  draft: Draft,
  entityId: string,
  nowMs: number,
  definitions: Definitions,
  factQuota = Infinity,
): void {
  metered(() => decideTimersMetered(draft, entityId, nowMs, definitions, factQuota));
}

function decideTimersMetered(
  draft: Draft,
  entityId: string,
  nowMs: number,
  definitions: Definitions,
  factQuota: number,
): void {
  const began = draft.facts.length;
  for (let step = 0; step < ACTOR_LIMITS.dueSteps; step++) {
    const state = draft.get(entityId);
    if (state?.kind === 'merged') for (const fact of settled(state, nowMs)) draft.emit(fact);
    if (state?.kind !== 'player') return;
    const since = draft.facts.length;
    const isDeferred = since - began > factQuota || !hasStepsForPlayer();
    const due = isDeferred ? ownTimerAt(state) : dueAt(state);
    if (due === null || due > nowMs) return;
    applyOwnTimers(draft, state, due, definitions);
    const changed = draft.get(entityId);
    if (changed?.kind !== 'player') return;
    const { game, environment } = state;
    const at = Math.max(due, state.lastSeenAt);
    nextPlayer();
    const set = definitions.segments(game, environment);
    for (const fact of isDeferred ? updateLater(changed, at) : updateSegments(changed, set, 'all', at, draft.limits))
      draft.emit(fact);
    triggerCampaigns(draft, since, definitions.campaigns(game, environment), { game, environment, at });
  }
}

/**
 * Emits the overdue timed changes of a command's players before the command itself. A player who returns after a long
 * outage is therefore churned first, and an expired session is closed to late calls.
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
    const factQuota = IMPORT_STATE_LIMITS.segmentFactsPerCommand - (draft.facts.length - began);
    decideTimers(draft, playerId, context.at, definitions, factQuota);
  }
}

/** Applies the player's own timers at `due`. Sessions end first, because they affect the risk evaluated next. */
function applyOwnTimers(draft: Draft, state: PlayerState, due: number, definitions: Definitions): void {
  const { lifecycle } = definitions.settings(state.game);
  const since = draft.facts.length;
  if (sessionsDueAt(state) === due) for (const fact of sessionsDue(state, due)) draft.emit(fact);
  updateLifecycle(draft, since, lifecycle, due);
  const current = draft.get(state.id);
  if (current?.kind === 'player' && current.lifecycleDueAt === due) evaluateLifecycle(draft, current, lifecycle);
}
