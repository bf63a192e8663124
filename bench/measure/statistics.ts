/** The middle of the values; the mean of the two in the middle when their number is even. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/**
 * The median of the ratios of pairs that were measured one right after the other: what slows the machine down for a
 * while slows both of a pair, and leaves their ratio alone.
 */
export function medianRatio(pairs: readonly { of: number; to: number }[]): number {
  return median(pairs.map(({ of, to }) => of / to));
}

/** The medians, name by name, of several records of figures. A name that some records lack is taken from the others. */
export function medianByName(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries([...names].map((name) => [name, median(records.flatMap((record) => record[name] ?? []))]));
}
