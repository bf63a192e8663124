import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { SINK_LIMITS } from '../limits.ts';
import { createFakeClock } from '../../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../../test/support/in-memory/silent-logger.ts';
import { encodeJson } from '../../../../core/codec/codec.ts';
import { createMemoryBroker } from '../../../log/memory/log-memory.ts';
import { createPlayerDaysBuilder } from './builder.ts';
import type { HandledTo } from '../../../positions/positions.ts';
import type { PlayerDaysTarget } from './target.ts';

const STREAM = '2026-01-01T00:00:00Z';
const DAYS = ['2026-01-01', '2026-01-02'].map((day) => ({ game: 'demo', environment: 'live', day }));
const PLAYERS = [{ game: 'demo', environment: 'live', ids: ['a'] }];

/** A target that notes every call; `fault` replaces the next build of a day. */
function setUp() {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock });
  const calls: string[] = [];
  let built: HandledTo | undefined;
  let leads = true;
  let fault: (() => Promise<void>) | undefined;
  let days = DAYS;
  const target: PlayerDaysTarget = {
    builtTo: async () => built,
    async touched(from, to) {
      calls.push(`touched ${from} to ${to.sequence}`);
      return days;
    },
    async build({ day }, place, from, to) {
      const now = fault;
      fault = undefined;
      await now?.();
      calls.push(`${day} at ${place}, ${from} to ${to.sequence}`);
    },
    async noteBuilt(to) {
      built = to;
      calls.push(`built ${to.sequence}`);
    },
    async rebuild(players, to) {
      calls.push(`rebuild ${players[0]?.ids.join(' ')} at ${to.sequence}`);
      return 'rebuilt';
    },
    close: () => Promise.resolve(),
  };
  const log = broker.connect('sink');
  const builder = createPlayerDaysBuilder({ log, clock, target, leads: () => leads, logger: silentLogger });
  return {
    clock,
    builder,
    calls,
    lead: (value: boolean) => {
      leads = value;
    },
    touch: (touched: typeof DAYS) => {
      days = touched;
    },
    fail: (work: () => Promise<void>) => {
      fault = work;
    },
    async position(sequence: number, stream = STREAM) {
      const bucket = log.bucket('POSITIONS');
      const revision = (await bucket.get('clickhouse'))?.revision ?? 0;
      await bucket.put('clickhouse', encodeJson({ stream, sequence }), revision);
    },
    /** The calls since the last time, after one more interval. */
    async next() {
      await clock.advance(SINK_LIMITS.playerDaysEveryMs);
      return calls.splice(0);
    },
  };
}

const window = (from: number, to: number): string[] => [
  `touched ${from} to ${to}`,
  ...DAYS.map(({ day }, place) => `${day} at ${place}, ${from} to ${to}`),
  `built ${to}`,
];

describe('the builder of player_days', () => {
  it('builds what came since the last build, up to the position of the sink, oldest day first', async () => {
    const world = setUp();
    world.builder.start();
    expect(await world.next()).toEqual([]);
    await world.position(7);
    expect(await world.next()).toEqual(window(0, 7));
    expect(await world.next()).toEqual([]);
    await world.position(9);
    expect(await world.next()).toEqual(window(7, 9));
    await world.builder.stop();
  });

  it('repeats a build that failed, with what came meanwhile', async () => {
    const world = setUp();
    await world.position(7);
    world.fail(() => Promise.reject(new Error('connection refused')));
    world.builder.start();
    await world.clock.flush();
    expect(world.calls.splice(0)).toEqual(['touched 0 to 7']);
    await world.position(8);
    expect(await world.next()).toEqual(window(0, 8));
    await world.builder.stop();
  });

  it('builds the days of other games if ClickHouse refuses one, and goes on from the same place', async () => {
    const world = setUp();
    world.touch([...DAYS, { game: 'other', environment: 'live', day: '2026-01-02' }]);
    await world.position(7);
    world.fail(() => Promise.reject(new ClickHouseError({ message: 'memory limit exceeded', code: '241' })));
    world.builder.start();
    await world.clock.flush();
    expect(world.calls.splice(0)).toEqual(['touched 0 to 7', '2026-01-02 at 2, 0 to 7']);
    expect((await world.next()).at(-1)).toBe('built 7');
    await world.builder.stop();
  });

  it('builds everything again after FACTS was created anew', async () => {
    const world = setUp();
    await world.position(7);
    world.builder.start();
    await world.next();
    await world.position(3, '2026-02-01T00:00:00Z');
    expect(await world.next()).toEqual(window(0, 3));
    await world.builder.stop();
  });

  it('stops in the middle of a build when its process no longer leads', async () => {
    const world = setUp();
    await world.position(7);
    world.fail(async () => world.lead(false));
    world.builder.start();
    expect(await world.next()).toEqual(window(0, 7).slice(0, 2));
    expect(await world.next()).toEqual([]);
    world.lead(true);
    expect(await world.next()).toEqual(window(0, 7));
    await world.builder.stop();
  });

  it('rests in proportion to the duration of a build', async () => {
    const world = setUp();
    await world.position(7);
    const seconds = 10;
    world.fail(() => new Promise((resolve) => void world.clock.timer(seconds * 1_000, resolve)));
    world.builder.start();
    await world.clock.advance(seconds * 1_000);
    world.calls.length = 0;
    await world.position(8);
    await world.clock.advance(seconds * 1_000 * SINK_LIMITS.playerDaysRestShare - 1);
    expect(world.calls).toEqual([]);
    await world.clock.advance(1);
    expect(world.calls).toEqual(window(7, 8));
    await world.builder.stop();
  });

  it('rests for a bounded time after a build of years of history', async () => {
    const world = setUp();
    await world.position(7);
    world.fail(() => new Promise((resolve) => void world.clock.timer(3_600_000, resolve)));
    world.builder.start();
    await world.clock.advance(3_600_000);
    world.calls.length = 0;
    await world.position(8);
    await world.clock.advance(SINK_LIMITS.playerDaysRestMostMs);
    expect(world.calls).toEqual(window(7, 8));
    await world.builder.stop();
  });

  it('lets an erasure wait for a build that may have read its rows', async () => {
    const world = setUp();
    await world.position(7);
    const { promise, resolve } = Promise.withResolvers<void>();
    world.fail(() => promise);
    world.builder.start();
    await world.clock.flush();
    const rebuilt = world.builder.rebuild(PLAYERS);
    await world.clock.flush();
    expect(world.calls).toEqual(['touched 0 to 7']);
    resolve();
    expect(await rebuilt).toBe('rebuilt');
    expect(world.calls).toEqual([...window(0, 7), 'rebuild a at 7']);
    await world.builder.stop();
  });
});
