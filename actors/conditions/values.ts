import type { Json, JsonObject } from '../../src/kernel/json.ts';
import { spend } from './steps.ts';

/** A question about one value. A missing value is null. */
export type Predicate = (value: Json) => boolean;

export type Scalar = null | boolean | number | string;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isScalar(value: Json): value is Scalar {
  return typeof value !== 'object' || value === null;
}

/** Deep equality of JSON values; the order of keys means nothing. */
export function isEqual(a: Json, b: Json): boolean {
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, place) => isEqual(item, b[place] ?? null));
  }
  if (!isObject(a)) return a === b;
  if (!isObject(b)) return false;
  const keys = keysOf(a);
  return (
    keys !== undefined &&
    keys.length === keyCountOf(b) &&
    keys.every((key) => has(b, key) && isEqual(member(a, key), member(b, key)))
  );
}

/** The keys of an object; `undefined` when listing them is over the budget: with thousands of keys each takes up to 360 ns. */
function keysOf(value: JsonObject): readonly string[] | undefined {
  const known = keyCounts.get(value);
  if (known !== undefined) return spend(known * KEY_STEPS) ? Object.keys(value) : undefined;
  const keys = Object.keys(value);
  if (keys.length <= FEW_KEYS) return keys;
  keyCounts.set(value, keys.length);
  return spend(keys.length * KEY_STEPS) ? keys : undefined;
}

/** Listing a definition's 1,000 keys takes up to 0.4 ms, and a list asks for each element: they are counted once. */
function keyCountOf(value: JsonObject): number {
  const known = keyCounts.get(value);
  if (known !== undefined) return known;
  const count = Object.keys(value).length;
  if (count > FEW_KEYS) keyCounts.set(value, count);
  return count;
}

const keyCounts = new WeakMap<JsonObject, number>();
const FEW_KEYS = 8;
const KEY_STEPS = 36;

/** An object's own member, or an array's element; null where there is none. Never what a prototype holds. */
function member(value: Json, key: string): Json {
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return INDEX.test(key) ? (value[Number(key)] ?? null) : null;
  return has(value, key) ? (value[key] ?? null) : null;
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/;

function has(value: JsonObject, key: string): boolean {
  return Object.hasOwn(value, key);
}

/** A reader of the value at a path of keys, made once so that no path is taken apart when a condition is asked. */
export function pathReader(parts: readonly string[]): (root: Json) => Json {
  const [first, second, ...rest] = parts;
  if (first === undefined) return (root) => root;
  if (second === undefined) return (root) => member(root, first);
  const deeper = pathReader([second, ...rest]);
  return (root) => deeper(member(root, first));
}

/**
 * The number a value counts as in an order, as JavaScript's `<` takes it: numeric text as its number, true as 1, a missing
 * value as `missing`. NaN, which is in no order, for everything else.
 */
export function numberOf(value: Json, missing: number): number {
  if (typeof value === 'number') return value;
  if (value === null) return missing;
  if (typeof value === 'string' && value.length > SHORT_TEXT && !spend(value.length)) return NaN;
  return typeof value === 'object' ? NaN : Number(value);
}

/** Texts up to this length cost no more than the test itself. */
export const SHORT_TEXT = 64;
