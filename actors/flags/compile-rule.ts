import type { FieldFault } from '../../src/kernel/errors.ts';
import type { FlagRule } from '../vocabulary/documents.ts';
import { compileCondition } from '../conditions/compile-condition.ts';
import type { ComputedLookup, Condition, Subject } from '../targeting.ts';

/** A compiled targeting rule. */
export interface CompiledRule {
  rule: FlagRule;
  /** Whether schedule, segment and condition include the player. Ignores the percentage. */
  isFor: (subject: Subject) => boolean;
  /** The percentage as a share of 1. The rule includes players whose hash is below it. */
  share: number;
}

/**
 * Compiles a flag's rules and sorts them by ascending priority; equal priorities keep their order. Paths are as on the
 * wire.
 * @returns `refusals`: why a new definition must not have these conditions
 */
export function compileRules(
  rules: readonly FlagRule[],
  onOverBudget?: () => void,
  computed?: ComputedLookup,
): { rules: CompiledRule[]; faults: FieldFault[]; refusals: FieldFault[] } {
  const faults: FieldFault[] = [];
  const refusals: FieldFault[] = [];
  const atRule = (index: number, { path, message }: FieldFault): FieldFault => ({
    path: `/targeting_rules/${index}/conditions${path}`,
    message,
  });
  const compiled: CompiledRule[] = [];
  for (const [index, rule] of rules.entries()) {
    const condition = conditionOf(rule, onOverBudget, computed);
    if (condition?.kind === 'invalid') {
      faults.push(...condition.faults.map((fault) => atRule(index, fault)));
    } else {
      refusals.push(...(condition?.refusals ?? []).map((fault) => atRule(index, fault)));
      compiled.push({ rule, isFor: audienceOf(rule, condition?.condition), share: rule.percentage / 100 });
    }
  }
  // Array.sort is stable.
  return { rules: compiled.sort((one, other) => one.rule.priority - other.rule.priority), faults, refusals };
}

function conditionOf(
  { conditions }: FlagRule,
  onOverBudget: (() => void) | undefined,
  computed: ComputedLookup | undefined,
) {
  return conditions === undefined ? undefined : compileCondition(conditions, { context: true, computed, onOverBudget });
}

/** Cheap tests first: most rules fail on schedule or segment. */
function audienceOf({ segmentId, startAt, endAt }: FlagRule, condition: Condition | undefined) {
  const startsAt = startAt ?? Number.NEGATIVE_INFINITY;
  const endsAt = endAt ?? Number.POSITIVE_INFINITY;
  return (subject: Subject): boolean =>
    subject.nowMs >= startsAt &&
    subject.nowMs < endsAt &&
    (segmentId === null || isMember(subject, segmentId)) &&
    (condition === undefined || condition.matches(subject));
}

/**
 * Reads the membership from the player's state; the segment's condition is not evaluated again. A binary search, as
 * memberships are sorted by id: a player may have hundreds, and many flags read them.
 */
function isMember(subject: Subject, segmentId: string): boolean {
  if (subject.isMember !== undefined) return subject.isMember(segmentId);
  const { segments } = subject.player;
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
