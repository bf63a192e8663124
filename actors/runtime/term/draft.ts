import { PLAYER_LIMITS } from '../../decision/limits.ts';
import type { Draft, PlayerLimits, Tallied } from '../../decision/decision.ts';
import { evolve } from '../../evolve.ts';
import { encodeFacts } from '../../../core/codec/codec.ts';
import type { DomainFact } from '../../../core/vocabulary/facts/facts.ts';
import type { Attribution } from '../../../core/vocabulary/facts/flag-facts.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';

/** A draft with the parts that a commit needs beyond those that `decide` uses. */
export interface CommitDraft extends Draft {
  /** Encodes what was emitted since the previous call. @returns bytes of all facts in the record */
  encodedBytes(): number;
  /** All facts as values of the record. */
  encoded(): Uint8Array[];
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

/** Facts up to `end`, since the group before it. */
interface EncodedGroup {
  end: number;
  values: readonly Uint8Array[];
  /** Of this group and those before it. */
  totalBytes: number;
}

const NO_GROUP: EncodedGroup = { end: 0, values: [], totalBytes: 0 };

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
  const groups: EncodedGroup[] = [];
  let isBulk = false;

  function count(attribution: Attribution | Tallied, times: number): void {
    exposures.set(attribution, (exposures.get(attribution) ?? 0) + times);
  }

  function encodedBytes(): number {
    const { end, totalBytes } = groups.at(-1) ?? NO_GROUP;
    if (end === facts.length) return totalBytes;
    const values = encodeFacts(facts.slice(end));
    const group = {
      end: facts.length,
      values,
      totalBytes: values.reduce((sum, { length }) => sum + length, totalBytes),
    };
    groups.push(group);
    return group.totalBytes;
  }

  return {
    facts,
    limits,
    changed,
    exposures,
    tally: (what) => count(what, 1),
    encodedBytes,
    encoded() {
      encodedBytes();
      return groups.flatMap(({ values }) => values);
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
      if (fact.kind === 'FlagExposed') count(fact.attribution ?? 'served', 1);
    },
    savepoint() {
      // No group has facts from before and after it.
      encodedBytes();
      return facts.length;
    },
    rollback(savepoint) {
      while ((groups.at(-1)?.end ?? 0) > savepoint) groups.pop();
      while (facts.length > savepoint) {
        const fact = facts.pop();
        const step = undo.pop();
        if (fact === undefined || step === undefined) return;
        if (fact.kind === 'FlagExposed') count(fact.attribution ?? 'served', -1);
        if (step.before === undefined) changed.delete(step.entityId);
        else changed.set(step.entityId, step.before);
      }
    },
  };
}
