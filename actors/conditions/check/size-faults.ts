import type { FieldFault } from '../../../core/kernel/errors.ts';
import { below, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from '../limits.ts';

/** Ledgers hold the filters of all properties of a game, and one record may begin them all. */
export function lengthFault(where: JsonObject): FieldFault | undefined {
  const { length } = JSON.stringify(where);
  if (length <= CONDITION_LIMITS.filterChars) return undefined;
  const message = `has ${length} characters as JSON; the maximum for a filter of events is ${CONDITION_LIMITS.filterChars}`;
  return { path: '', message };
}

/** Checks depth and number of values before anything else walks the definition. */
export function sizeFault(conditions: JsonObject): FieldFault | undefined {
  let left: number = CONDITION_LIMITS.conditionValues;
  const visit = (value: Json, path: string, depth: number): FieldFault | undefined => {
    if (--left < 0)
      return { path: '', message: `has too many values; the maximum is ${CONDITION_LIMITS.conditionValues}` };
    if (typeof value !== 'object' || value === null) return undefined;
    if (depth === CONDITION_LIMITS.conditionDepth) {
      return { path, message: `is nested too deep; the maximum is ${CONDITION_LIMITS.conditionDepth} levels` };
    }
    for (const [name, inner] of Object.entries(value)) {
      const fault = visit(inner, below(path, name), depth + 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
  return visit(conditions, '', 0);
}
