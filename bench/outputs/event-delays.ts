import { createHistogram, latencyOf } from '../measure/histogram.ts';
import type { Latency } from '../measure/latency.ts';
import type { Arrivals } from './arrivals.ts';

/** Events by number, and when the answer that accepted each of them came; null for those that were not accepted. */
export interface AcceptedEvents {
  firstNumber: number;
  atMs: readonly (number | null)[];
}

/** How long after their acceptance events arrived where they were wanted. */
export interface Delays {
  /** From the answer to the first arrival. What arrived before the answer did counts as 0. */
  latency: Latency;
  /** Arrivals that there had to be, those that never came, those that came again, and those that nobody wanted. */
  wanted: number;
  missing: number;
  repeated: number;
  unwanted: number;
}

/** More places than anybody waits at: place and number together are one exact number. */
const PLACES = 100_000;

/**
 * Holds arrivals against what was accepted. Arrivals of events of other numbers are somebody else's.
 * @param placesOf where the event of that number must arrive
 * @param tellFrom the first number whose delay is told; the ones before it must arrive as well
 */
export function delaysOf(
  accepted: AcceptedEvents,
  arrivals: Arrivals,
  placesOf: (number: number) => readonly number[],
  tellFrom = accepted.firstNumber,
): Delays {
  const { firstNumber, atMs } = accepted;
  const first = new Map<number, number>();
  let repeated = 0;
  for (const [index, number] of arrivals.numbers.entries()) {
    if (number < firstNumber || number >= firstNumber + atMs.length) continue;
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
      if (arrivedMs !== undefined && number >= tellFrom) histogram.record((arrivedMs - acceptedMs) * 1000);
    }
  }
  return { latency: latencyOf(histogram), wanted, missing, repeated, unwanted: first.size - found };
}
