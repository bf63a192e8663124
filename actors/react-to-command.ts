import type { SegmentSet } from './decision/definitions.ts';
import { COUNTER_LIMITS } from './computed/limits.ts';
import { IMPORT_STATE_LIMITS } from './import/limits.ts';
import { hasStepsForPlayer, nextPlayer } from './conditions/steps.ts';
import type { Draft } from './decision/decision.ts';
import { FACTS, type FactsByKind } from './kinds.ts';
import type { DomainFact } from '../core/vocabulary/facts/facts.ts';
import type { PlayerState } from '../core/vocabulary/state/state.ts';
import { updateLater, updateSegments, type SegmentScope } from './segments/update-segments.ts';

/**
 * Updates the segments of the players that a command's facts changed. The facts go into the same draft, so state and
 * memberships commit together.
 * @param since the index of the command's first fact in the draft
 * @param nowMs the time the command was received, epoch milliseconds
 */
export function reactToCommand(draft: Draft, since: number, set: SegmentSet, nowMs: number): void {
  const { facts: emitted } = draft;
  const until = emitted.length;
  if (since === until || set.all.length === 0) return;
  const first = emitted[since];
  if (until - since === 1 && first !== undefined) {
    updatePlayer(first.entityId, scopeAfter(first, set));
    return;
  }
  const scopes = new Map<string, SegmentScope>();
  for (const fact of emitted.slice(since)) {
    scopes.set(fact.entityId, union(set, scopes.get(fact.entityId) ?? NO_SEGMENTS, scopeAfter(fact, set)));
  }
  for (const [entityId, scope] of scopes) updatePlayer(entityId, scope);

  function updatePlayer(entityId: string, scope: SegmentScope): void {
    const state = draft.get(entityId);
    if (state?.kind !== 'player') return;
    const isDue = state.segmentsDueAt !== 0 && state.segmentsDueAt <= nowMs;
    const all = mayHaveForgotten(state, until - since);
    if (scope.length === 0 && !isDue && !all) return;
    const isTooMuch = emitted.length - until >= IMPORT_STATE_LIMITS.segmentFactsPerCommand || !hasStepsForPlayer();
    nextPlayer();
    const facts = isTooMuch
      ? updateLater(state, nowMs)
      : updateSegments(state, set, all ? 'all' : scope, nowMs, draft.limits);
    for (const fact of facts) draft.emit(fact);
  }
}

/** At the limit of counters, an event with a new name removes the counter of another. */
function mayHaveForgotten({ counters }: PlayerState, facts: number): boolean {
  if (counters.length < COUNTER_LIMITS.countedNames) return false;
  const newest = counters[0]?.counts;
  return facts > 1 || (newest?.length === 1 && newest[0] === 1);
}

const NO_SEGMENTS: SegmentScope = [];

/** The segments whose conditions the fact may change. */
function scopeAfter(fact: DomainFact, set: SegmentSet): SegmentScope {
  return scopeOfKind(fact.kind, fact, set);
}

function scopeOfKind<K extends keyof FactsByKind>(kind: K, fact: FactsByKind[K], set: SegmentSet): SegmentScope {
  return FACTS[kind].segments(fact, set);
}

function union(set: SegmentSet, one: SegmentScope, other: SegmentScope): SegmentScope {
  if (one === 'all' || other === 'all') return 'all';
  if (one === other || other.length === 0) return one;
  if (one.length === 0) return other;
  const both = new Set([...one, ...other]);
  return set.all.filter((segment) => both.has(segment));
}
