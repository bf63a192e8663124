import { within, type Clock } from '../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { createSignal } from '../../../../core/kernel/flow/signal.ts';
import type { Log } from '../../../log/log.ts';
import { readHandledTo, readSinkPosition } from '../../../positions/positions.ts';
import type { ErasureTarget } from './erasure-target.ts';
import { createLateRows } from './late-rows.ts';

/**
 * Deletes the rows of erased players without delaying the writer. A deletion reads every part of a table, so the
 * erasures that arrive during a round are handled together in the next one.
 *
 * States of an erasure (column `step`): known → counted → done → settled.
 * Invariants
 * 1. An erasure begins once the sink's stored position has passed it. Then every earlier row is inserted, in blocks
 *    that are not repeated: no row comes back, and no repeated block lacks rows.
 * 2. Rows are counted and the count is stored before they are deleted, so a receipt's figure survives a crash.
 * 3. Every step may be repeated; two erasers at once only do work twice.
 * 4. Scores of the player's device are deleted unless another player of the game and environment has the device,
 *    according to snapshots in ClickHouse. A player who got the device less than a minute before may be missed; then
 *    too much is deleted. Of tables written from RECORDS only rows up to the stored position are deleted; later ones at
 *    `settled`.
 * 5. An erasure is `settled` once late rows are deleted too and no more can come (`late-rows.ts`).
 */
export interface Eraser {
  start(): void;
  /** Call when there may be erasures, and when this process begins to lead. */
  wake(): void;
  stop(): Promise<void>;
}

export interface EraserOptions {
  log: Pick<Log, 'bucket' | 'info'>;
  clock: Clock;
  target: ErasureTarget;
  /** Whether this process holds the writer's lease. */
  leads: () => boolean;
  limits?: Adjustable<typeof SINK_LIMITS, 'eraseCheckMs' | 'eraseAgainMs'>;
  logger: Logger;
}

export function createEraser(options: EraserOptions): Eraser {
  const { log, clock, target, leads, logger, limits = SINK_LIMITS } = options;
  const late = createLateRows(log, clock);
  const signal = createSignal();
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const goesOn = () => !stopped;

  async function run(): Promise<void> {
    while (goesOn()) {
      const more = leads() && (await attempt());
      if (goesOn()) await signal.wait(clock, more ? limits.eraseAgainMs : limits.eraseCheckMs);
    }
  }

  async function attempt(): Promise<boolean> {
    try {
      const more = await round();
      await deleteLateRows();
      return more;
    } catch (error) {
      logger.warn({ err: error }, 'players could not be erased from ClickHouse; the next attempt follows');
      return true;
    }
  }

  const recordsPosition = () => readHandledTo(log, 'clickhouse-records');

  /** Advances some erasures. True: there may be more to do. */
  async function round(): Promise<boolean> {
    const position = await readSinkPosition(log, 'clickhouse');
    if (position === undefined) return false;
    const pending = await target.pending(position, SINK_LIMITS.erasuresAtOnce);
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

  /** Deletes late rows of erased players, once no more can come. */
  async function deleteLateRows(): Promise<void> {
    const position = await late.completeUpTo();
    if (position === undefined) return;
    for (;;) {
      const done = await target.unfinished(position, SINK_LIMITS.erasuresAtOnce);
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
      await within(clock, SINK_LIMITS.sinkStopMs, running);
      await target.close();
    },
  };
}
