import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { SINK_LIMITS } from '../limits.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../../test/support/in-memory/silent-logger.ts';
import { createPlayerDaysBuilder } from './builder.ts';
import type { Build, Built, PlayerDaysTarget, SinkPlace } from './target.ts';

const CREATED = Date.UTC(2026, 0, 1);
const DAYS = ['2026-01-01', '2026-01-02'];
const DEMO = { game: 'demo', environment: 'live' };
const BIG = { game: 'big', environment: 'live' };
const EVERY_MS = SINK_LIMITS.playerDaysEveryMs;

/** A target that notes every call; `fault` replaces the next stage of a day. */
function setUp() {
  const clock = createFakeClock();
  const calls: string[] = [];
  const stored = new Map<string, Built>();
  const zones = new Map<string, string>();
  const touched = new Map([['demo', DEMO]]);
  const behind: number[] = [];
  let leads = true;
  let fault: (() => Promise<void>) | undefined;
  let days: (build: Build) => string[] = () => DAYS;
  let place: SinkPlace | undefined;
  let bigDayMs = 0;
  const target: PlayerDaysTarget = {
    builds: async () => [...stored.values()],
    async note(builds) {
      for (const build of builds) stored.set(`${build.environment}:${build.game}`, build);
    },
    async touched(from, to) {
      calls.push(`touched ${from} to ${to.sequence}`);
      return [...touched.values()];
    },
    async begin(build) {
      calls.push(`${build.game} from ${build.from} to ${build.to.sequence} in ${build.zone}`);
      return days(build);
    },
    async stage(build, day) {
      const now = fault;
      fault = undefined;
      await now?.();
      if (build.game === 'big') await new Promise<void>((resolve) => void clock.timer(bigDayMs, resolve));
      calls.push(`${build.game} ${day}`);
    },
    slices: async () => 1,
    async finish({ game, to }) {
      calls.push(`${game} built ${to.sequence}`);
    },
    async followZones() {
      calls.push('views');
    },
    async rebuild({ ids }, { zone }) {
      calls.push(`rebuild ${ids.join(' ')} in ${zone}`);
      return 'rebuilt';
    },
    close: () => Promise.resolve(),
  };
  const make = () =>
    createPlayerDaysBuilder({
      position: async () => place,
      clock,
      target,
      leads: () => leads,
      zoneOf: (game) => zones.get(game) ?? 'UTC',
      onBehind: (seconds) => behind.push(seconds),
      logger: silentLogger,
    });
  return {
    clock,
    calls,
    behind,
    zones,
    touched,
    builder: make(),
    make,
    builtOf: (game: string) => stored.get(game === '' ? ':' : `live:${game}`),
    lead: (value: boolean) => {
      leads = value;
    },
    have: (of: typeof days) => {
      days = of;
    },
    bigDaysTake: (ms: number) => {
      bigDayMs = ms;
    },
    fail: (work: () => Promise<void>) => {
      fault = work;
    },
    position(sequence: number, createdMs = CREATED) {
      place = { to: { createdMs, sequence }, asOfMs: clock.wallMs() };
    },
    /** The calls since the last time, after one more interval. */
    async next() {
      await clock.advance(EVERY_MS);
      return calls.splice(0);
    },
  };
}

const built = (from: number, to: number, game = 'demo', zone = 'UTC'): string[] => [
  `${game} from ${from} to ${to} in ${zone}`,
  ...DAYS.map((day) => `${game} ${day}`),
  `${game} built ${to}`,
];
const round = (from: number, to: number): string[] => [`touched ${from} to ${to}`, ...built(from, to)];

describe('the builder of player_days', () => {
  it('builds what came since the last build, up to the position of the sink, oldest day first', async () => {
    const world = setUp();
    world.builder.start();
    expect(await world.next()).toEqual([]);
    world.position(7);
    expect(await world.next()).toEqual(['views', ...round(0, 7)]);
    expect(await world.next()).toEqual([]);
    world.position(9);
    expect(await world.next()).toEqual(round(7, 9));
    await world.builder.stop();
  });

  it('says for each game up to when it is built, and how long ago the oldest rows came that are not', async () => {
    const world = setUp();
    world.builder.start();
    world.position(7);
    const asOfMs = world.clock.wallMs();
    await world.next();
    expect(world.builtOf('demo')).toMatchObject({ sequence: 7, waitsTo: 0, builtToMs: asOfMs, zone: 'UTC' });
    expect(world.builtOf('')).toMatchObject({ sequence: 7, builtToMs: asOfMs });
    world.position(9);
    world.fail(() => new Promise((resolve) => void world.clock.timer(3 * EVERY_MS, resolve)));
    await world.clock.advance(EVERY_MS);
    expect(world.builtOf('demo')).toMatchObject({ sequence: 7, waitsTo: 9, builtToMs: asOfMs });
    expect(world.behind.at(-1)).toBe((world.clock.wallMs() - asOfMs) / 1_000);
    await world.clock.advance(3 * EVERY_MS);
    expect(world.builtOf('demo')).toMatchObject({ sequence: 9, waitsTo: 0 });
    expect(world.behind.at(-1)).toBe(0);
    await world.builder.stop();
  });

  it('gives games turns by the day: an import of one keeps no other waiting', async () => {
    const world = setUp();
    world.touched.set('big', BIG);
    world.have(({ game }) => (game === 'big' ? Array.from({ length: 9 }, (_, n) => `2025-01-0${n + 1}`) : DAYS));
    world.position(7);
    world.builder.start();
    await world.clock.flush();
    await world.clock.advance(1);
    const calls = world.calls.splice(0);
    expect(calls.indexOf('demo built 7')).toBeLessThan(calls.indexOf('big 2025-01-04'));
    expect(calls.at(-1)).toBe('big built 7');
    await world.builder.stop();
  });

  it('builds new rows of a game while a long build of another goes on', async () => {
    const world = setUp();
    world.touched.set('big', BIG);
    world.have(({ game }) => (game === 'big' ? Array.from({ length: 60 }, (_, n) => `${n}`) : DAYS));
    world.position(7);
    world.bigDaysTake(EVERY_MS / 10);
    world.builder.start();
    for (let step = 0; step < 30; step += 1) {
      if (step === 5) world.touched.delete('big');
      if (step === 6) world.position(8);
      await world.clock.advance(EVERY_MS / 10);
    }
    expect(world.calls.filter((call) => call.includes('built'))).toEqual(['demo built 7', 'demo built 8']);
    await world.clock.advance(6 * EVERY_MS);
    expect(world.calls).toContain('big built 7');
    await world.builder.stop();
  });

  it('repeats a build that failed, with what came meanwhile', async () => {
    const world = setUp();
    world.position(7);
    world.fail(() => Promise.reject(new Error('connection refused')));
    world.builder.start();
    await world.clock.flush();
    expect(world.calls.splice(0)).toEqual(['views', 'touched 0 to 7', 'demo from 0 to 7 in UTC']);
    world.position(8);
    expect(await world.next()).toEqual(['views', 'touched 7 to 8', ...built(0, 8)]);
    await world.builder.stop();
  });

  it('builds the days of other games if ClickHouse refuses one, and tries that one again after a rest', async () => {
    const world = setUp();
    world.touched.set('other', { game: 'other', environment: 'live' });
    world.position(7);
    world.fail(() => Promise.reject(new ClickHouseError({ message: 'memory limit exceeded', code: '241' })));
    world.builder.start();
    await world.clock.flush();
    expect(world.calls).toContain('other built 7');
    expect(world.calls.splice(0)).not.toContain('demo built 7');
    expect((await world.next()).at(-1)).toBe('demo built 7');
    await world.builder.stop();
  });

  it('builds everything again after FACTS was created anew', async () => {
    const world = setUp();
    world.position(7);
    world.builder.start();
    await world.next();
    world.position(3, CREATED + 1);
    expect(await world.next()).toEqual(round(0, 3));
    await world.builder.stop();
  });

  it('builds all rows of a game anew in another time zone, says so, and then lets the views follow', async () => {
    const world = setUp();
    world.position(7);
    world.builder.start();
    await world.next();
    world.zones.set('demo', 'Europe/Berlin');
    world.fail(async () => {
      expect(world.builtOf('demo')).toMatchObject({ sequence: 0, builtToMs: 0, zone: 'UTC', waitsTo: 7 });
    });
    expect(await world.next()).toEqual([...built(0, 7, 'demo', 'Europe/Berlin'), 'views']);
    expect(world.builtOf('demo')).toMatchObject({ sequence: 7, zone: 'Europe/Berlin', waitsTo: 0 });
    expect(await world.next()).toEqual([]);
    await world.builder.stop();
  });

  it('begins again in the zone of then if a build was interrupted, in whatever process', async () => {
    const world = setUp();
    world.position(7);
    world.builder.start();
    await world.next();
    world.zones.set('demo', 'Europe/Berlin');
    world.fail(async () => {
      world.zones.set('demo', 'America/Sao_Paulo');
      world.lead(false);
    });
    expect((await world.next())[0]).toBe('demo from 0 to 7 in Europe/Berlin');
    await world.builder.stop();
    world.lead(true);
    const other = world.make();
    other.start();
    await world.clock.flush();
    expect(world.calls).toEqual(['views', ...built(0, 7, 'demo', 'America/Sao_Paulo'), 'views']);
    await other.stop();
  });

  it('stops in the middle of a build when its process no longer leads', async () => {
    const world = setUp();
    world.position(7);
    world.fail(async () => world.lead(false));
    world.builder.start();
    expect(await world.next()).toEqual(['views', ...round(0, 7).slice(0, 3)]);
    expect(await world.next()).toEqual([]);
    world.lead(true);
    expect(await world.next()).toEqual(['views', ...built(0, 7)]);
    await world.builder.stop();
  });

  it('lets a game rest in proportion to the duration of its build', async () => {
    const world = setUp();
    world.position(7);
    const seconds = 10;
    world.fail(() => new Promise((resolve) => void world.clock.timer(seconds * 1_000, resolve)));
    world.builder.start();
    await world.clock.advance(seconds * 1_000);
    world.calls.length = 0;
    world.position(8);
    await world.clock.advance(seconds * 1_000 * SINK_LIMITS.playerDaysRestShare - EVERY_MS);
    expect(world.calls).toEqual(['touched 7 to 8']);
    await world.clock.advance(2 * EVERY_MS);
    expect(world.calls).toEqual(round(7, 8));
    await world.builder.stop();
  });

  it('builds in another time zone at once, however long the game should rest', async () => {
    const world = setUp();
    world.position(7);
    world.fail(() => new Promise((resolve) => void world.clock.timer(10_000, resolve)));
    world.builder.start();
    await world.clock.advance(10_000);
    await world.clock.advance(1_500);
    world.calls.length = 0;
    for (const zone of ['Europe/Berlin', 'America/Sao_Paulo']) {
      world.zones.set('demo', zone);
      world.builder.wake();
      await world.clock.flush();
      expect(world.calls.splice(0)).toEqual([...built(0, 7, 'demo', zone), 'views']);
    }
    world.position(8);
    world.builder.wake();
    await world.clock.flush();
    expect(world.calls.splice(0)).toEqual(['touched 7 to 8']);
    expect(await world.next()).toEqual(built(7, 8, 'demo', 'America/Sao_Paulo'));
    await world.builder.stop();
  });

  it('lets it rest for a bounded time after a build of years of history', async () => {
    const world = setUp();
    world.position(7);
    world.fail(() => new Promise((resolve) => void world.clock.timer(3_600_000, resolve)));
    world.builder.start();
    await world.clock.advance(3_600_000);
    world.calls.length = 0;
    world.position(8);
    await world.clock.advance(SINK_LIMITS.playerDaysRestMostMs + EVERY_MS);
    expect(world.calls).toEqual(round(7, 8));
    await world.builder.stop();
  });

  it('lets an erasure wait for a step that may have read its rows, and begins a build of all rows again', async () => {
    const world = setUp();
    world.position(7);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.fail(() => promise);
    world.builder.start();
    await world.clock.flush();
    const rebuilt = world.builder.rebuild([{ ...DEMO, ids: ['a'] }]);
    await world.clock.flush();
    expect(world.calls).toEqual(['views', 'touched 0 to 7', 'demo from 0 to 7 in UTC']);
    resolve();
    expect(await rebuilt).toBe('rebuilt');
    await world.clock.flush();
    expect(world.calls.slice(3)).toEqual(['demo 2026-01-01', 'rebuild a in UTC']);
    expect(await world.next()).toEqual(expect.arrayContaining(built(0, 7)));
    await world.builder.stop();
  });
});
