import { LIMITS } from '../src/kernel/limits.ts';
import type { Environment } from './commands.ts';
import type { Draft } from './decision.ts';
import { lifecycleDue, lifecycleDueAt } from './player/lifecycle.ts';
import type { SegmentSet } from './segments/segment-set.ts';
import { settleSegments } from './segments/settle-segments.ts';
import type { EntityState } from './state.ts';

/**
 * When the entity changes next by itself, epoch milliseconds; `null`: never. A pure function of state: the due-time index
 * of the store holds exactly this for every entity.
 */
export function dueAt(state: EntityState): number | null {
  if (state.kind !== 'player') return null;
  const lifecycleAt = lifecycleDueAt(state);
  const segmentsAt = state.segmentsDueAt;
  if (segmentsAt === 0) return lifecycleAt;
  return lifecycleAt === null ? segmentsAt : Math.min(lifecycleAt, segmentsAt);
}

/**
 * Emits what happens to an entity whose due time has come, however late: change by change, as each would have come in time
 * (up to a bound; what is left stays due). Nothing when the state has moved on meanwhile. Segments are looked at as of the
 * due time, but never as of a time before the player was last seen, which its counters are ahead of.
 */
export function decideDue(
  draft: Draft,
  entityId: string,
  nowMs: number,
  segmentsOf: (game: string, environment: Environment) => SegmentSet,
): void {
  for (let step = 0; step < LIMITS.dueSteps; step++) {
    const state = draft.get(entityId);
    if (state?.kind !== 'player') return;
    const due = dueAt(state);
    if (due === null || due > nowMs) return;
    if (lifecycleDueAt(state) === due) for (const fact of lifecycleDue(state, due)) draft.emit(fact);
    const changed = draft.get(entityId);
    if (changed?.kind !== 'player') return;
    const set = segmentsOf(state.game, state.environment);
    for (const fact of settleSegments(changed, set, 'all', Math.max(due, state.lastSeenAt))) draft.emit(fact);
  }
}
