import { setTimeout as sleep } from 'node:timers/promises';

/** Events as they arrived at an observer, in columns: hundreds of thousands go from one process to another. */
export interface Arrivals {
  /** The event's number, which stands in its properties. */
  numbers: number[];
  /** The receiver's number where there are several; otherwise 0. */
  places: number[];
  /** Arrival times on the machine's monotonic clock. */
  atMs: number[];
}

/** A process that records arrivals. */
export interface Observer {
  pid: number;
  /** Arrivals recorded and not yet taken. */
  ask(name: 'count'): Promise<number>;
  /** The arrivals since the last time. */
  ask(name: 'take'): Promise<Arrivals>;
}

/** The methods of an observer's process, and how it records. */
export function createArrivalLog() {
  let held: Arrivals = { numbers: [], places: [], atMs: [] };
  return {
    record(number: number, place: number, atMs: number): void {
      held.numbers.push(number);
      held.places.push(place);
      held.atMs.push(roundToUs(atMs));
    },
    methods: {
      count: (): number => held.numbers.length,
      take(): Arrivals {
        const taken = held;
        held = { numbers: [], places: [], atMs: [] };
        return taken;
      },
    },
  };
}

/** Microseconds are finer than anything measured here, and a third of the text. */
export function roundToUs(timeMs: number): number {
  return Math.round(timeMs * 1000) / 1000;
}

/** Milliseconds of the machine's monotonic clock, which, unlike `performance.now()`, is the same in every process. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** How long the last arrivals may take before they count as missing. */
const TIMEOUT_MS = 30_000;
const CHECK_MS = 100;
/** Long enough for repeated arrivals to show. */
const REPEATS_MS = 500;

/** Waits until an observer has recorded so many arrivals, or the time is over. @returns all of them, once */
export async function awaitArrivals(observer: Observer, wanted: number, signal: AbortSignal): Promise<Arrivals> {
  const untilMs = performance.now() + TIMEOUT_MS;
  const isWaiting = async () => (await observer.ask('count')) < wanted && performance.now() < untilMs;
  while (await isWaiting()) await sleep(CHECK_MS, undefined, { signal });
  await sleep(REPEATS_MS, undefined, { signal });
  return observer.ask('take');
}
