/** The known values of `display_rules.priority`; 0 is the most urgent. */
const RANKS: ReadonlyMap<string, number> = new Map([
  ['urgent', 0],
  ['high', 1],
  ['normal', 2],
  ['medium', 2],
  ['low', 3],
]);

/** Compares priorities for sorting: urgent, high, normal or medium, low, then other texts alphabetically. */
export function byPriority(one: string, other: string): number {
  const difference = rankOf(one) - rankOf(other);
  if (difference !== 0 || one === other || RANKS.has(one)) return difference;
  return one < other ? -1 : 1;
}

function rankOf(priority: string): number {
  return RANKS.get(priority) ?? RANKS.size;
}
