import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json } from '../../core/kernel/text/json.ts';
import { DIFFERENCE_LIMITS } from './limits.ts';
import { inQuotes, shownValue } from './shown-value.ts';

/** The differences of two values: inside of objects field by field, in lists of single values item by item. */
export function inValue(name: string, before: Json, after: Json, depth = 0): string[] {
  if (isDeepStrictEqual(before, after) || (isNothing(before) && isNothing(after))) return [];
  const [left, right] = [playersOf(before), playersOf(after)];
  if (left !== undefined || right !== undefined) return [`${name}: ${left ?? 0} → ${right ?? 0} players`];
  if (isObject(before) && isObject(after) && depth < DIFFERENCE_LIMITS.depth) {
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return fields.flatMap((field) =>
      inValue(`${name}, ${field}`, before[field] ?? null, after[field] ?? null, depth + 1),
    );
  }
  if (areSingle(before) && areSingle(after)) return inList(name, before, after);
  return [`${name}: ${shownValue(name, before)} → ${shownValue(name, after)}`];
}

function inList(name: string, before: readonly Json[], after: readonly Json[]): string[] {
  // Lists of ids in conditions have thousands.
  const [earlier, now] = [new Set(before), new Set(after)];
  const added = after.filter((one) => !earlier.has(one)).map(inQuotes);
  const removed = before.filter((one) => !now.has(one)).map(inQuotes);
  if (added.length + removed.length === 0) return [`${name}: another order`];
  const parts = [
    ...(added.length === 0 ? [] : [`added ${few(added)}`]),
    ...(removed.length === 0 ? [] : [`removed ${few(removed)}`]),
  ];
  return [`${name}: ${parts.join('; ')}`];
}

function few(items: readonly string[]): string {
  const shown = items.slice(0, DIFFERENCE_LIMITS.items);
  const more = items.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** What stands for an absent value. */
const isNothing = (value: Json): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

const areSingle = (value: Json): value is Json[] =>
  Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null);

/** The history has only the number of the players that a segment names. */
function playersOf(value: Json): number | undefined {
  if (!isObject(value)) return undefined;
  const { players, ...rest } = value;
  return typeof players === 'number' && Object.keys(rest).length === 0 ? players : undefined;
}
