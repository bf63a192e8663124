/** A copy of `list` with `item` at its end, the oldest dropped beyond `most`. */
export function append<T>(list: readonly T[], item: T, most: number): T[] {
  const copy = list.length >= most ? list.slice(list.length - most + 1) : list.slice();
  copy.push(item);
  return copy;
}
