import type { FieldFault } from '../../../core/kernel/errors.ts';
import type { FlagRule } from '../../../core/vocabulary/documents/documents.ts';
import { compileCondition } from '../../conditions/compile-condition.ts';
import type { ExplainedTest } from '../../conditions/explain-condition.ts';
import type { RuleOutcome } from './explained-steps.ts';
import { BUCKETS, bucketsIn } from './hash.ts';
import { isMember } from '../../segments/is-member.ts';
import type { ComputedLookup, Condition, Subject } from '../../decision/targeting.ts';

/** A compiled targeting rule. */
export interface CompiledRule {
  rule: FlagRule;
  /** Place in the definition, from 0. */
  index: number;
  /** The player must pass all. The first that fails says why the rule does not include the player. */
  checks: readonly Check[];
  /** Whether the rule is for the player, whatever its percentage. */
  isFor: (subject: Subject) => boolean;
  /** The parts of its condition; none without one. */
  explain: (subject: Subject) => ExplainedTest[];
}

interface Check {
  failure: Exclude<RuleOutcome, 'served' | 'not_reached'>;
  passes(subject: Subject): boolean;
}

/**
 * Compiles a flag's rules and sorts them by ascending priority; equal priorities keep their order. Paths are as on the
 * wire.
 * @param bucketOf the player's bucket, by which percentages include players
 * @returns `refusals`: why a new definition must not have these conditions
 */
export function compileRules(
  rules: readonly FlagRule[],
  bucketOf: (playerId: string) => number,
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
      const explain: CompiledRule['explain'] = (subject) => condition?.explain(subject).tests ?? [];
      const checks = checksOf(rule, condition?.condition, bucketOf);
      const audience = checks.filter(({ failure }) => failure !== 'outside_percentage');
      const isFor: CompiledRule['isFor'] = (subject) => audience.every((check) => check.passes(subject));
      compiled.push({ rule, index, checks, isFor, explain });
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
function checksOf(
  { segmentId, startAt, endAt, percentage }: FlagRule,
  condition: Condition | undefined,
  bucketOf: (playerId: string) => number,
): Check[] {
  const checks: Check[] = [];
  if (startAt !== null) checks.push({ failure: 'outside_schedule', passes: ({ nowMs }) => nowMs >= startAt });
  if (endAt !== null) checks.push({ failure: 'outside_schedule', passes: ({ nowMs }) => nowMs < endAt });
  if (segmentId !== null) {
    checks.push({ failure: 'not_in_segment', passes: (subject) => isMember(subject, segmentId) });
  }
  if (condition !== undefined) {
    checks.push({ failure: 'conditions_not_met', passes: (subject) => condition.matches(subject) });
  }
  const buckets = bucketsIn(percentage);
  if (buckets < BUCKETS) {
    checks.push({ failure: 'outside_percentage', passes: ({ player }) => bucketOf(player.id) < buckets });
  }
  return checks;
}
