import type { Json, JsonObject } from '../../core/kernel/text/json.ts';
import { LIMITS } from '../../core/kernel/limits.ts';
import type { Subject } from '../decision/targeting.ts';
import { compileCondition, type ConditionOptions } from './compile-condition.ts';
import { below } from './check/faults.ts';
import { subjectField } from './fields.ts';
import { isObject } from './values.ts';

/** One member of a condition, and whether it holds. */
export interface ExplainedTest {
  /** JSON Pointer into the condition. */
  path: string;
  /** The field, or `$and`, `$or`, `$nor` or `$not`. */
  name: string;
  holds: boolean;
  /** The field's value; absent for logical operators, and if the value is too long to show. */
  value?: Json;
}

/**
 * Evaluates every member of a condition by itself, the members of nested conditions too, in the order of the condition.
 * It shows at most `LIMITS.explainedTests`. Each field is compiled and evaluated once: people look at one player.
 */
export function explainCondition(
  conditions: JsonObject,
  subject: Subject,
  options: ConditionOptions = {},
): { holds: boolean; tests: ExplainedTest[] } {
  const tests: ExplainedTest[] = [];
  return { holds: group(conditions, ''), tests };

  function group(members: JsonObject, path: string): boolean {
    return Object.entries(members).reduce((all, [name, operand]) => member(name, operand, path) && all, true);
  }

  function member(name: string, operand: Json, path: string): boolean {
    const at = below(path, name);
    const test: ExplainedTest = { path: at, name, holds: false, ...valueOf(name, operand) };
    if (tests.length < LIMITS.explainedTests) tests.push(test);
    test.holds = name.startsWith('$') ? logical(name, operand, at) : field(name, operand);
    return test.holds;
  }

  function logical(name: string, operand: Json, at: string): boolean {
    if (name === '$not') return isObject(operand) && !group(operand, at);
    if (!Array.isArray(operand)) return false;
    const held = operand.map((item, place) => isObject(item) && group(item, below(at, place)));
    switch (name) {
      case '$and':
        return held.every(Boolean);
      case '$or':
        return held.length === 0 || held.some(Boolean);
      case '$nor':
        return held.length > 0 && !held.some(Boolean);
      default:
        return false;
    }
  }

  function field(name: string, operand: Json): boolean {
    // The name may be `__proto__`.
    const compiled = compileCondition(Object.fromEntries([[name, operand]]), options);
    return compiled.kind === 'compiled' && compiled.condition.matches(subject);
  }

  function valueOf(name: string, operand: Json): { value?: Json } {
    if (name.startsWith('$')) return {};
    const found = subjectField(name, operand, options);
    if ('fault' in found) return {};
    const value = found.read(subject);
    return JSON.stringify(value).length > LIMITS.explainedValueLength ? {} : { value };
  }
}
