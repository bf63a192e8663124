import type { Json } from '../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from './limits.ts';
import type { Condition, Subject } from '../decision/targeting.ts';
import { withinBudget } from './steps.ts';

/** One member of a condition, and whether it holds. */
export interface ExplainedTest {
  /** JSON Pointer into the condition. */
  path: string;
  /** The field, or the member beginning with `$`. */
  name: string;
  holds: boolean;
  /** What was read; absent for logical operators, and if it is too long to show. */
  value?: Json;
}

export interface ConditionExplanation {
  holds: boolean;
  tests: ExplainedTest[];
}

/** A member of a condition as compiled, those of nested conditions too: one of the tests that `matches` consists of. */
export interface Part<Source> {
  path: string;
  name: string;
  test: (source: Source) => boolean;
  /** Reads the field's value. */
  read?: (source: Source) => Json;
}

/**
 * Explains a condition by its compiled parts, in the order of the condition. Each has the budget of a condition.
 * @param parts at most `explainedTests`
 */
export function explainedBy(
  condition: Condition,
  parts: readonly Part<Subject>[],
): (subject: Subject) => ConditionExplanation {
  return (subject) => ({
    holds: condition.matches(subject),
    tests: parts.map(({ path, name, test, read }) => {
      const holds = withinBudget([test], PART_COST, () => {})(subject);
      const value = read?.(subject);
      const isShown = value !== undefined && JSON.stringify(value).length <= CONDITION_LIMITS.explainedValueLength;
      return { path, name, holds, ...(isShown ? { value } : {}) };
    }),
  });
}

/** `matches` paid for the plain tests. */
const PART_COST = { plain: 0, counts: 0, isExpensive: true };
