import { setImmediate as nextTurn } from 'node:timers/promises';
import { array, assert, asyncProperty, boolean, integer, record } from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { LIVE_LIMITS } from '../../../../streams/sinks/live/limits.ts';
import { createMetrics } from '../../../../src/parts/metrics.ts';
import type { LiveReader } from '../../../../streams/live-feed.ts';
import { createMemoryBroker, type MemoryLog } from '../../../../streams/log/memory/log-memory.ts';
import { createLiveFeed } from '../../../../streams/sinks/live/live-feed.ts';
import { aTrackedEvent, commit } from '../../../../streams/sinks/testing-commits.ts';
import { startGateway, type Gateway } from '../../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { readStream, type StreamReader } from '../../../support/wire/stream-reader.ts';
import { until } from '../../../support/until.ts';

/** The event stream over real connections to the real gateway and live sink, with a log in memory. */

let log: MemoryLog;
let gateway: Gateway;
let key: string;
/** The gateway's end of every connection so far. */
let readers: LiveReader[];
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  const broker = createMemoryBroker({ clock: systemClock });
  log = broker.connect('writer');
  readers = [];
  const live = createLiveFeed({
    log: broker.connect('feed'),
    clock: systemClock,
    logger: silentLogger,
    metrics: createMetrics(),
    heartbeatMs: 25,
  });
  closing.push(() => live.stop());
  await live.start();
  const feed: typeof live = {
    ...live,
    get readers() {
      return live.readers;
    },
    attach(request, reader) {
      readers.push(reader);
      return live.attach(request, reader);
    },
  };
  gateway = await startGateway({ feed });
  closing.push(() => gateway.close());
  key = await gateway.key();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const ballast = (sizeBytes: number) => JSON.stringify({ text: 'x'.repeat(sizeBytes) });

describe('200 readers, of which 20 are stalled', () => {
  const HEALTHY = 175;
  const WITHOUT_FILTER = 5;
  const STALLED = 20;
  const ROUNDS = 200;

  it('healthy readers receive all events in order; stalled ones use bounded memory and resume without loss', async () => {
    const connect = (query: string, lastEventId?: string): StreamReader => {
      const reader = readStream({ url: gateway.url, key, query, lastEventId });
      closing.push(() => reader.close());
      return reader;
    };
    const many = (count: number, query: string) => Array.from({ length: count }, () => connect(query));
    const steps = many(HEALTHY, '?event_name=step');
    const all = many(WITHOUT_FILTER, '');
    const stalled = many(STALLED, '');
    const everybody = [...steps, ...all, ...stalled];
    await until('all are connected', () => everybody.every(({ types }) => types.includes('connected')));
    for (const reader of stalled) reader.pause();

    const written: string[] = [];
    const wantedSteps: string[] = [];
    let mostHeldBytes = 0;
    for (let round = 0; round < ROUNDS; round++) {
      await commit(log, [
        aTrackedEvent({ eventId: `step ${round}`, eventName: 'step' }),
        aTrackedEvent({ eventId: `ballast ${round}`, eventName: 'ballast', properties: ballast(60 * 1024) }),
      ]);
      wantedSteps.push(`step ${round}`);
      written.push(`step ${round}`, `ballast ${round}`);
      await nextTurn();
      // The writer shares its thread with the readers and gives them time, as a network would.
      if (round % 10 === 0)
        await until('the readers keep up', () => all.every(({ eventIds }) => eventIds.length >= 2 * round));
      mostHeldBytes = Math.max(
        mostHeldBytes,
        readers.reduce((sum, reader) => sum + reader.bufferedBytes(), 0),
      );
    }
    const isDone = (reader: StreamReader) => reader.eventIds.length >= written.length;
    await until(
      'the healthy readers have all events',
      () => all.every(isDone) && steps.every((reader) => reader.eventIds.length >= ROUNDS),
    );
    for (const reader of steps) expect(reader.eventIds).toEqual(wantedSteps);
    for (const reader of all) expect(reader.eventIds).toEqual(written);
    for (const reader of [...steps, ...all]) {
      expect(reader.ended).toBe(false);
      expect(reader.types).not.toContain('gap');
    }
    expect(mostHeldBytes).toBeGreaterThan(STALLED * 64 * 1024);
    expect(mostHeldBytes).toBeLessThanOrEqual(STALLED * LIVE_LIMITS.streamReaderBytes);

    // Readers that are still connected continue; disconnected ones resume with `Last-Event-ID`.
    for (const slow of stalled) {
      slow.resume();
      await until('it continues, or was disconnected', () => slow.ended || isDone(slow));
      const seen = [...slow.eventIds];
      if (!isDone(slow)) {
        const back = connect('', slow.lastId);
        await until('it has the rest', () => seen.length + back.eventIds.length >= written.length);
        expect(back.types).not.toContain('gap');
        seen.push(...back.eventIds);
        back.close();
      }
      expect(seen).toEqual(written);
    }
  });
});

describe('a reader that is disconnected fifty times at random bytes', () => {
  const cuts = array(record({ afterBytes: integer({ min: 1, max: 6_000 }), staysAway: boolean() }), {
    minLength: 50,
    maxLength: 50,
  });
  /** More records than the feed keeps in memory: a reader that is away for longer is served from the log. */
  const AWAY_RECORDS = Math.ceil(LIVE_LIMITS.streamRecentBytes / (30 * 1024)) + 5;

  it('and resumes with `Last-Event-ID` receives every event once, in order', async () => {
    let run = 0;
    const follow = async (plan: readonly { afterBytes: number; staysAway: boolean }[]): Promise<void> => {
      const eventName = `of run ${run++}`;
      const written: string[] = [];
      const writer = { records: 0, done: false };
      const write = async (): Promise<void> => {
        while (!writer.done) {
          const batch = Array.from(
            { length: 1 + (writer.records % 3) },
            (_, i) => `${eventName}: ${writer.records}.${i}`,
          );
          written.push(...batch);
          const mine = batch.map((eventId) =>
            aTrackedEvent({ eventId, eventName, properties: ballast(writer.records % 500) }),
          );
          await commit(log, [aTrackedEvent({ eventName: 'noise', properties: ballast(30 * 1024) }), ...mine]);
          writer.records += 1;
          await nextTurn();
        }
      };
      const query = `?event_name=${encodeURIComponent(eventName)}`;
      const first = readStream({ url: gateway.url, key, query });
      await until('it is connected', () => first.types.includes('connected'));
      const writing = write();

      const seen: string[] = [];
      let { lastId } = first;
      first.close();
      let absences = 0;
      for (const { afterBytes, staysAway } of plan) {
        const reader = readStream({ url: gateway.url, key, query, lastEventId: lastId, cutAfterBytes: afterBytes });
        while (!reader.ended) await nextTurn();
        expect(reader.types).not.toContain('gap');
        seen.push(...reader.eventIds);
        lastId = reader.lastId ?? lastId;
        // Every eighth long absence outlasts the records in memory.
        if (!staysAway || absences++ % 8 !== 0) continue;
        const back = writer.records + AWAY_RECORDS;
        while (writer.records < back) await nextTurn();
      }
      writer.done = true;
      await writing;
      const last = readStream({ url: gateway.url, key, query, lastEventId: lastId });
      await until('it has the rest', () => seen.length + last.eventIds.length >= written.length);
      last.close();
      expect([...seen, ...last.eventIds]).toEqual(written);
      expect(last.types).not.toContain('gap');
    };
    await assert(asyncProperty(cuts, follow), { numRuns: 3, endOnFailure: true });
  });
});
