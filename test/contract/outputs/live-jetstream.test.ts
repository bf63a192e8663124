import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import type { Log } from '../../../streams/log/log.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import { createLiveFeed } from '../../../streams/sinks/live/live-feed.ts';
import { createFakeReader } from '../../../streams/sinks/live/testing-readers.ts';
import { aTrackedEvent, commit } from '../../../streams/sinks/testing-commits.ts';
import { startTestNats, type TestNats } from '../../support/servers/nats.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

/** The live stream over real NATS. */

let nats: TestNats;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats.stop());
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp() {
  const log: Log = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock: systemClock });
  closing.push(() => log.close());
  const metrics = createMetrics();
  const feed = createLiveFeed({ log, clock: systemClock, logger: silentLogger, metrics, heartbeatMs: 200 });
  closing.push(() => feed.stop());
  await feed.start();
  // A new game, so that tests do not affect each other.
  const game = systemIds.uuidv4();
  const attach = (lastEventId?: string) => {
    const reader = createFakeReader();
    const request = { key: 'key_1', game, environment: 'live' as const, eventNames: [] };
    const detach = feed.attach(lastEventId === undefined ? request : { ...request, lastEventId }, reader);
    return { reader, detach };
  };
  let tracked = 0;
  const track = async (count: number) => {
    for (let i = 0; i < count; i++) await commit(log, [aTrackedEvent({ game, eventId: `e${tracked++}` })]);
  };
  const all = () => Array.from({ length: tracked }, (_, i) => `e${i}`);
  return { log, feed, attach, track, all };
}

describe('live stream over JetStream', () => {
  it('sends events committed after `connected`, and heartbeats with the position', async () => {
    const { attach, track, all } = await setUp();
    const { reader } = attach();
    await track(20);
    await until('all have come', () => reader.eventIds().length === 20);
    expect(reader.messages[0]?.data['type']).toBe('connected');
    expect(reader.eventIds()).toEqual(all());
    const beat = await until('a heartbeat comes', () =>
      reader.messages.slice(20).find(({ data }) => data['type'] === 'heartbeat'),
    );
    expect(beat.id).toMatch(/^[0-9a-f]{12}-\d+-end$/);
  });

  it('resumes from the log in a new process, with no gap and no duplicate', async () => {
    const one = await setUp();
    const { reader, detach } = one.attach();
    await one.track(10);
    await until('some have come', () => reader.eventIds().length === 10);
    detach();
    await one.track(10);
    // The new process has no recent records: it reads everything from the log.
    const log = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock: systemClock });
    closing.push(() => log.close());
    const metrics = createMetrics();
    const other = createLiveFeed({ log, clock: systemClock, logger: silentLogger, metrics, heartbeatMs: 60_000 });
    closing.push(() => other.stop());
    await other.start();
    const resumed = createFakeReader();
    const game = String(reader.messages[0]?.data['game_id']);
    const lastEventId = reader.messages.findLast(({ data }) => data['event_id'] === 'e4')?.id ?? '';
    other.attach({ key: 'key_1', game, environment: 'live', eventNames: [], lastEventId }, resumed);
    await one.track(10);
    await until('all have come', () => resumed.eventIds().length >= 25);
    expect(resumed.eventIds()).toEqual(one.all().slice(5));
    expect(resumed.messages.some(({ data }) => data['type'] === 'gap')).toBe(false);
  });

  it('a broker that is killed and restarted loses no event and sends no duplicate', async () => {
    const { log, attach, track, all } = await setUp();
    const { reader } = attach();
    await track(20);
    await nats.kill();
    await nats.start();
    await until('the log is back', () => log.connected);
    await track(20);
    await until('all have come', () => reader.eventIds().length >= 40, 40_000);
    expect(reader.eventIds()).toEqual(all());
    expect(reader.messages.some(({ data }) => data['type'] === 'gap')).toBe(false);
  });
});
