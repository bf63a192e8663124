import { PLAYER_LIMITS } from '../../decision/limits.ts';
import type { Draft, PlayerLimits, Tallied } from '../../decision/decision.ts';
import { evolve } from '../../evolve.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { Attribution } from '../../../core/vocabulary/facts/flag-facts.ts';
import { factChars } from '../../../core/vocabulary/state/size-estimates.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';

/** A draft with the parts that a commit needs beyond those that `decide` uses. */
export interface CommitDraft extends Draft {
  /** Rough number of characters of the facts, which bounds a record. */
  readonly chars: number;
  /** The changed states. */
  readonly changed: ReadonlyMap<string, EntityState>;
  /** Exposures by the attribution of their variant, and those without one. */
  readonly exposures: ReadonlyMap<Attribution | Tallied, number>;
  /** Runs work in bulk over players: those that are not in memory do not stay there for it. */
  inBulk<T>(action: () => T): T;
  /** A point to return to with `rollback`. */
  savepoint(): number;
  /** Undoes the facts emitted since the savepoint. */
  rollback(savepoint: number): void;
}

/**
 * The draft of one commit, on top of the committed states.
 * @param committed also gets whether work in bulk asks
 */
export function createDraft(
  committed: (entityId: string, isBulk: boolean) => EntityState | undefined,
  limits: PlayerLimits = PLAYER_LIMITS,
): CommitDraft {
  const facts: DomainFact[] = [];
  const changed = new Map<string, EntityState>();
  const undo: { entityId: string; before: EntityState | undefined }[] = [];
  const exposures = new Map<Attribution | Tallied, number>();
  let chars = 0;
  let isBulk = false;

  function count(attribution: Attribution | Tallied, times: number): void {
    exposures.set(attribution, (exposures.get(attribution) ?? 0) + times);
  }

  return {
    facts,
    limits,
    changed,
    exposures,
    tally: (what) => count(what, 1),
    get chars() {
      return chars;
    },
    get: (entityId) => changed.get(entityId) ?? committed(entityId, isBulk),
    inBulk(action) {
      isBulk = true;
      try {
        return action();
      } finally {
        isBulk = false;
      }
    },
    emit(fact) {
      const { entityId } = fact;
      const before = changed.get(entityId);
      changed.set(entityId, evolve(before ?? committed(entityId, isBulk), fact, limits));
      undo.push({ entityId, before });
      facts.push(fact);
      chars += factChars(fact);
      if (fact.kind === 'FlagExposed') count(fact.attribution ?? 'served', 1);
    },
    savepoint: () => facts.length,
    rollback(savepoint) {
      while (facts.length > savepoint) {
        const fact = facts.pop();
        const step = undo.pop();
        if (fact === undefined || step === undefined) return;
        chars -= factChars(fact);
        if (fact.kind === 'FlagExposed') count(fact.attribution ?? 'served', -1);
        if (step.before === undefined) changed.delete(step.entityId);
        else changed.set(step.entityId, step.before);
      }
    },
  };
}
