import { ClickHouseError } from '@clickhouse/client';
import { within, type Clock } from '../../../../core/kernel/clock.ts';
import type { Adjustable } from '../../../../core/kernel/adjustable.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import { createSignal } from '../../../../core/kernel/flow/signal.ts';
import { createBuildJob, type BuildJob } from './build-job.ts';
import { createBuildNotes, type BuildNotes, type Goal } from './build-notes.ts';
import type { Players, PlayerDaysTarget, SinkPlace, Tenant } from './target.ts';

/**
 * Keeps `player_days` up to date: one row per player and day of the game's time zone, made from rows that ClickHouse
 * holds exactly once.
 *
 * Invariants
 * 1. A build reads rows up to the sink's stored position: all of them are inserted, so none is missed.
 * 2. The players and days of a build follow from the rows between the previous position of its game and this one. A
 *    build that was interrupted is repeated with at least these rows, and writes higher versions.
 * 3. A player's day is always made from all of its rows, never added to. Late and imported rows need nothing special.
 * 4. Games take turns, a day at a time: a large import of one keeps no other waiting.
 * 5. A build makes its days beside the table and writes them at its end, so no reader sees a part of them.
 * 6. An erasure deletes the player's days after its rows, and builds them from the rows of a later life. Steps of
 *    builds and erasures take turns, so that a build cannot write what it read before the deletion.
 */
export interface PlayerDaysBuilder {
  start(): void;
  /**
   * Deletes players' days and builds them from the rows that are left. Rejects if ClickHouse is unreachable. `later`:
   * an earlier deletion still runs; call again.
   */
  rebuild(players: readonly Players[]): Promise<'rebuilt' | 'later'>;
  /** Looks at once whether the time zone of a game changed. */
  wake(): void;
  stop(): Promise<void>;
}

export interface PlayerDaysOptions {
  /** How far the sink is; `undefined`: it has written nothing. */
  position: () => Promise<SinkPlace | undefined>;
  clock: Clock;
  target: PlayerDaysTarget;
  /** Whether this process holds the writer's lease. */
  leads: () => boolean;
  /** The time zone in which a game counts days. */
  zoneOf: (game: string) => string;
  /** Called with how long ago the oldest rows came that are not built. */
  onBehind?: (seconds: number) => void;
  limits?: Adjustable<typeof SINK_LIMITS, 'playerDaysEveryMs' | 'playerDaysRestShare' | 'playerDaysRestMostMs'>;
  logger: Logger;
}

export function createPlayerDaysBuilder(options: PlayerDaysOptions): PlayerDaysBuilder {
  const { position, clock, target, leads, zoneOf, onBehind, logger, limits = SINK_LIMITS } = options;
  const signal = createSignal();
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let turn: Promise<unknown> = Promise.resolve();
  let notes: BuildNotes | undefined;
  let jobs: BuildJob[] = [];
  /** The job whose step is under way, or was last. */
  let current: BuildJob | undefined;
  /** Since when games wait that are built to no time, by game. */
  const since = new Map<string, number>();
  /** When games may be built again in the zone of their last build. */
  const rests = new Map<string, { zone: string; untilMs: number }>();

  const isOpen = (): boolean => !stopped;
  const goesOn = (): boolean => isOpen() && leads();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function run(): Promise<void> {
    while (isOpen()) {
      if (leads()) await round();
      else forget();
      if (isOpen()) await signal.wait(clock, limits.playerDaysEveryMs);
    }
  }

  /** Another process may have built meanwhile. */
  function forget(): void {
    notes = undefined;
    jobs = [];
  }

  /** Looks for rows and takes up their games, until no game is to be built now. */
  async function round(): Promise<void> {
    try {
      let lookMs = -Infinity;
      while (goesOn()) {
        if (clock.monotonicMs() - lookMs >= limits.playerDaysEveryMs) {
          await inTurn(look);
          lookMs = clock.monotonicMs();
        }
        current = jobs.shift();
        if (current === undefined) break;
        const job = current;
        if ((await inTurn(() => advance(job))) && current === job) jobs.push(job);
      }
    } catch (error) {
      forget();
      if (!stopped) logger.warn({ err: error }, 'player_days could not be built; the next attempt follows');
    }
  }

  async function look(): Promise<void> {
    const place = await position();
    if (place === undefined) return;
    if (notes === undefined) await target.followZones();
    // Read each time: an operator may have emptied the table, so that everything is built again.
    notes = await createBuildNotes(target, zoneOf, since);
    await notes.look(place);
    jobs = jobs.filter(({ goal }) => notes?.isCurrent(goal) === true);
    const busy = new Set(jobs.map(({ goal }) => keyOf(goal)));
    const now = clock.monotonicMs();
    for (const goal of notes.goals()) {
      if (!busy.has(keyOf(goal)) && !isResting(goal, now)) jobs.push(createBuildJob(target, goal, clock));
    }
    onBehind?.(notes.behindSeconds(clock.wallMs()));
  }

  /** In another zone no day is right any more, so its build does not wait. */
  function isResting(goal: Goal, nowMs: number): boolean {
    const rest = rests.get(keyOf(goal));
    return rest !== undefined && rest.zone === goal.zone && rest.untilMs > nowMs;
  }

  /** @returns whether the job has more to do */
  async function advance(job: BuildJob): Promise<boolean> {
    // An erasure had its turn meanwhile.
    if (current !== job) return false;
    const key = keyOf(job.goal);
    try {
      if (await job.advance()) return true;
    } catch (error) {
      // ClickHouse answered: the days of other games may be built all the same.
      if (!(error instanceof ClickHouseError)) throw error;
      logger.warn({ err: error, tenant: key }, 'player_days of a game could not be built; the next attempt follows');
      rest(job);
      return false;
    }
    rest(job);
    if (await notes?.built(job.goal, clock.wallMs(), job.seconds)) await target.followZones();
    onBehind?.(notes?.behindSeconds(clock.wallMs()) ?? 0);
    logger.debug({ tenant: key, seconds: job.seconds, ...job.goal.to }, 'player_days of a game is built');
    return false;
  }

  function rest({ goal, seconds }: BuildJob): void {
    const ms = Math.min(seconds * 1_000 * limits.playerDaysRestShare, limits.playerDaysRestMostMs);
    const untilMs = clock.monotonicMs() + Math.max(limits.playerDaysEveryMs, ms);
    rests.set(keyOf(goal), { zone: goal.zone, untilMs });
  }

  /** A build of all rows takes days away that it did not find: it begins again. */
  async function rebuild(players: readonly Players[]): Promise<'rebuilt' | 'later'> {
    const place = await position();
    if (place === undefined) return 'rebuilt';
    const found = notes ?? (await createBuildNotes(target, zoneOf, since));
    for (const group of players) {
      const isDropped = ({ goal }: BuildJob): boolean => goal.from === 0 && keyOf(goal) === keyOf(group);
      jobs = jobs.filter((job) => !isDropped(job));
      if (current !== undefined && isDropped(current)) current = undefined;
      if ((await target.rebuild(group, found.rebuildOf(group, place.to))) === 'later') return 'later';
    }
    return 'rebuilt';
  }

  return {
    start() {
      running = run();
    },
    rebuild: (players) => inTurn(() => rebuild(players)),
    wake: () => signal.notify(),
    async stop() {
      stopped = true;
      signal.notify();
      await within(clock, SINK_LIMITS.sinkStopMs, running);
      await target.close();
    },
  };
}

const keyOf = ({ environment, game }: Tenant | Goal): string => `${environment}:${game}`;
