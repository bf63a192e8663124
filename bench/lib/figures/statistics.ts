/** The middle of the values; the mean of the two in the middle when their number is even. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length % 2 === 1) return sorted[Math.floor(middle)] ?? Number.NaN;
  return ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/**
 * The median of the ratios of pairs that were measured one right after the other: load from elsewhere slows both runs
 * of a pair, and leaves their ratio alone.
 */
export function medianRatio(pairs: readonly { of: number; to: number }[]): number {
  return median(pairs.map(({ of, to }) => of / to));
}

/** The medians, name by name, of several records of figures. A name that some records lack is taken from the others. */
export function medianByName(records: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries([...names].map((name) => [name, median(records.flatMap((record) => record[name] ?? []))]));
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Adds to the count under a name. */
export function increment(counts: Record<string, number>, name: string, by = 1): void {
  counts[name] = (counts[name] ?? 0) + by;
}

/** Makes so many values of their numbers, from 0. */
export function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** A distribution of latencies: `share` (0 to 1) of all requests were answered within `ms` milliseconds. */
export interface Latency {
  points: { share: number; ms: number }[];
  maxMs: number;
}

/** The shares at which distributions are kept: every figure of the tables, and enough for a smooth line. */
export const LATENCY_SHARES: readonly number[] = [
  0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.96, 0.97, 0.98, 0.985, 0.99,
  0.9925, 0.995, 0.9975, 0.999, 0.9995, 0.9999, 0.99999,
];

/** The latency at a share of `LATENCY_SHARES`, in milliseconds; NaN for another. */
export function latencyAt(latency: Latency, share: number): number {
  return latency.points.find((point) => point.share === share)?.ms ?? Number.NaN;
}

/** The median of several runs' distributions, share by share; the largest value is the largest of all. */
export function medianLatency(latencies: readonly Latency[]): Latency {
  return {
    points: LATENCY_SHARES.map((share) => ({ share, ms: median(latencies.map((one) => latencyAt(one, share))) })),
    maxMs: Math.max(...latencies.map((one) => one.maxMs)),
  };
}
