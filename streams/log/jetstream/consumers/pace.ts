import type { Clock } from '../../../../core/kernel/clock.ts';

/** Records of a request after which a cursor with `gatherMs` measures their rate. */
const MEASURED_RECORDS = 16;
/** Records in `gatherMs` from which gathering begins, and below which it ends: a request costs as much as a record. */
const GATHER_FROM_RECORDS = 3;
const GATHER_LEAST_RECORDS = 2;

/**
 * How a cursor requests records.
 *
 * States: waiting, with requests that stay open, for few records to measure the rate; gathering, when records follow
 * each other closely, with requests for what is stored and pauses of `gatherMs`. Without `gatherMs` always waiting.
 */
export interface Pace {
  readonly gathering: boolean;
  /** A request is sent. Returns for how many records, of those that have room. */
  request(room: number): number;
  delivered(): void;
  /** The request is over. Returns whether to pause before the next one. */
  over(): boolean;
}

export function createPace(clock: Clock, gatherMs: number | undefined): Pace {
  let gathering = false;
  /** Of the last request: how many records it allowed, how many came, and when it was sent. */
  let requested = 0;
  let delivered = 0;
  let requestedMs = 0;
  return {
    get gathering() {
      return gathering;
    },
    request(room) {
      requested = gathering || gatherMs === undefined ? room : Math.min(room, MEASURED_RECORDS);
      delivered = 0;
      requestedMs = clock.monotonicMs();
      return requested;
    },
    delivered() {
      delivered += 1;
    },
    over() {
      if (gatherMs === undefined) return false;
      const isAll = delivered < requested;
      if (gathering) gathering = delivered >= GATHER_LEAST_RECORDS;
      else if (!isAll) gathering = (clock.monotonicMs() - requestedMs) * GATHER_FROM_RECORDS < delivered * gatherMs;
      return gathering && (isAll || requested === MEASURED_RECORDS);
    },
  };
}
