import { isDeepStrictEqual } from 'node:util';
import type { JsonText } from '../../../core/kernel/text/json.ts';

/** Whether two results of JSON.stringify represent the same value. The order of keys does not matter. */
export function sameJson(one: JsonText, other: JsonText): boolean {
  if (one === other) return true;
  // Another order of keys keeps the length, so texts of different lengths need no parsing.
  if (one.length !== other.length || !/^[[{]/.test(one)) return false;
  return isDeepStrictEqual(JSON.parse(one), JSON.parse(other));
}
