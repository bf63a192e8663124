/** Events as they came to those who wait for them, in columns: hundreds of thousands go from one process to another. */
export interface Arrivals {
  /** The event's number, which stands in its properties. */
  numbers: number[];
  /** Which of several it came to; 0 where there is one. */
  places: number[];
  /** When, by the machine's monotonic clock. */
  atMs: number[];
}

/** Arrivals as one process notes them. */
export interface ArrivalLog {
  readonly count: number;
  note(number: number, place: number, atMs: number): void;
  /** What was noted since the last time. */
  take(): Arrivals;
}

export function createArrivalLog(): ArrivalLog {
  let held: Arrivals = { numbers: [], places: [], atMs: [] };
  return {
    get count() {
      return held.numbers.length;
    },
    note(number, place, atMs) {
      held.numbers.push(number);
      held.places.push(place);
      held.atMs.push(roundToUs(atMs));
    },
    take() {
      const taken = held;
      held = { numbers: [], places: [], atMs: [] };
      return taken;
    },
  };
}

/** Microseconds are finer than anything measured here, and a third of the text. */
export function roundToUs(timeMs: number): number {
  return Math.round(timeMs * 1000) / 1000;
}
