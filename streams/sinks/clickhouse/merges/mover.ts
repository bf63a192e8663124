import { within, type Clock } from '../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { createSignal } from '../../../../core/kernel/flow/signal.ts';
import type { PendingMerge } from '../../../../clickhouse-schema/rows/moved-rows.ts';
import type { RecordsPosition } from '../../../../clickhouse-schema/rows/placed-rows.ts';
import type { Log } from '../../../log/log.ts';
import { readHandledTo, readSinkPosition } from '../../../positions/positions.ts';
import { createLateRows } from '../erasure/late-rows.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { Players } from '../player-days/target.ts';
import type { MergeTarget } from './merge-target.ts';

/**
 * Makes the rows of merged guests rows of their accounts, and gives them back when a merge is taken back. A move reads
 * the players of every table, so the merges that arrive during a pass and its rest are moved together.
 *
 * States of a merge (column `step`): known → moved → settled.
 * Invariants
 * 1. A merge begins once the sink's stored position has passed it: then every row of its guest is inserted, in blocks
 *    that are not repeated.
 * 2. Merges, take-backs and erasures of one player are applied in the order of the log (`merge-order.ts`): an erasure
 *    waits until earlier merges of its player are moved, and a merge until earlier erasures are settled.
 * 3. Every step may be repeated, and ended at any place: a repeat moves what is left.
 * 4. The days of both players are built anew after the move, before the merge is noted.
 * 5. A merge is `settled` once late rows are moved too and no more can come (`late-rows.ts`).
 */
export interface Mover {
  start(): void;
  /** Call when there may be merges, and when this process begins to lead. */
  wake(): void;
  /** Call when an erasure waits for a merge: the next pass begins at once. */
  hurry(): void;
  stop(): Promise<void>;
}

export interface MoverOptions {
  log: Pick<Log, 'bucket' | 'info'>;
  clock: Clock;
  target: MergeTarget;
  /** Builds the days of players anew. */
  rebuild: (players: readonly Players[]) => Promise<'rebuilt' | 'later'>;
  /** Whether this process holds the writer's lease. */
  leads: () => boolean;
  /** Merges are moved or settled: erasures may have waited for them. */
  onMoved?: () => void;
  /** Called with how many merges wait, and how long ago the oldest of them was made. */
  onWaiting?: (merges: number, seconds: number) => void;
  limits?: Adjustable<typeof SINK_LIMITS, 'mergeEveryMs' | 'mergeRestShare' | 'mergeRestMostMs' | 'mergeAgainMs'>;
  logger: Logger;
}

export function createMover(options: MoverOptions): Mover {
  const { log, clock, target, rebuild, leads, logger, limits = SINK_LIMITS } = options;
  const late = createLateRows(log, clock);
  const signal = createSignal();
  let stopped = false;
  let restUntilMs = -Infinity;
  /** Merges that are not moved, as of the last attempt. */
  let waiting = 0;
  let running: Promise<void> = Promise.resolve();
  const goesOn = () => !stopped;
  const isResting = () => clock.monotonicMs() < restUntilMs;

  async function run(): Promise<void> {
    while (goesOn()) {
      const waitMs = leads() ? await attempt() : limits.mergeEveryMs;
      if (goesOn()) await signal.wait(clock, waitMs);
    }
  }

  /** @returns how long to wait before the next attempt */
  async function attempt(): Promise<number> {
    try {
      const isDone = isResting() || (await round());
      await settle();
      await tell();
      if (isDone) return limits.mergeEveryMs;
    } catch (error) {
      logger.warn({ err: error }, 'rows of merged players could not be moved; the next attempt follows');
    }
    return limits.mergeAgainMs;
  }

  const recordsPosition = () => readHandledTo(log, 'clickhouse-records');

  /** Moves some merges. False: an earlier statement still runs, so that they have to wait. */
  async function round(): Promise<boolean> {
    const position = await readSinkPosition(log, 'clickhouse');
    if (position === undefined) return true;
    const merges = await target.pending(position);
    if (merges.length === 0) return true;
    const begunMs = clock.monotonicMs();
    const isMoved = await move(merges, await recordsPosition());
    if (!isMoved) return false;
    await target.note('moved', merges);
    const tookMs = clock.monotonicMs() - begunMs;
    restUntilMs = clock.monotonicMs() + restMs(tookMs);
    options.onMoved?.();
    logger.info({ merges: merges.length, seconds: tookMs / 1_000 }, 'rows of merged players moved in ClickHouse');
    return true;
  }

  /** The more passes wait, the shorter the rest between them. */
  function restMs(tookMs: number): number {
    const passes = Math.ceil(waiting / SINK_LIMITS.mergesAtOnce);
    const share = Math.max(1, limits.mergeRestShare / Math.max(1, passes));
    return Math.min(tookMs * share, limits.mergeRestMostMs);
  }

  async function move(merges: readonly PendingMerge[], records: RecordsPosition | undefined): Promise<boolean> {
    if ((await target.move(merges, records)) === 'later') return false;
    return (await rebuild(playersOfMerges(merges))) === 'rebuilt';
  }

  /** Moves late rows of guests, once no more can come. */
  async function settle(): Promise<void> {
    const position = await late.completeUpTo();
    if (position === undefined) return;
    for (;;) {
      const merges = await target.unsettled(position);
      if (merges.length === 0 || !goesOn()) return;
      if ((await target.moveLate(merges, await recordsPosition())) === 'later') return;
      await target.note('settled', merges);
      options.onMoved?.();
    }
  }

  async function tell(): Promise<void> {
    const { merges, oldestMs } = await target.waiting();
    waiting = merges;
    options.onWaiting?.(merges, merges === 0 ? 0 : Math.max(0, clock.wallMs() - oldestMs) / 1_000);
  }

  return {
    start() {
      running = run();
    },
    wake: () => signal.notify(),
    hurry() {
      if (!isResting()) return;
      restUntilMs = -Infinity;
      signal.notify();
    },
    async stop() {
      stopped = true;
      signal.notify();
      await within(clock, SINK_LIMITS.sinkStopMs, running);
      await target.close();
    },
  };
}

/** The guests and accounts of merges, as few at once as the builder of days takes. */
function playersOfMerges(merges: readonly PendingMerge[]): Players[] {
  const groups = Map.groupBy(merges, ({ game, environment }) => `${environment}/${game}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const ids = [...new Set(group.flatMap(({ playerId, into }) => [playerId, into.playerId]))];
    const parts = Math.ceil(ids.length / SINK_LIMITS.erasuresAtOnce);
    return Array.from({ length: parts }, (_, part) => ({
      game: first.game,
      environment: first.environment,
      ids: ids.slice(part * SINK_LIMITS.erasuresAtOnce, (part + 1) * SINK_LIMITS.erasuresAtOnce),
    }));
  });
}
