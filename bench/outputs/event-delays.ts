import { createHistogram, latencyOf } from '../measure/histogram.ts';
import type { Latency } from '../measure/latency.ts';
import type { Arrivals } from './arrivals.ts';

/** Events by number, and what the answers said of them. */
export interface AcceptedEvents {
  firstNumber: number;
  /** When the answer that accepted an event came; null for one that was not sent, or not accepted. */
  atMs: readonly (number | null)[];
  /** Numbers of events that were sent and never answered: they may arrive, or not. */
  unanswered: readonly number[];
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
 * Holds arrivals against what was accepted. Arrivals of events of other numbers are somebody else's, and those of events that were
 * never answered prove nothing.
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
      if (arrivedMs !== undefined && number >= tellFrom) histogram.record((arrivedMs - acceptedMs) * 1000);
    }
  }
  return { latency: latencyOf(histogram), wanted, missing, repeated, unwanted: first.size - found };
}
