import { median } from './statistics.ts';

/** `share` (0 to 1) of all requests were answered within `ms` milliseconds. */
export interface LatencyPoint {
  share: number;
  ms: number;
}

/** A distribution of latencies, at the shares below. */
export interface Latency {
  points: LatencyPoint[];
  maxMs: number;
}

/** The shares at which distributions are kept: every figure of the tables, and enough between them for a smooth line. */
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
