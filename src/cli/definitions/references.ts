import { withSegmentNames } from '../../../actors/conditions/segments/segment-names.ts';
import { isObject, type Json, type JsonObject } from '../../../core/kernel/text/json.ts';

/* References between definitions: the one place that finds them, to read them, or to turn ids into keys and back. */

/** Changes the text at a path. */
type Change = (text: string, path: string) => string;

/**
 * A definition in which the texts at these paths are changed. `*` in a path is each item of a list, and `$segments`
 * each segment that a condition names.
 */
export function changedAt(body: JsonObject, paths: readonly string[], change: Change): JsonObject {
  let changed: Json = body;
  for (const path of paths) changed = at(changed, path.split('/'), '', change);
  return isObject(changed) ? changed : body;
}

/** The texts at these paths. */
export function textsAt(body: JsonObject, paths: readonly string[]): string[] {
  const found: string[] = [];
  changedAt(body, paths, (text) => {
    found.push(text);
    return text;
  });
  return found;
}

function at(json: Json, [part, ...rest]: readonly string[], path: string, change: Change): Json {
  if (part === undefined) return typeof json === 'string' ? change(json, path) : json;
  if (part === '$segments') return isObject(json) ? withSegmentNames(json, (name) => change(name, path)) : json;
  if (part === '*') {
    return Array.isArray(json) ? json.map((item, place) => at(item, rest, `${path}/${place}`, change)) : json;
  }
  if (!isObject(json) || !Object.hasOwn(json, part)) return json;
  return { ...json, [part]: at(json[part] ?? null, rest, `${path}/${part}`, change) };
}

/** A text of an answer; what is none is written as JSON. */
export const textOf = (json: Json | undefined): string =>
  typeof json === 'string' ? json : JSON.stringify(json ?? null);

/** Definitions of a kind, each after those that it needs. In a circle, which the service refuses, any may be first. */
export function inOrder<T extends { key: string }>(
  definitions: readonly T[],
  needs: (one: T) => readonly string[],
): T[] {
  const byKey = new Map(definitions.map((one) => [one.key, one]));
  const done = new Set<T>();
  const visit = (one: T, above: ReadonlySet<T>): void => {
    if (done.has(one) || above.has(one)) return;
    for (const key of needs(one)) {
      const needed = byKey.get(key);
      if (needed !== undefined) visit(needed, new Set([...above, one]));
    }
    done.add(one);
  };
  for (const one of definitions) visit(one, new Set());
  return [...done];
}
