import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import type { PropertySpec } from '../../core/vocabulary/documents/computed.ts';

/** The parts of `{"events": {"name", "where", "within_days", "count"}}`. */
export interface EventCount {
  spec: PropertySpec;
  /** The condition on the number of events. */
  count: Json;
}

/** `at`: the member with the fault. */
export interface EventCountFault {
  fault: string;
  at?: string;
}

/** Reads the operand of `events`. The filter itself is not compiled. */
export function eventCountOf(operand: Json): EventCount | EventCountFault {
  if (!isObject(operand)) return { fault: FORM };
  const unknown = Object.keys(operand).find((key) => !KEYS.has(key));
  if (unknown !== undefined) return { fault: FORM, at: unknown };
  const { name, where, within_days: days = null, count } = operand;
  if (typeof name !== 'string' || name === '' || name.length > TEXT_LIMITS.nameLength) {
    return { fault: `must be the name of an event, 1 to ${TEXT_LIMITS.nameLength} characters`, at: 'name' };
  }
  if (where !== undefined && !isObject(where)) {
    return { fault: 'must be a condition on `properties.<path>` of the event', at: 'where' };
  }
  if (days !== null && !isWindow(days)) {
    return {
      fault: `must be a whole number of days from 1 to ${CONDITION_LIMITS.computedDays}; leave it out for ever`,
      at: DAYS,
    };
  }
  if (count === undefined) return { fault: 'is required: a number, or operators such as {"$gte": 2}', at: 'count' };
  return { spec: { event: name, ...filterOf(where), aggregate: 'count', days: days ?? 0 }, count };
}

const DAYS = 'within_days';
const KEYS: ReadonlySet<string> = new Set(['name', 'where', DAYS, 'count']);
const FORM = 'must be {"name": …, "where": {…}, "within_days": …, "count": …}; `where` and `within_days` are optional';

/** An empty filter says as much as none. */
function filterOf(where: JsonObject | undefined): { where?: JsonObject } {
  return where === undefined || Object.keys(where).length === 0 ? {} : { where };
}

/** Whether a number is a valid window in days. */
function isWindow(days: Json): days is number {
  return typeof days === 'number' && Number.isInteger(days) && days >= 1 && days <= CONDITION_LIMITS.computedDays;
}
