import { isObject, isSameJson } from '../editors/json-text.ts';

/** A field that differs between two documents. */
export interface JsonChange {
  /** Names and places from the top, such as `rules`, 0, `rollout`. */
  path: readonly (string | number)[];
  kind: 'added' | 'removed' | 'changed';
  before?: unknown;
  after?: unknown;
}

/**
 * The fields that differ between two documents, in the order of the first. Items of lists are compared by their `key`,
 * `id` or `value` where all have one, otherwise by their place.
 */
export function jsonChanges(before: unknown, after: unknown): JsonChange[] {
  return changesBelow([], before, after);
}

function changesBelow(path: JsonChange['path'], before: unknown, after: unknown): JsonChange[] {
  if (isSameJson(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...names].flatMap((name) =>
      changesOf([...path, name], has(before, name), before[name], has(after, name), after[name]),
    );
  }
  if (Array.isArray(before) && Array.isArray(after)) return changesOfLists(path, before, after);
  return [{ path, kind: 'changed', before, after }];
}

function changesOf(
  path: JsonChange['path'],
  wasThere: boolean,
  before: unknown,
  isThere: boolean,
  after: unknown,
): JsonChange[] {
  if (!wasThere) return [{ path, kind: 'added', after }];
  if (!isThere) return [{ path, kind: 'removed', before }];
  return changesBelow(path, before, after);
}

function changesOfLists(path: JsonChange['path'], before: unknown[], after: unknown[]): JsonChange[] {
  const name = ['key', 'id', 'value'].find((each) => isNamed(before, each) && isNamed(after, each));
  if (name === undefined) {
    const places = Array.from({ length: Math.max(before.length, after.length) }, (_, place) => place);
    return places.flatMap((place) =>
      changesOf([...path, place], place < before.length, before[place], place < after.length, after[place]),
    );
  }
  const held = byName(before, name);
  const wanted = byName(after, name);
  const names = [...new Set([...held.keys(), ...wanted.keys()])];
  const found = names.flatMap((each) =>
    changesOf([...path, each], held.has(each), held.get(each), wanted.has(each), wanted.get(each)),
  );
  // The same items in another order.
  return found.length > 0 ? found : [{ path, kind: 'changed', before, after }];
}

function isNamed(items: unknown[], name: string): boolean {
  return (
    items.length > 0 &&
    items.every((item) => isObject(item) && typeof item[name] === 'string') &&
    byName(items, name).size === items.length
  );
}

function byName(items: unknown[], name: string): Map<string, unknown> {
  return new Map(
    items.map((item) => {
      const value = isObject(item) ? item[name] : undefined;
      return [typeof value === 'string' ? value : '', item];
    }),
  );
}

function has(object: object, name: string): boolean {
  return Object.hasOwn(object, name);
}

/** A path as people write it: `rules[0].rollout`. */
export function pathText(path: JsonChange['path']): string {
  return path.map((part, place) => (typeof part === 'number' ? `[${part}]` : place === 0 ? part : `.${part}`)).join('');
}

/** What became of one field on both sides since they had the same document. */
export interface MergedField {
  name: string;
  kind: 'mine' | 'theirs' | 'same' | 'conflict';
  base: unknown;
  mine: unknown;
  theirs: unknown;
}

/** The top-level fields that either side changed since `base`. A field that both changed differently is a conflict. */
export function mergeFields(
  base: Readonly<Record<string, unknown>>,
  mine: Readonly<Record<string, unknown>>,
  theirs: Readonly<Record<string, unknown>>,
): MergedField[] {
  const names = [...new Set([...Object.keys(base), ...Object.keys(mine), ...Object.keys(theirs)])];
  return names.flatMap((name): MergedField[] => {
    const isMine = !isSameJson(base[name], mine[name]);
    const isTheirs = !isSameJson(base[name], theirs[name]);
    if (!isMine && !isTheirs) return [];
    const values = { name, base: base[name], mine: mine[name], theirs: theirs[name] };
    if (!isTheirs) return [{ ...values, kind: 'mine' }];
    if (!isMine) return [{ ...values, kind: 'theirs' }];
    return [{ ...values, kind: isSameJson(mine[name], theirs[name]) ? 'same' : 'conflict' }];
  });
}
