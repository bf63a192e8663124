import { isDeepStrictEqual } from 'node:util';
import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { DIFFERENCE_LIMITS } from './limits.ts';
import { inQuotes, label, shownValue } from './shown-value.ts';

/** How the fields of an object are named: as they are in data of people and lists by name, otherwise as labels. */
export type Naming = 'data' | 'names' | 'labels';

/** The differences of two values: inside of objects field by field, in lists of single values item by item. */
export function inValue(name: string, before: Json, after: Json, naming: Naming, depth = 0): string[] {
  if (isDeepStrictEqual(before, after) || (isNothing(before) && isNothing(after))) return [];
  if (isObject(before) && isObject(after) && depth < DIFFERENCE_LIMITS.depth) {
    const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return fields.flatMap((field) => {
      const place = `${name}, ${named(field, naming)}`;
      return inValue(place, before[field] ?? null, after[field] ?? null, namingOf(field, naming), depth + 1);
    });
  }
  if (areSingle(before) && areSingle(after)) return inList(name, before, after);
  if (areKeyed(before) && areKeyed(after)) return inValue(name, byKey(before), byKey(after), 'data', depth);
  if (areIdentified(before) && areIdentified(after)) {
    const lines = inValue(name, byId(before), byId(after), naming, depth);
    return lines.length === 0 ? [`${name}: another order`] : lines;
  }
  return [`${name}: ${whole(name, before, naming)} → ${whole(name, after, naming)}`];
}

/** Fields with data of people. */
const DATA: ReadonlySet<string> = new Set([
  'conditions',
  'where',
  'filters',
  'schema',
  'query',
  'value',
  'defaultValue',
  'data',
]);
/** Fields with an object whose keys are names that people gave. */
const BY_NAME: ReadonlySet<string> = new Set(['locales', 'buttonLabels', 'buttons']);

/** How what is in a field is named. @param around the naming of the object that it is in */
export function namingOf(field: string, around: Naming): Naming {
  if (around === 'data' || DATA.has(field)) return 'data';
  return around === 'labels' && BY_NAME.has(field) ? 'names' : 'labels';
}

const named = (field: string, naming: Naming): string => (naming === 'labels' ? label(field).toLowerCase() : field);

/** A value that was not there, or is gone. */
export function whole(name: string, value: Json, naming: Naming): string {
  if (naming === 'labels' && isNothing(value)) return shownValue(name, null);
  if (areKeyed(value) && value.length > 0)
    return value.map(({ key, weight }) => `${inQuotes(key)} ${weight}`).join(', ');
  if (naming === 'data' || !isObject(value)) return shownValue(name, value);
  const fields = Object.entries(value).filter(([, one]) => one !== null);
  return fields
    .map(([field, one]) => `${named(field, naming)} ${whole(`${name}, ${field}`, one, namingOf(field, naming))}`)
    .join(', ');
}

function inList(name: string, before: readonly Json[], after: readonly Json[]): string[] {
  // Lists of ids in conditions have thousands.
  const [earlier, now] = [new Set(before), new Set(after)];
  const added = after.filter((one) => !earlier.has(one));
  const removed = before.filter((one) => !now.has(one));
  if (added.length + removed.length === 0) return [`${name}: another order`];
  const parts = [
    ...(added.length === 0 ? [] : [`added ${few(added)}`]),
    ...(removed.length === 0 ? [] : [`removed ${few(removed)}`]),
  ];
  return [`${name}: ${parts.join('; ')}`];
}

/** The names of an object whose values are never shown, such as headers. */
export function inNames(name: string, before: Json, after: Json): string[] {
  const [left, right] = [isObject(before) ? before : {}, isObject(after) ? after : {}];
  const changed = Object.keys(right).filter((one) => Object.hasOwn(left, one) && left[one] !== right[one]);
  const names = Object.keys(left).join('\n') === Object.keys(right).join('\n');
  const others = changed.length === 0 ? [] : [`${name}: another value of ${few(changed)}`];
  return [...(names ? [] : inList(name, Object.keys(left), Object.keys(right))), ...others];
}

function few(items: readonly Json[]): string {
  const shown = items.slice(0, DIFFERENCE_LIMITS.items).map(inQuotes);
  const more = items.length - shown.length;
  return `${shown.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}

/** What stands for an absent value. */
const isNothing = (value: Json): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);

const areSingle = (value: Json): value is Json[] =>
  Array.isArray(value) && value.every((one) => typeof one !== 'object' || one === null);

/** Weights by the key of a variant. */
const areKeyed = (value: Json): value is { key: string; weight: number }[] =>
  Array.isArray(value) && value.every((one) => isObject(one) && Object.keys(one).sort().join() === 'key,weight');

/** Items with an id, such as buttons. */
const areIdentified = (value: Json): value is { id: string; [field: string]: Json }[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && typeof one['id'] === 'string');

const byId = (list: readonly { id: string; [field: string]: Json }[]): JsonObject =>
  Object.fromEntries(list.map(({ id, ...others }) => [id, others]));

const byKey = (list: readonly { key: string; weight: number }[]): JsonObject =>
  Object.fromEntries(list.map(({ key, weight }) => [key, weight]));
