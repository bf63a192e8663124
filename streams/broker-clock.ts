import { nextTick, type Cancel, type Clock } from '../core/kernel/clock.ts';
import { CLOCK_LIMITS } from './limits.ts';
import type { Logger } from '../core/kernel/logger.ts';
import type { ClockMetrics } from './metrics.ts';
import type { Bucket } from './log/log.ts';

/**
 * Compares this process's wall clock with the broker's. Deadlines of commands are set by a gateway's clock and checked
 * by an owner's, so both must be right; the broker's clock is the one that all processes can see.
 *
 * Every process writes the same key and reads it back: whoever wrote it last, the broker stamped it between the sending
 * of our write and the answer to our read. The offset lies between bounds that are as far apart as that took. The clock
 * is wrong if even the nearer bound exceeds the tolerance, twice in a row: one measurement may straddle a correction.
 */
export interface BrokerClock {
  /** Bounds of how far our clock is ahead of the broker's, milliseconds; `undefined` until it was measured. */
  readonly aheadMs: { least: number; most: number } | undefined;
  /** What is wrong with this clock; `undefined`: nothing. */
  fault(): string | undefined;
  stop(): void;
}

export interface BrokerClockOptions {
  bucket: Bucket;
  clock: Clock;
  logger: Logger;
  metrics: Pick<ClockMetrics, 'clockOffset'>;
}

const KEY = 'clock';
const NOTHING = new Uint8Array();

/** A log message. The simulation reads it. */
export const CLOCK_WRONG = "this process's clock differs from the broker's by more than commands tolerate: correct it";

export function watchBrokerClock({ bucket, clock, logger, metrics }: BrokerClockOptions): BrokerClock {
  let aheadMs: BrokerClock['aheadMs'];
  let wrong = false;
  /** The last measurement contradicted `wrong`. */
  let doubted = false;
  let stopped = false;
  let cancel: Cancel = () => {};

  async function measure(): Promise<void> {
    const sentMs = clock.monotonicMs();
    const sentWallMs = clock.wallMs();
    const written = await bucket.put(KEY, NOTHING);
    const entry = written.kind === 'written' ? await bucket.get(KEY) : undefined;
    if (entry === undefined) return;
    const least = sentWallMs - entry.storedAtMs;
    const most = least + clock.monotonicMs() - sentMs;
    aheadMs = { least, most };
    metrics.clockOffset.set((least + most) / 2 / 1000);
    judge(least > CLOCK_LIMITS.clockToleranceMs || most < -CLOCK_LIMITS.clockToleranceMs);
  }

  function judge(isWrong: boolean): void {
    if (isWrong === wrong) doubted = false;
    else if (!doubted) doubted = true;
    else {
      doubted = false;
      wrong = isWrong;
      if (wrong) logger.error({ aheadMs }, CLOCK_WRONG);
      else logger.info({ aheadMs }, "this process's clock is right again");
    }
  }

  function run(): void {
    measure()
      // A closed log: the process stops.
      .catch(() => {})
      .finally(() => {
        if (!stopped) cancel = nextTick(clock, doubted ? CLOCK_LIMITS.clockRecheckMs : CLOCK_LIMITS.clockCheckMs, run);
      });
  }

  cancel = clock.timer(0, run);
  return {
    get aheadMs() {
      return aheadMs;
    },
    fault() {
      if (!wrong || aheadMs === undefined) return undefined;
      const { least, most } = aheadMs;
      const isAhead = least > 0;
      return `the clock is at least ${Math.round(isAhead ? least : -most)} ms ${isAhead ? 'ahead' : 'behind'}`;
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}
