import { below, isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';

/* The segments that conditions name in `$inSegment`: by id, or by key until a definition is stored. */

export interface SegmentName {
  name: string;
  /** JSON Pointer below the condition. */
  path: string;
}

/** The names in a condition of any form. */
export function segmentNamesIn(condition: Json, path = ''): SegmentName[] {
  if (Array.isArray(condition)) return condition.flatMap((part, place) => segmentNamesIn(part, below(path, place)));
  if (!isObject(condition)) return [];
  return Object.entries(condition).flatMap(([member, operand]): SegmentName[] => {
    const at = below(path, member);
    if (GROUPS.has(member)) return segmentNamesIn(operand, at);
    if (member !== IN_SEGMENT || !Array.isArray(operand)) return [];
    return operand.flatMap((name, place) => (typeof name === 'string' ? [{ name, path: below(at, place) }] : []));
  });
}

/** The condition with its segments renamed. */
export function withSegmentNames(condition: JsonObject, rename: (name: string) => string): JsonObject {
  return segmentNamesIn(condition).length === 0 ? condition : renamed(condition, rename);
}

const IN_SEGMENT = '$inSegment';
const GROUPS: ReadonlySet<string> = new Set(['$and', '$or', '$nor', '$not']);

function renamed(condition: JsonObject, rename: (name: string) => string): JsonObject {
  const partOf = (part: Json): Json => {
    if (Array.isArray(part)) return part.map(partOf);
    return isObject(part) ? renamed(part, rename) : part;
  };
  const nameOf = (name: Json): Json => (typeof name === 'string' ? rename(name) : name);
  return Object.fromEntries(
    Object.entries(condition).map(([member, operand]): [string, Json] => {
      if (GROUPS.has(member)) return [member, partOf(operand)];
      return [member, member === IN_SEGMENT && Array.isArray(operand) ? operand.map(nameOf) : operand];
    }),
  );
}

/** The ids that a stored condition names. */
export function segmentsReadBy(condition: JsonObject | undefined): readonly string[] {
  if (condition === undefined) return NONE;
  const held = known.get(condition);
  if (held !== undefined) return held;
  const ids = [...new Set(segmentNamesIn(condition).map(({ name }) => name))];
  known.set(condition, ids);
  return ids;
}

const NONE: readonly string[] = [];
/** Conditions of definitions are never changed, so each is walked once. */
const known = new WeakMap<JsonObject, readonly string[]>();
