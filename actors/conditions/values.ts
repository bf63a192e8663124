import { isObject, type Json, type JsonObject } from '../../core/kernel/text/json.ts';
import { spend } from './steps.ts';

/** A test of one value. A missing value is null. */
export type Predicate = (value: Json) => boolean;

export type Scalar = null | boolean | number | string;

export function isScalar(value: Json): value is Scalar {
  return typeof value !== 'object' || value === null;
}

/** Deep equality of JSON values. The order of keys does not matter. */
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

/**
 * The keys of an object; `undefined` if the budget does not cover listing them: in large objects a key takes up to 360
 * ns.
 */
function keysOf(value: JsonObject): readonly string[] | undefined {
  const known = keyCounts.get(value);
  if (known !== undefined) return spend(known * KEY_STEPS) ? Object.keys(value) : undefined;
  const keys = Object.keys(value);
  if (keys.length <= FEW_KEYS) return keys;
  keyCounts.set(value, keys.length);
  return spend(keys.length * KEY_STEPS) ? keys : undefined;
}

/** Counts the keys of a large object once: listing 1,000 keys takes up to 0.4 ms, for each element of a list. */
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

/** An object's own member or an array's element; null if there is none. Never reads a prototype. */
function member(value: Json, key: string): Json {
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return INDEX.test(key) ? (value[Number(key)] ?? null) : null;
  return has(value, key) ? (value[key] ?? null) : null;
}

const INDEX = /^(?:0|[1-9]\d{0,8})$/;

function has(value: JsonObject, key: string): boolean {
  return Object.hasOwn(value, key);
}

/**
 * Compiles a path of keys to a reader, so that evaluation splits no paths. A key may contain dots itself: at each level
 * the key that consists of the whole rest of the path goes first, then shorter ones.
 */
export function pathReader(parts: readonly string[]): (root: Json) => Json {
  // The readers of the path's ends, the shortest first: each is part of all longer ones.
  const ends: ((root: Json) => Json)[] = [(root) => root];
  for (let from = parts.length - 1; from >= 0; from -= 1) {
    const ways = ends.map((deeper, left) => ({ key: parts.slice(from, parts.length - left).join('.'), deeper }));
    ends.push((root) => readBy(ways, root));
  }
  return ends.at(-1) ?? ((root) => root);
}

function readBy(ways: readonly { key: string; deeper: (root: Json) => Json }[], root: Json): Json {
  for (const { key, deeper } of ways) {
    const found = member(root, key);
    if (found === null) continue;
    const value = deeper(found);
    if (value !== null) return value;
    // Only keys that are the beginnings of others lead here: data made for it could branch at every level.
    if (!spend(BRANCH_STEPS)) return null;
  }
  return null;
}

/** A look-up of a key that leads nowhere. */
const BRANCH_STEPS = 8;

/**
 * Converts a value to a number for comparison, as JavaScript's `<` does: numeric text to its number, true to 1, a
 * missing value to `missing`. Everything else becomes NaN, for which every comparison is false.
 */
export function numberOf(value: Json, missing: number): number {
  if (typeof value === 'number') return value;
  if (value === null) return missing;
  if (typeof value === 'string' && value.length > SHORT_TEXT && !spend(value.length)) return NaN;
  return typeof value === 'object' ? NaN : Number(value);
}

/** Texts up to this length add no cost to a test. */
export const SHORT_TEXT = 64;
