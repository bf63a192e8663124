import type { DomainFact } from './facts.ts';
import { lifecycleDue, lifecycleDueAt } from './player/lifecycle.ts';
import type { EntityState } from './state.ts';

/**
 * When the entity changes next by itself, epoch milliseconds; `null`: never. A pure function of state: the due-time index
 * of the store holds exactly this for every entity.
 */
export function dueAt(state: EntityState): number | null {
  return state.kind === 'player' ? lifecycleDueAt(state) : null;
}

/** What happens to an entity whose due time has come, however late; none when the state has moved on meanwhile. */
export function decideDue(state: EntityState, nowMs: number): DomainFact[] {
  const due = dueAt(state);
  if (due === null || due > nowMs || state.kind !== 'player') return [];
  return lifecycleDue(state, due);
}
