import { within, type Clock } from '../../../src/kernel/clock.ts';
import { LIMITS, type Limits } from '../../../src/kernel/limits.ts';
import type { Logger } from '../../../src/kernel/logger.ts';
import { createSignal } from '../../../src/kernel/signal.ts';
import type { Log } from '../../log/log.ts';
import type { RecordsPosition } from '../../../clickhouse-schema/rows/erased-rows.ts';
import { readSinkPosition } from '../positions.ts';
import type { ErasureTarget } from './erasure-target.ts';
import { createLateRows } from './late-rows.ts';

/**
 * Deletes the rows of erased players, beside the writer and never in its way: a deletion reads every part of a table, and what
 * comes in meanwhile is deleted together in the next round.
 *
 * States of an erasure (column `step`): known → counted → done → settled.
 * Invariants
 * 1. An erasure is taken up once the sink's stored position has passed it. So every row from before it is in, in blocks that
 *    nobody repeats any more: no row comes back, and no repeat of a block misses some of its rows.
 * 2. What is deleted is counted and the count stored before anything of it goes. So a receipt's figure survives a crash.
 * 3. Every step may be repeated; two erasers at once would only do work twice.
 * 4. Scores of the player's device are deleted where no other player of the game and environment has it, as snapshots in
 *    ClickHouse say: a player who got the device less than a minute before may not be seen, and then too much is deleted.
 *    Of tables written from RECORDS only rows at or below its stored position go; later ones when the erasure is settled.
 * 5. An erasure is settled once rows that came late are deleted too, and no more can come (late-rows.ts).
 */
export interface Eraser {
  start(): void;
  /** There may be something to erase. */
  wake(): void;
  stop(): Promise<void>;
}

export interface EraserOptions {
  log: Pick<Log, 'bucket' | 'info'>;
  clock: Clock;
  target: ErasureTarget;
  /** Whether this process is the one that writes. */
  leads: () => boolean;
  limits?: Pick<Limits, 'eraseLookMs' | 'eraseAgainMs'>;
  logger: Logger;
}

export function createEraser(options: EraserOptions): Eraser {
  const { log, clock, target, leads, logger, limits = LIMITS } = options;
  const late = createLateRows(log, clock);
  const signal = createSignal();
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const goesOn = () => !stopped;

  async function run(): Promise<void> {
    while (goesOn()) {
      const more = leads() && (await attempt());
      if (goesOn()) await signal.wait(clock, more ? limits.eraseAgainMs : limits.eraseLookMs);
    }
  }

  async function attempt(): Promise<boolean> {
    try {
      const more = await round();
      await settle();
      return more;
    } catch (error) {
      logger.warn({ err: error }, 'players cannot be erased from ClickHouse; it will be tried again');
      return true;
    }
  }

  async function recordsPosition(): Promise<RecordsPosition | undefined> {
    const position = await readSinkPosition(log, 'clickhouse-records');
    return position && { createdMs: Date.parse(position.stream), sequence: position.sequence };
  }

  /** Takes some erasures a step on. True: there may be more to do. */
  async function round(): Promise<boolean> {
    const position = await readSinkPosition(log, 'clickhouse');
    if (position === undefined) return false;
    const pending = await target.pending(position, LIMITS.erasuresAtOnce);
    if (pending.length === 0) return false;
    const records = await recordsPosition();
    const uncounted = pending.filter(({ rows }) => rows === undefined);
    if (uncounted.length > 0) {
      const counts = await target.count(uncounted, records);
      for (const erasure of uncounted) erasure.rows = counts.get(erasure.playerId) ?? 0;
      await target.note('counted', uncounted);
    }
    if ((await target.remove(pending, records)) === 'later') return true;
    await target.note('done', pending);
    const rows = pending.reduce((sum, erasure) => sum + (erasure.rows ?? 0), 0);
    logger.info({ players: pending.length, rows }, 'players erased from ClickHouse');
    return true;
  }

  /** Deletes what came of erased players after their erasure was done, once nothing more can come. */
  async function settle(): Promise<void> {
    const position = await late.settledUpTo();
    if (position === undefined) return;
    for (;;) {
      const done = await target.unsettled(position, LIMITS.erasuresAtOnce);
      if (done.length === 0 || !goesOn()) break;
      if ((await target.remove(done, await recordsPosition())) === 'later') break;
      await target.note('settled', done);
    }
    await target.forgetDevices();
  }

  return {
    start() {
      running = run();
    },
    wake: () => signal.notify(),
    async stop() {
      stopped = true;
      signal.notify();
      await within(clock, LIMITS.sinkStopMs, running);
      await target.close();
    },
  };
}
