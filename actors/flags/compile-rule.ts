import type { FieldFault } from '../../src/kernel/errors.ts';
import type { FlagRule } from '../vocabulary/documents.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import type { Condition, Subject } from '../targeting.ts';

/** A targeting rule, ready to be asked. */
export interface CompiledRule {
  rule: FlagRule;
  /** Whether the rule is in force and for this player, its percentage aside. */
  isFor: (subject: Subject) => boolean;
  /** Whoever's place in the flag's roll-out is below it is in: the percentage as a share of 1. */
  share: number;
}

/**
 * The flag's rules in the order of evaluation: by ascending priority, then as they stand. Paths as on the wire.
 * @returns `excesses`: conditions too expensive for a new definition
 */
export function compileRules(
  rules: readonly FlagRule[],
  onOverBudget?: () => void,
): { rules: CompiledRule[]; faults: FieldFault[]; excesses: FieldFault[] } {
  const faults: FieldFault[] = [];
  const excesses: FieldFault[] = [];
  const atRule = (index: number, { path, message }: FieldFault): FieldFault => ({
    path: `/targeting_rules/${index}/conditions${path}`,
    message,
  });
  const compiled: CompiledRule[] = [];
  for (const [index, rule] of rules.entries()) {
    const condition = conditionOf(rule, onOverBudget);
    if (condition?.kind === 'invalid') {
      faults.push(...condition.faults.map((fault) => atRule(index, fault)));
    } else {
      if (condition?.excess !== undefined) excesses.push(atRule(index, condition.excess));
      compiled.push({ rule, isFor: audienceOf(rule, condition?.condition), share: rule.percentage / 100 });
    }
  }
  // Sorting keeps the order of equal ones.
  return { rules: compiled.sort((one, other) => one.rule.priority - other.rule.priority), faults, excesses };
}

function conditionOf({ conditions }: FlagRule, onOverBudget: (() => void) | undefined) {
  return conditions === undefined ? undefined : compileCondition(conditions, { context: true, onOverBudget });
}

/** The cheap questions first: most rules fail on schedule or segment. */
function audienceOf({ segmentId, startAt, endAt }: FlagRule, condition: Condition | undefined) {
  const startsAt = startAt ?? Number.NEGATIVE_INFINITY;
  const endsAt = endAt ?? Number.POSITIVE_INFINITY;
  return (subject: Subject): boolean =>
    subject.nowMs >= startsAt &&
    subject.nowMs < endsAt &&
    (segmentId === null || isMember(subject.player, segmentId)) &&
    (condition === undefined || condition.matches(subject));
}

/**
 * Membership as it stands in the player's state; the segment's own condition is not asked again. Halves what is left, as
 * memberships are in order of their ids: a player may be in hundreds, and each of many flags asks.
 */
function isMember({ segments }: PlayerState, segmentId: string): boolean {
  let from = 0;
  let to = segments.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const id = segments[middle]?.segmentId ?? '';
    if (id === segmentId) return true;
    if (id < segmentId) from = middle + 1;
    else to = middle;
  }
  return false;
}
