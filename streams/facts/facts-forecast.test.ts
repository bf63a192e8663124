import { Writable } from 'node:stream';
import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/parts/metrics.ts';
import { FACTS_LIMITS } from './limits.ts';
import { createFakeClock, type FakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { encodeJson } from '../../core/codec/codec.ts';
import { FILLING, forecastFacts, forecastInfo, type FactsForecaster } from './facts-forecast.ts';
import { watchFactsRoom } from './facts-room.ts';
import { createMemoryBroker, type MemoryBroker, type MemoryLog } from '../log/memory/log-memory.ts';

const MAX_BYTES = 100_000;
const COMMANDS_BYTES = 75_000;
const RECORD_BYTES = 1_000;
const MINUTE_MS = 60_000;

describe('the forecast of FACTS', () => {
  let clock: FakeClock;
  let broker: MemoryBroker;
  let log: MemoryLog;
  let forecaster: FactsForecaster;
  let lines: { msg: string; holder: string; remedy: string }[];
  const metrics = createMetrics();
  beforeEach(async () => {
    clock = createFakeClock();
    broker = createMemoryBroker({ clock, streams: { FACTS: { maxBytes: MAX_BYTES } } });
    log = broker.connect('a');
    lines = [];
    const logger = pino(
      { level: 'warn' },
      new Writable({
        write(chunk, _, done) {
          lines.push(JSON.parse(String(chunk)));
          done();
        },
      }),
    );
    const room = watchFactsRoom({ log, clock, logger });
    forecaster = forecastFacts({ log, clock, partitions: 2, room, metrics, logger });
    await clock.flush();
  });

  const latest = () => {
    if (forecaster.latest === undefined) throw new Error('no forecast');
    return forecaster.latest;
  };
  const note = (key: string, value: Record<string, unknown>) =>
    log.bucket('POSITIONS').put(key, encodeJson({ stream: broker.stream('FACTS').bounds().created, ...value }));
  /** One record every ten seconds, which everything but `behind` has passed at once. */
  async function write(count: number, behind: readonly string[] = []): Promise<void> {
    for (let i = 0; i < count; i++) {
      void log.append(`facts.${i % 2}`, new Uint8Array(RECORD_BYTES - 29));
      await clock.flush();
      const sequence = broker.stream('FACTS').bounds().lastSequence;
      for (const sink of ['clickhouse', 'webhooks']) if (!behind.includes(sink)) void note(sink, { sequence });
      for (const partition of [0, 1])
        if (!behind.includes(`partition-${partition}`))
          void note(`rebuild.${partition}`, { coveredTo: sequence, confirmedTo: 0, players: 0 });
      await clock.advance(FACTS_LIMITS.factsForecastMs);
    }
  }

  it('names nothing while everything is passed, however full FACTS is', async () => {
    await write(60);
    expect(latest()).toMatchObject({ warns: false, fullInSeconds: Infinity });
    expect(latest().held[0]?.bytes).toBeLessThan(2 * RECORD_BYTES);
    expect(lines).toEqual([]);
  });

  it.each(['clickhouse', 'webhooks'])('names %s, the bytes it holds, and when it is full', async (who) => {
    await write(10);
    await write(30, [who]);
    expect(latest().held[0]).toEqual({ holder: who, bytes: expect.closeTo(30 * RECORD_BYTES, -3) });
    // 30 records in the 400 s of both writes; 45 more fit.
    expect(latest().fullInSeconds).toBeGreaterThan(500);
    expect(latest().fullInSeconds).toBeLessThan(700);
    expect(latest().warns).toBe(true);
    expect(lines).toMatchObject([{ msg: FILLING, holder: who, remedy: expect.stringMatching(/check/) }]);
  });

  it('does not warn of a partition whose mark is an hour behind, but of one that is longer behind', async () => {
    const sequence = () => broker.stream('FACTS').bounds().lastSequence;
    const pass = (partition: number) =>
      void note(`rebuild.${partition}`, { coveredTo: sequence(), confirmedTo: 0, players: 0 });
    async function play(minutes: number): Promise<void> {
      for (let tens = 0; tens < 6 * minutes; tens++) {
        void log.append('facts.0', new Uint8Array(1));
        await clock.flush();
        for (const sink of ['clickhouse', 'webhooks']) void note(sink, { sequence: sequence() });
        pass(0);
        await clock.advance(FACTS_LIMITS.factsForecastMs);
        warned ||= latest().warns;
      }
    }
    let warned = false;
    pass(1);
    await play(70);
    expect(latest().held[0]).toEqual({ holder: 'partition-1', bytes: expect.closeTo(420 * 30, -3) });
    expect(warned).toBe(false);
    expect(latest().fullInSeconds).toBe(Infinity);
    await play(10);
    expect(warned).toBe(true);
    expect(lines).toMatchObject([{ msg: FILLING, holder: 'partition-1', remedy: expect.stringMatching(/owner/) }]);
  });

  it('warns of a partition that holds what a trim should have removed, however young', async () => {
    await write(60, ['partition-1']);
    expect(lines).toEqual([]);
    await write(6, ['partition-1']);
    expect(latest()).toMatchObject({ warns: true, held: [{ holder: 'partition-1' }, {}, {}, {}] });
  });

  it('counts all of FACTS as held by a ClickHouse that lost rows: the trimmers trim nothing then', async () => {
    await write(60);
    const { lastSequence } = broker.stream('FACTS').bounds();
    void note('clickhouse', { sequence: lastSequence, lost: true });
    await clock.advance(FACTS_LIMITS.factsForecastMs);
    expect(latest().held[0]).toEqual({ holder: 'clickhouse', bytes: expect.closeTo(60 * RECORD_BYTES, -3) });
    expect(latest().warns).toBe(true);
  });

  it('warns once an hour', async () => {
    await write(40, ['clickhouse']);
    await clock.advance(30 * MINUTE_MS);
    expect(lines).toHaveLength(1);
    await clock.advance(31 * MINUTE_MS);
    expect(lines).toHaveLength(2);
  });

  it('is in the metrics and in the verbose form of /readyz, with the time of the oldest record', async () => {
    const beganMs = clock.wallMs();
    await write(40, ['clickhouse']);
    const text = await metrics.text();
    expect(text).toMatch(/facts_held_bytes\{holder="clickhouse"\} 40000/);
    expect(text).toContain(`facts_limit_bytes ${COMMANDS_BYTES}`);
    expect(text).toMatch(/facts_reach_seconds 4\d\d/);
    expect(forecastInfo(latest())).toMatchObject({
      limit_bytes: COMMANDS_BYTES,
      held: [{ holder: 'clickhouse', bytes: 40_000 }, {}, {}, {}],
      reaches_back_to: new Date(beganMs).toISOString(),
    });
    forecaster.stop();
  });
});
