import type { Later } from '../vocabulary/commands/later.ts';

/**
 * Fields at the end of a layout that a newer version wrote. A state keeps them through decoding, evolving and encoding,
 * so that an owner of this version does not delete them.
 */

/** The items of a tuple after those that this program knows. */
export function laterOf(tuple: readonly unknown[], known: number): Later {
  return tuple.length > known ? { later: tuple.slice(known) } : {};
}

/** Puts later items back behind `known` items, of which those at the end may be left out of the tuple. */
export function withLater<T extends unknown[]>(tuple: T, known: number, { later }: Later): T {
  if (later === undefined) return tuple;
  const items: unknown[] = tuple;
  while (items.length < known) items.push(undefined);
  items.push(...later);
  return tuple;
}
