import { createHistogram, latencyOf } from './histogram.ts';
import type { Arrivals } from '../load/traffic/arrivals.ts';
import { sum, type Latency } from './statistics.ts';

/** Events by number, and whether their answers accepted them. */
export interface AcceptedEvents {
  firstNumber: number;
  /** When the answer that accepted an event came; null for one that was not sent, or not accepted. */
  atMs: readonly (number | null)[];
  /** Numbers of events that were sent and never answered: they may arrive, or not. */
  unanswered: readonly number[];
}

/** How long after their acceptance events arrived at their receivers. */
export interface Delays {
  /** From the answer to the first arrival; 0 where the arrival came before the answer. */
  latency: Latency;
  /** Arrivals that were due, those that are missing, repeated ones, and those that were not due. */
  wanted: number;
  missing: number;
  repeated: number;
  unwanted: number;
}

/** More places than any case has: place and number together are one exact number. */
const PLACES = 100_000;

/**
 * Compares arrivals with what was accepted. Arrivals with other numbers belong to another load, and those of events
 * that were never answered prove nothing.
 * @param placesOf where the event of that number must arrive
 * @param countFrom the first number whose delay counts; the ones before it must arrive as well
 */
export function delaysOf(
  accepted: AcceptedEvents,
  arrivals: Arrivals,
  placesOf: (number: number) => readonly number[],
  countFrom = accepted.firstNumber,
): Delays {
  const { firstNumber, atMs } = accepted;
  const unanswered = new Set(accepted.unanswered);
  const first = new Map<number, number>();
  let repeated = 0;
  for (const [index, number] of arrivals.numbers.entries()) {
    if (number < firstNumber || number >= firstNumber + atMs.length || unanswered.has(number)) continue;
    const key = number * PLACES + (arrivals.places[index] ?? 0);
    if (first.has(key)) repeated += 1;
    else first.set(key, arrivals.atMs[index] ?? Number.NaN);
  }
  const histogram = createHistogram();
  let [wanted, missing, found] = [0, 0, 0];
  for (const [index, acceptedMs] of atMs.entries()) {
    if (acceptedMs === null) continue;
    const number = firstNumber + index;
    for (const place of placesOf(number)) {
      wanted += 1;
      const arrivedMs = first.get(number * PLACES + place);
      if (arrivedMs === undefined) missing += 1;
      else found += 1;
      if (arrivedMs !== undefined && number >= countFrom) histogram.record((arrivedMs - acceptedMs) * 1000);
    }
  }
  return { latency: latencyOf(histogram), wanted, missing, repeated, unwanted: first.size - found };
}

/** Titles of the columns of `delaysCells`. */
export const DELAYS_HEAD = ['due', 'missing', 'repeated'];

/** Arrivals over all runs. */
export function delaysCells(runs: readonly Delays[]): number[] {
  return [
    sum(runs.map(({ wanted }) => wanted)),
    sum(runs.map(({ missing }) => missing)),
    sum(runs.map(({ repeated, unwanted }) => repeated + unwanted)),
  ];
}
