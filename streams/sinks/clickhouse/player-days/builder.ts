import { ClickHouseError } from '@clickhouse/client';
import { within, type Clock } from '../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { createSignal } from '../../../../core/kernel/flow/signal.ts';
import type { Log } from '../../../log/log.ts';
import { type HandledTo, readHandledTo } from '../../../positions/positions.ts';
import type { Players, PlayerDaysTarget } from './target.ts';

/**
 * Keeps `player_days` up to date: one row per player and UTC day, made from rows that ClickHouse holds exactly once.
 *
 * Invariants
 * 1. A build reads rows up to the sink's stored position: all of them are inserted, so none is missed.
 * 2. The players and days of a build follow from the rows between the previous position and this one. A build that was
 *    interrupted is repeated with at least these rows, and writes higher versions.
 * 3. A player's day is always made from all of its rows, never added to. Late and imported rows need nothing special.
 * 4. An erasure deletes the player's days after its rows, and builds them from the rows of a later life. Builds and
 *    erasures take turns, so that a build cannot write what it read before the deletion.
 */
export interface PlayerDaysBuilder {
  start(): void;
  /**
   * Deletes players' days and builds them from the rows that are left. Rejects if ClickHouse is unreachable. `later`:
   * an earlier deletion still runs; call again.
   */
  rebuild(players: readonly Players[]): Promise<'rebuilt' | 'later'>;
  stop(): Promise<void>;
}

export interface PlayerDaysOptions {
  log: Pick<Log, 'bucket'>;
  clock: Clock;
  target: PlayerDaysTarget;
  /** Whether this process holds the writer's lease. */
  leads: () => boolean;
  limits?: Adjustable<typeof SINK_LIMITS, 'playerDaysEveryMs' | 'playerDaysRestShare' | 'playerDaysRestMostMs'>;
  logger: Logger;
}

export function createPlayerDaysBuilder(options: PlayerDaysOptions): PlayerDaysBuilder {
  const { log, clock, target, leads, logger, limits = SINK_LIMITS } = options;
  const signal = createSignal();
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let turn: Promise<unknown> = Promise.resolve();
  /** Where this process built to last; spares ClickHouse a statement while nothing comes. */
  let last: HandledTo | undefined;

  const goesOn = (): boolean => !stopped;

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function run(): Promise<void> {
    while (goesOn()) {
      const begun = clock.monotonicMs();
      if (leads()) await inTurn(attempt);
      const rest = Math.min((clock.monotonicMs() - begun) * limits.playerDaysRestShare, limits.playerDaysRestMostMs);
      if (goesOn()) await signal.wait(clock, Math.max(limits.playerDaysEveryMs, rest));
    }
  }

  async function attempt(): Promise<void> {
    try {
      await build();
    } catch (error) {
      if (!stopped) logger.warn({ err: error }, 'player_days could not be built; the next attempt follows');
    }
  }

  async function build(): Promise<void> {
    const to = await readHandledTo(log, 'clickhouse');
    if (to === undefined || (last?.createdMs === to.createdMs && last.sequence >= to.sequence)) return;
    const built = await target.builtTo();
    // Sequences of another FACTS say nothing about rows: then all days are built.
    const from = built?.createdMs === to.createdMs ? built.sequence : 0;
    if (from >= to.sequence) {
      last = built;
      return;
    }
    const begun = clock.monotonicMs();
    const days = await target.touched(from, to);
    const refused = new Map<string, ClickHouseError>();
    for (const [place, day] of days.entries()) {
      if (stopped || !leads()) return;
      const tenant = `${day.environment}:${day.game}`;
      if (refused.has(tenant)) continue;
      try {
        await target.build(day, place, from, to);
      } catch (error) {
        // ClickHouse answered: the days of other games may be built all the same.
        if (!(error instanceof ClickHouseError)) throw error;
        refused.set(tenant, error);
      }
    }
    for (const [tenant, err] of refused) {
      logger.warn({ err, tenant }, 'player_days of a game could not be built; the next attempt builds all games again');
    }
    if (refused.size > 0) return;
    const seconds = (clock.monotonicMs() - begun) / 1_000;
    await target.noteBuilt(to, clock.wallMs(), seconds);
    last = to;
    logger.debug({ days: days.length, seconds, ...to }, 'player_days is built');
  }

  return {
    start() {
      running = run();
    },
    rebuild: (players) =>
      inTurn(async () => {
        const to = await readHandledTo(log, 'clickhouse');
        return to === undefined ? 'rebuilt' : target.rebuild(players, to);
      }),
    async stop() {
      stopped = true;
      signal.notify();
      await within(clock, SINK_LIMITS.sinkStopMs, running);
      await target.close();
    },
  };
}
