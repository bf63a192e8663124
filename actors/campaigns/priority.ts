/** What `display_rules.priority` may say with a meaning of ours, the most urgent first. */
const RANKS: ReadonlyMap<string, number> = new Map([
  ['urgent', 0],
  ['high', 1],
  ['normal', 2],
  ['medium', 2],
  ['low', 3],
]);

/** An order for sorting: urgent, high, normal or medium, low, then any other text by its characters. */
export function byPriority(one: string, other: string): number {
  const difference = rankOf(one) - rankOf(other);
  if (difference !== 0 || one === other || RANKS.has(one)) return difference;
  return one < other ? -1 : 1;
}

function rankOf(priority: string): number {
  return RANKS.get(priority) ?? RANKS.size;
}
