import { isDeepStrictEqual } from 'node:util';
import type { Json } from '../../../../core/kernel/text/json.ts';
import type { FilterCondition, FilterOperator } from '../../../../core/vocabulary/documents/documents.ts';

/** A value in the payload's data; `undefined` if absent. */
type Found = Json | undefined;

/** Operator → test of the found value against the operand (FILTER_OPERATORS describes each). */
const HOLDS: Readonly<Record<FilterOperator, (found: Found, operand: unknown) => boolean>> = {
  eq: (found, operand) => found !== undefined && isDeepStrictEqual(found, operand),
  ne: (found, operand) => found === undefined || !isDeepStrictEqual(found, operand),
  gt: (found, operand) => bothNumbers(found, operand, (a, b) => a > b),
  gte: (found, operand) => bothNumbers(found, operand, (a, b) => a >= b),
  lt: (found, operand) => bothNumbers(found, operand, (a, b) => a < b),
  lte: (found, operand) => bothNumbers(found, operand, (a, b) => a <= b),
  in: (found, operand) => found !== undefined && isOneOf(found, operand),
  nin: (found, operand) => found === undefined || !isOneOf(found, operand),
  contains: (found, operand) => contains(found, operand),
  exists: (found, operand) => (found !== undefined) === operand,
};

/**
 * Compiles a webhook's filters: property path → condition; all must hold. A path such as `properties.amount` selects a
 * value of the payload's data. An unknown operator never holds: ignoring the filter would send unwanted deliveries.
 */
export function compileFilters(
  filters: Readonly<Record<string, FilterCondition>>,
): ((data: Json) => boolean) | undefined {
  const checks = Object.entries(filters).flatMap(checksOf);
  return checks.length === 0 ? undefined : (data) => checks.every((check) => check(data));
}

/** The paths of a webhook's filters that do not hold for a payload's data. */
export function unmetFilters(filters: Readonly<Record<string, FilterCondition>>, data: Json): string[] {
  return Object.entries(filters).flatMap((entry) => (checksOf(entry).every((check) => check(data)) ? [] : [entry[0]]));
}

function checksOf([path, condition]: [string, FilterCondition]): ((data: Json) => boolean)[] {
  return Object.entries(condition).map(([operator, operand]) => {
    const holds = isOperator(operator) ? HOLDS[operator] : () => false;
    return (data) => holds(lookUp(data, path), operand);
  });
}

function isOperator(text: string): text is FilterOperator {
  return Object.hasOwn(HOLDS, text);
}

/**
 * Reads own properties only, so `__proto__` finds only data that was sent under this name. Names of attributes may
 * contain dots, so the rest of the path may be one key; no other splits are tried, so the work is linear.
 */
function lookUp(data: Json, path: string): Found {
  let value = data;
  let rest = path;
  for (;;) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    if (Object.hasOwn(value, rest)) return value[rest];
    const dot = rest.indexOf('.');
    const key = rest.slice(0, Math.max(dot, 0));
    if (dot < 0 || !Object.hasOwn(value, key)) return undefined;
    value = value[key] ?? null;
    rest = rest.slice(dot + 1);
  }
}

function bothNumbers(found: Found, operand: unknown, compare: (a: number, b: number) => boolean): boolean {
  return typeof found === 'number' && typeof operand === 'number' && compare(found, operand);
}

function isOneOf(found: Json, operand: unknown): boolean {
  return Array.isArray(operand) && operand.some((one) => isDeepStrictEqual(found, one));
}

function contains(found: Found, operand: unknown): boolean {
  if (typeof found === 'string') return typeof operand === 'string' && found.includes(operand);
  return Array.isArray(found) && found.some((one) => isDeepStrictEqual(one, operand));
}
