/** A copy of `list` with `item` at its end, the oldest dropped beyond `most`. */
export function append<T>(list: readonly T[], item: T, most: number): T[] {
  const copy = list.length >= most ? list.slice(list.length - most + 1) : list.slice();
  copy.push(item);
  return copy;
}

/**
 * As `append`, with a separate bound for each of two groups. Only items of the new item's group count and are dropped,
 * so one group never displaces entries of the other.
 */
export function appendInGroup<T>(list: readonly T[], item: T, most: number, isMember: (one: T) => boolean): T[] {
  if (list.length < most) return append(list, item, most);
  const group = isMember(item);
  let surplus = 1 - most;
  for (const one of list) if (isMember(one) === group) surplus += 1;
  const kept = list.filter((one) => isMember(one) !== group || --surplus < 0);
  kept.push(item);
  return kept;
}
