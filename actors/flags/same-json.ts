import { isDeepStrictEqual } from 'node:util';
import type { JsonText } from '../../src/kernel/json.ts';

/** Whether two texts made by JSON.stringify hold the same value: the order of keys does not matter. */
export function sameJson(one: JsonText, other: JsonText): boolean {
  if (one === other) return true;
  // Only the order of keys can differ, and that leaves the length alone; so nearly nothing is parsed.
  if (one.length !== other.length || !/^[[{]/.test(one)) return false;
  return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}
