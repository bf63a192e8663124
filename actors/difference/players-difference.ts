import { isObject, type Json } from '../../core/kernel/text/json.ts';

/* The players whom a segment names, or has in a list: only their number is said, as the history has no other. */

/** @param before a list of ids, or their number: `{players}` of the history, or a list that was loaded */
export function inPlayers(name: string, before: Json, after: Json): string[] {
  const [left, right] = [countOf(before), countOf(after)];
  return [left === right ? `${name}: others, ${right} players` : `${name}: ${left} → ${right} players`];
}

function countOf(value: Json): number {
  if (Array.isArray(value)) return value.length;
  return isObject(value) && typeof value['players'] === 'number' ? value['players'] : 0;
}
