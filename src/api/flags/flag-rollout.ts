import type { RuleName, ScheduledWork } from '../../../core/vocabulary/schedules.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';
import { digestOf } from '../definitions/schedule/scheduled-kind.ts';

/*
 * Steps of a roll-out: the percentage of one rule rises with time.
 *
 * Invariant: a step never lowers a percentage, so it moves no player who is in the rule, and the flag's period goes on.
 */

type Step = Extract<ScheduledWork, { kind: 'step' }>;

/** A rule as callers see it. */
interface ShownRule {
  rule: JsonObject;
  name: string;
  percentage: number;
  /** Of all that decides who is in the rule, besides the percentage. */
  digest: string;
}

function rulesIn(wire: JsonObject): ShownRule[] {
  const rules: Json = wire['targeting_rules'] ?? [];
  return (Array.isArray(rules) ? rules : []).flatMap((rule) => {
    if (!isObject(rule)) return [];
    const { percentage, name, ...rest } = rule;
    const shown = { rule, name: typeof name === 'string' ? name : '', digest: digestOf(rest) };
    return [{ ...shown, percentage: typeof percentage === 'number' ? percentage : 100 }];
  });
}

/** The rule at a place, counted from 1. */
export function ruleAt(wire: JsonObject, place: number): (RuleName & { percentage: number }) | undefined {
  const found = rulesIn(wire)[place - 1];
  return found && { name: found.name, digest: found.digest, percentage: found.percentage };
}

/** The flag with the percentage of a step, or why it is not taken. */
export function stepped(
  wire: JsonObject,
  { rule: named, percentage }: Step,
): { kind: 'stepped'; wire: JsonObject } | { kind: 'skipped'; why: string } | Failure {
  const rules = rulesIn(wire);
  const found = sought(rules, named);
  if (found === undefined) return NO_RULE;
  if (found.percentage >= percentage) return { kind: 'skipped', why: notLower(found.percentage, percentage) };
  const changed = rules.map((each) => (each === found ? { ...each.rule, percentage } : each.rule));
  return { kind: 'stepped', wire: { ...wire, targeting_rules: changed } };
}

/** The only rule that says the same, or else the only one with the name. */
function sought(rules: readonly ShownRule[], { name, digest }: RuleName): ShownRule | undefined {
  const named = rules.filter((rule) => rule.name === name);
  const same = named.filter((rule) => rule.digest === digest);
  if (same.length > 0) return same.length === 1 ? same[0] : undefined;
  return name !== '' && named.length === 1 ? named[0] : undefined;
}

const notLower = (now: number, step: number): string =>
  now === step
    ? `The rule has ${now} % already.`
    : `The rule has ${now} % by now, and a step of a roll-out never lowers it, here to ${step} %.`;

const NO_RULE = failure(
  'CONFLICT',
  'The rule of the roll-out is not there any more, or two rules are like it. Plan the remaining steps again.',
);
