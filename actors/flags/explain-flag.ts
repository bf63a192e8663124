import type { JsonText } from '../../src/kernel/json.ts';
import { explainCondition, type ExplainedTest } from '../conditions/explain-condition.ts';
import type { ComputedLookup, Flag, Subject, Targeting } from '../targeting.ts';
import type { FlagDocument, FlagRule } from '../vocabulary/documents.ts';
import type { FlagReason } from '../vocabulary/flag-reason.ts';
import { seededHash } from './hash.ts';
import { sameJson } from './same-json.ts';

/** One step of an evaluation, in the order of `compileFlag`. A step that decides is the last one that ran. */
export type FlagStep =
  | { step: 'enabled'; passed: boolean }
  | {
      step: 'prerequisite';
      flagKey: string;
      required: JsonText;
      /** What the other flag serves; `null`: there is no such flag. */
      served: JsonText | null;
      reason: FlagReason | null;
      passed: boolean;
    }
  | { step: 'override'; value: JsonText | null }
  | ({ step: 'rule' } & ExplainedRule)
  | { step: 'variant'; bucket: number; variantKey: string | null }
  | { step: 'default'; value: JsonText };

/** Why a rule does not include the player, or that it does. `not_reached`: an earlier step decided. */
export type RuleOutcome =
  | 'served'
  | 'outside_schedule'
  | 'not_in_segment'
  | 'conditions_not_met'
  | 'outside_percentage'
  | 'not_reached';

export interface ExplainedRule {
  /** Place in the definition, from 0. Rules run by priority. */
  index: number;
  name: string;
  outcome: RuleOutcome;
  segmentId: string | null;
  percentage: number;
  /** The player's place from 0 to below 100; the rule includes it below its percentage. */
  bucket: number;
  tests: ExplainedTest[];
}

/**
 * Explains what `flag.evaluate` does for the subject. It changes nothing and records nothing.
 * @param computed as in `compileFlag`
 */
export function explainFlag(flag: Flag, subject: Subject, targeting: Targeting, computed?: ComputedLookup): FlagStep[] {
  const { document } = flag;
  const steps: FlagStep[] = [{ step: 'enabled', passed: document.enabled }];
  if (!document.enabled) return steps;
  for (const prerequisite of document.prerequisites) {
    const step = prerequisiteStep(document.key, prerequisite, subject, targeting);
    steps.push(step);
    if (!step.passed) return steps;
  }
  const override = subject.player.overrides.find(({ flagKey }) => flagKey === document.key);
  steps.push({ step: 'override', value: override?.value ?? null });
  const rules = ruleSteps(document, subject, override !== undefined, computed);
  steps.push(...rules);
  if (override !== undefined) return steps;
  const decided = rules.find(({ outcome }) => outcome === 'served');
  if (decided === undefined) return [...steps, { step: 'default', value: JSON.stringify(document.defaultValue) }];
  if (document.variants.length > 0 && document.rules[decided.index]?.value === true) {
    const { variantKey } = flag.evaluate(subject, targeting);
    steps.push({ step: 'variant', bucket: percent(`${document.salt}:variant`, subject), variantKey });
  }
  return steps;
}

function prerequisiteStep(
  key: string,
  { flagKey, value }: FlagDocument['prerequisites'][number],
  subject: Subject,
  targeting: Targeting,
): FlagStep & { step: 'prerequisite' } {
  // The flag itself is open, so that a cycle is unmet.
  const found = targeting.flags.get(flagKey)?.evaluate(subject, targeting, new Map([[key, 'open']]));
  const required = JSON.stringify(value);
  return {
    step: 'prerequisite',
    flagKey,
    required,
    served: found?.value ?? null,
    reason: found?.reason ?? null,
    passed: found !== undefined && found.reason !== 'flag_disabled' && sameJson(found.value, required),
  };
}

function ruleSteps(
  document: FlagDocument,
  subject: Subject,
  isDecided: boolean,
  computed: ComputedLookup | undefined,
): (FlagStep & { step: 'rule' })[] {
  const bucket = percent(document.salt, subject);
  let decided = isDecided;
  return document.rules
    .map((rule, index) => ({ rule, index }))
    .toSorted((one, other) => one.rule.priority - other.rule.priority)
    .map(({ rule, index }) => {
      const { holds, tests } = explainCondition(rule.conditions ?? {}, subject, { context: true, computed });
      const outcome = decided ? 'not_reached' : outcomeOf(rule, subject, holds, bucket);
      decided ||= outcome === 'served';
      const { name, segmentId, percentage } = rule;
      return { step: 'rule', index, name, outcome, segmentId, percentage, bucket, tests };
    });
}

function outcomeOf(
  { startAt, endAt, segmentId, percentage }: FlagRule,
  { nowMs, player }: Subject,
  isMet: boolean,
  bucket: number,
): RuleOutcome {
  if (nowMs < (startAt ?? Number.NEGATIVE_INFINITY)) return 'outside_schedule';
  if (nowMs >= (endAt ?? Number.POSITIVE_INFINITY)) return 'outside_schedule';
  if (segmentId !== null && !player.segments.some((membership) => membership.segmentId === segmentId)) {
    return 'not_in_segment';
  }
  if (!isMet) return 'conditions_not_met';
  return percentage < 100 && bucket >= percentage ? 'outside_percentage' : 'served';
}

/** Buckets are steps of 0.01 %. */
function percent(seed: string, { player }: Subject): number {
  return Math.round(seededHash(seed)(player.id) * 10_000) / 100;
}
