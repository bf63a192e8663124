import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { SAMPLES } from '../../../test/fixtures/codec/samples.ts';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import { type Metrics, createMetrics } from '../../../src/kernel/metrics.ts';
import type { LiveRequest, LostEvents } from '../../live-feed.ts';
import { noteErasure } from '../../erasures.ts';
import { createMemoryBroker } from '../../log/log-memory.ts';
import { aTrackedEvent, commit } from '../testing.ts';
import { createLiveFeed } from './live-feed.ts';
import { type FakeReader, createFakeReader } from './testing.ts';

const HEARTBEAT_MS = 30_000;
const PLAYER = aTrackedEvent().entityId;

function setUp(countLost?: (lost: LostEvents) => Promise<number | undefined>) {
  const clock = createFakeClock();
  const broker = createMemoryBroker({ clock });
  const log = broker.connect('feed');
  const writer = broker.connect('writer');
  const metrics = createMetrics();
  const feed = createLiveFeed({
    log,
    clock,
    logger: pino({ level: 'silent' }),
    metrics,
    heartbeatMs: HEARTBEAT_MS,
    ...(countLost === undefined ? {} : { countLost }),
  });
  const attach = (some: Partial<LiveRequest> = {}) => {
    const reader = createFakeReader();
    const detach = feed.attach({ key: 'key_1', game: 'demo', environment: 'live', eventNames: [], ...some }, reader);
    return { reader, detach };
  };
  const track = async (...ids: string[]) => {
    await commit(
      writer,
      ids.map((eventId) => aTrackedEvent({ eventId })),
    );
  };
  /** Events of about 60 KiB each, one record for each. */
  const trackLarge = async (ids: string[]) => {
    const properties = JSON.stringify({ text: 'x'.repeat(60 * 1024) });
    for (const eventId of ids) await commit(writer, [aTrackedEvent({ eventId, properties })]);
  };
  return { clock, broker, log, writer, feed, attach, track, trackLarge, metrics };
}

const typesOf = ({ messages }: FakeReader) => messages.map(({ data }) => data['type']);

const valueOf = async (metric: Pick<Metrics['streamGaps'] | Metrics['streamBehind'], 'get'>) =>
  (await metric.get()).values[0]?.value;

const numbered = (count: number, prefix = 'e') => Array.from({ length: count }, (_, i) => `${prefix}${i}`);

describe('live stream', () => {
  it('sends connected first, then each event with the documented fields and an id', async () => {
    const { clock, writer, feed, attach } = setUp();
    await feed.start();
    const { reader } = attach();
    await commit(writer, [
      aTrackedEvent({ eventId: 'e1', sessionId: 'ses_1', properties: '{"__proto__":1,"a":"\\n"}' }),
    ]);
    await clock.flush();
    expect(reader.messages[0]?.data).toEqual({ type: 'connected', game_id: 'demo' });
    expect(reader.messages[1]?.id).toMatch(/^[0-9a-f]{12}-1-0$/);
    expect(JSON.stringify(reader.messages[1]?.data)).toBe(
      `{"type":"event","event_id":"e1","event_name":"level_up","player_id":"${PLAYER}","session_id":"ses_1",` +
        `"properties":{"__proto__":1,"a":"\\n"},"timestamp":"2026-01-01T11:59:00.000Z","received_at":"2026-01-01T12:00:00.000Z"}`,
    );
    expect(reader.messages).toHaveLength(2);
  });

  it('does not send a quarantined event, but its replay', async () => {
    const { clock, writer, feed, attach } = setUp();
    await feed.start();
    const { reader } = attach();
    const release = { number: 1, quarantinedAt: 0 };
    await commit(writer, [SAMPLES.facts.EventQuarantined, aTrackedEvent({ eventId: 'replayed', release })]);
    await clock.flush();
    expect(reader.eventIds()).toEqual(['replayed']);
  });

  it('sends connected once the subscription is live', async () => {
    const { clock, log, writer, feed, attach } = setUp();
    log.disconnect();
    const { reader } = attach();
    const started = feed.start();
    await clock.advance(5_000);
    expect(reader.messages).toEqual([]);
    log.reconnect();
    await started;
    expect(reader.messages.map(({ data }) => data['type'])).toEqual(['connected']);
    await commit(writer, [aTrackedEvent()]);
    await clock.flush();
    expect(reader.eventIds()).toEqual(['event-1']);
  });

  it('sends a heartbeat with a +00:00 time and the current position at every interval', async () => {
    const { clock, feed, attach, track } = setUp();
    await feed.start();
    const { reader } = attach();
    await track('e1', 'e2');
    await clock.advance(2 * HEARTBEAT_MS);
    const beats = reader.messages.filter(({ data }) => data['type'] === 'heartbeat');
    expect(beats.map(({ data }) => data)).toEqual([
      { type: 'heartbeat', timestamp: '2026-01-01T00:00:30.000+00:00' },
      { type: 'heartbeat', timestamp: '2026-01-01T00:01:00.000+00:00' },
    ]);
    expect(beats[0]?.id).toMatch(/^[0-9a-f]{12}-1-end$/);
  });

  it('sends heartbeats on time to fast, stalled and new readers', async () => {
    const { clock, feed, attach, trackLarge } = setUp();
    await feed.start();
    const fast = attach().reader;
    const slow = attach().reader;
    await clock.advance(HEARTBEAT_MS - 5_000);
    const late = attach().reader;
    slow.stall();
    await trackLarge(numbered(8));
    await clock.advance(5_000);
    const atTime = '2026-01-01T00:00:30.000+00:00';
    const beatsOf = (reader: typeof fast) =>
      reader.messages.filter(({ data }) => data['type'] === 'heartbeat').map(({ data }) => data['timestamp']);
    expect(beatsOf(fast)).toEqual([atTime]);
    expect(beatsOf(late)).toEqual([]);
    slow.resume();
    expect(beatsOf(slow)).toEqual([atTime]);
    await clock.advance(HEARTBEAT_MS - 5_000);
    expect(beatsOf(late)).toEqual(['2026-01-01T00:00:55.000+00:00']);
  });

  it('sends heartbeats while the log is lost, but none before connected', async () => {
    const clock = createFakeClock();
    const broker = createMemoryBroker({ clock });
    const log = broker.connect('feed');
    let away = false;
    const info: typeof log.info = (stream) => (away ? Promise.reject(new Error('no answer')) : log.info(stream));
    const metrics = createMetrics();
    const feed = createLiveFeed({
      log: { ...log, info },
      clock,
      logger: pino({ level: 'silent' }),
      metrics,
      heartbeatMs: HEARTBEAT_MS,
    });
    await feed.start();
    const request = { key: 'key_1', game: 'demo', environment: 'live' as const, eventNames: [] };
    const reader = createFakeReader();
    feed.attach(request, reader);
    away = true;
    broker.wipe('FACTS', 'new');
    await clock.flush();
    const waiting = createFakeReader();
    feed.attach(request, waiting);
    await clock.advance(2 * HEARTBEAT_MS);
    expect(typesOf(reader)).toEqual(['connected', 'heartbeat', 'heartbeat']);
    expect(typesOf(waiting)).toEqual([]);
    expect(await valueOf(metrics.streamBehind)).toBe(2);
    away = false;
    await clock.advance(2_000);
    expect(typesOf(reader)).toEqual(['connected', 'heartbeat', 'heartbeat', 'gap']);
    expect(typesOf(waiting)).toEqual(['connected']);
    expect(await valueOf(metrics.streamBehind)).toBe(0);
    expect(await valueOf(metrics.streamGaps)).toBe(1);
  });

  it("sends only events of the reader's game, environment, names and player", async () => {
    const { clock, writer, feed, attach } = setUp();
    await feed.start();
    const all = attach().reader;
    const named = attach({ eventNames: ['purchase', 'login'] }).reader;
    const player = attach({ playerId: 'p2' }).reader;
    const test = attach({ environment: 'test' }).reader;
    const other = attach({ game: 'other' }).reader;
    await commit(writer, [
      aTrackedEvent({ eventId: 'a' }),
      aTrackedEvent({ eventId: 'b', eventName: 'purchase' }),
      aTrackedEvent({ eventId: 'c', entityId: 'p2', eventName: 'login' }),
      aTrackedEvent({ eventId: 'd', environment: 'test' }),
      aTrackedEvent({ eventId: 'e', game: 'other' }),
    ]);
    await clock.flush();
    expect(all.eventIds()).toEqual(['a', 'b', 'c']);
    expect(named.eventIds()).toEqual(['b', 'c']);
    expect(player.eventIds()).toEqual(['c']);
    expect(test.eventIds()).toEqual(['d']);
    expect(other.eventIds()).toEqual(['e']);
  });

  it('writes nothing to a detached reader, and counts readers', async () => {
    const { clock, feed, attach, track, metrics } = setUp();
    await feed.start();
    const gone = attach();
    const stays = attach();
    expect(feed.readers).toBe(2);
    gone.detach();
    gone.detach();
    expect(feed.readers).toBe(1);
    expect((await metrics.streamReaders.get()).values[0]?.value).toBe(1);
    await track('e1');
    await clock.flush();
    expect(gone.reader.eventIds()).toEqual([]);
    expect(stays.reader.eventIds()).toEqual(['e1']);
  });

  it('continues after the broker was away', async () => {
    const { clock, log, feed, attach, track } = setUp();
    await feed.start();
    const { reader } = attach();
    log.disconnect();
    await track('e1');
    await clock.advance(10_000);
    expect(reader.eventIds()).toEqual([]);
    log.reconnect();
    await track('e2');
    await clock.flush();
    expect(reader.eventIds()).toEqual(['e1', 'e2']);
  });

  it('ends every reader when it stops, and refuses new ones', async () => {
    const { feed, attach } = setUp();
    await feed.start();
    const before = attach().reader;
    await feed.stop();
    const after = attach().reader;
    expect(before.ended).toBe(true);
    expect(after.ended).toBe(true);
    expect(after.messages[0]?.data).toMatchObject({ type: 'error', code: 'SERVICE_UNAVAILABLE' });
    expect(feed.readers).toBe(0);
  });
});

describe('a reader that resumes with Last-Event-ID', () => {
  it('gets the missed events once and in order, then live ones', async () => {
    const { clock, feed, attach, track } = setUp();
    await feed.start();
    const first = attach();
    await track('e0', 'e1', 'e2');
    await clock.flush();
    first.detach();
    await track('e3', 'e4');
    const resumeFrom = first.reader.messages[2]?.id ?? '';
    const { reader } = attach({ lastEventId: resumeFrom });
    await track('e5');
    await clock.advance(100);
    await track('e6');
    await clock.flush();
    expect(reader.messages[0]?.data['type']).toBe('connected');
    expect(reader.eventIds()).toEqual(['e2', 'e3', 'e4', 'e5', 'e6']);
  });

  it('gets no event of a player erased since, but those of the life that followed', async () => {
    const { clock, broker, writer, feed, attach, track } = setUp();
    await feed.start();
    const { reader: first } = attach();
    await track('old-1', 'old-2');
    await clock.flush();
    const { created } = broker.stream('FACTS').bounds();
    await commit(writer, [aTrackedEvent({ eventId: 'other', entityId: 'somebody else' })]);
    await noteErasure(writer, PLAYER, { created, sequence: 3, index: 0, erasedAt: clock.wallMs() });
    await commit(writer, [aTrackedEvent({ eventId: 'new' })]);
    await clock.flush();
    expect(first.eventIds()).toEqual(['old-1', 'old-2', 'other', 'new']);
    const { reader } = attach({ lastEventId: first.messages[0]?.id ?? '' });
    await clock.advance(100);
    expect(reader.eventIds()).toEqual(['other', 'new']);
  });

  it('resumes from the id of connected and of a heartbeat', async () => {
    const { clock, feed, attach, track } = setUp();
    await feed.start();
    const fresh = attach();
    const fromConnected = fresh.reader.lastId() ?? '';
    await track('e1');
    await clock.advance(HEARTBEAT_MS);
    const fromHeartbeat = fresh.reader.lastId() ?? '';
    await track('e2');
    await clock.flush();
    const a = attach({ lastEventId: fromConnected }).reader;
    const b = attach({ lastEventId: fromHeartbeat }).reader;
    await clock.advance(100);
    expect(a.eventIds()).toEqual(['e1', 'e2']);
    expect(b.eventIds()).toEqual(['e2']);
  });

  it('reads older events from the log, without gap or duplicate where memory begins', async () => {
    const { clock, feed, attach, track, trackLarge } = setUp();
    await feed.start();
    const first = attach();
    const start = first.reader.lastId() ?? '';
    first.detach();
    const old = numbered(150, 'old');
    await trackLarge(old);
    await clock.flush();
    const { reader } = attach({ lastEventId: start });
    // New events arrive during the replay.
    const meanwhile = numbered(40, 'new');
    for (const id of meanwhile) {
      await track(id);
      await clock.advance(7);
    }
    await clock.advance(1_000);
    expect(reader.eventIds()).toEqual([...old, ...meanwhile]);
  });

  it('replays soon although stalled readers of another key hold every slot', async () => {
    const { clock, feed, attach, trackLarge } = setUp();
    await feed.start();
    const first = attach();
    const lastEventId = first.reader.lastId() ?? '';
    first.detach();
    const old = numbered(80, 'old');
    await trackLarge(old);
    await clock.flush();
    const crowd = Array.from({ length: LIMITS.streamReplays + 8 }, () => attach({ key: 'crowd', lastEventId }));
    for (const { reader } of crowd) reader.stall();
    await clock.advance(LIMITS.streamReplayTurnMs / 2);
    const { reader } = attach({ key: 'other', lastEventId });
    await clock.advance(LIMITS.streamReplayTurnMs);
    expect(reader.eventIds()).toEqual(old);
    // Paused replays continue at their positions.
    for (const one of crowd) one.reader.resume();
    await clock.advance(60_000);
    for (const one of crowd) expect(one.reader.eventIds()).toEqual(old);
  });

  it('is cut off at random fifty times and sees every event once, in order', async () => {
    const { clock, feed, attach, track } = setUp();
    await feed.start();
    const seen: unknown[] = [];
    let connection = attach();
    let lastId = connection.reader.lastId() ?? '';
    let seed = 7;
    for (let i = 0; i < 400; i++) {
      await track(`e${i}a`, `e${i}b`, `e${i}c`);
      seed = (seed * 1103515245 + 12345) % 2147483648;
      if (seed % 8 !== 0) continue;
      await clock.advance(seed % 3);
      connection.detach();
      seen.push(...connection.reader.eventIds());
      lastId = connection.reader.lastId() ?? lastId;
      connection = attach({ lastEventId: lastId });
    }
    await clock.advance(1_000);
    seen.push(...connection.reader.eventIds());
    expect(seen).toEqual(Array.from({ length: 400 }, (_, i) => [`e${i}a`, `e${i}b`, `e${i}c`]).flat());
  });

  it('gets heartbeats without a position while it is behind', async () => {
    const { clock, log, feed, attach, trackLarge } = setUp();
    await feed.start();
    const start = attach().reader.lastId() ?? '';
    const ids = numbered(150);
    await trackLarge(ids);
    await clock.flush();
    log.disconnect();
    const { reader } = attach({ lastEventId: start });
    await clock.advance(HEARTBEAT_MS);
    expect(reader.messages.map(({ data, id }) => [data['type'], id])).toEqual([
      ['connected', undefined],
      ['heartbeat', undefined],
    ]);
    log.reconnect();
    await clock.advance(5_000);
    expect(reader.eventIds()).toEqual(ids);
  });

  it('waits until this gateway reaches the position of another one', async () => {
    const { clock, broker, log, feed, attach, track } = setUp();
    const ahead = createLiveFeed({
      log: broker.connect('other'),
      clock,
      logger: pino({ level: 'silent' }),
      metrics: createMetrics(),
      heartbeatMs: HEARTBEAT_MS,
    });
    await feed.start();
    await ahead.start();
    const elsewhere = createFakeReader();
    ahead.attach({ key: 'key_1', game: 'demo', environment: 'live', eventNames: [] }, elsewhere);
    log.disconnect();
    await track('e1', 'e2');
    await track('e3');
    await clock.flush();
    const { reader } = attach({ lastEventId: elsewhere.messages[1]?.id ?? '' });
    await clock.advance(1_000);
    log.reconnect();
    await clock.advance(1_000);
    expect(reader.messages.map(({ data }) => data['type'])).toEqual(['connected', 'event', 'event']);
    expect(reader.eventIds()).toEqual(['e2', 'e3']);
  });

  it('gets a gap first when the log no longer holds its position, then the held events', async () => {
    const { clock, broker, writer, feed, attach, track, trackLarge } = setUp();
    await feed.start();
    const start = attach().reader.lastId() ?? '';
    await trackLarge(numbered(150));
    await writer.purgeBelow('FACTS', 51);
    const oldestMs = broker.stream('FACTS').get(51)?.storedAtMs ?? 0;
    const { reader } = attach({ lastEventId: start });
    await clock.advance(1_000);
    await track('after');
    await clock.flush();
    expect(reader.messages.slice(0, 2).map(({ data }) => data)).toEqual([
      { type: 'connected', game_id: 'demo' },
      { type: 'gap', missed: null, available_since: new Date(oldestMs).toISOString() },
    ]);
    expect(reader.eventIds()).toEqual([...numbered(150).slice(50), 'after']);
  });

  it('gets the number of lost events of its subscription if it can be counted', async () => {
    const answers: (() => Promise<number | undefined>)[] = [
      () => Promise.resolve(42),
      () => Promise.reject(new Error('a bug')),
      () => new Promise(() => {}),
      () => Promise.resolve(undefined),
    ];
    const requested: LostEvents[] = [];
    const { clock, broker, writer, feed, attach, track, trackLarge } = setUp((lost) => {
      requested.push(lost);
      return answers[requested.length - 1]?.() ?? Promise.resolve(undefined);
    });
    await feed.start();
    const start = attach().reader.lastId() ?? '';
    await track('e1', 'e2', 'e3');
    await trackLarge(numbered(150));
    await clock.flush();
    await writer.purgeBelow('FACTS', 51);
    const lastEventId = start.replace(/-0-end$/, '-1-1');
    for (const missed of [42, null, null, null]) {
      const { reader, detach } = attach({ lastEventId, eventNames: ['level_up'] });
      await clock.advance(LIMITS.streamCountMs + 2_000);
      const [, gap, first] = reader.messages.map(({ data }) => data);
      expect(gap).toEqual({ type: 'gap', missed, available_since: expect.stringMatching(/^2026-.*Z$/) });
      expect(first).toMatchObject({ type: 'event', event_id: 'e49' });
      detach();
    }
    const { created } = broker.stream('FACTS').bounds();
    const request = { key: 'key_1', game: 'demo', environment: 'live', eventNames: ['level_up'], lastEventId };
    const lost = { request, created, from: { sequence: 1, index: 2 }, beforeSequence: 51 };
    expect(requested).toEqual([lost, lost, lost, lost]);
  });

  it('gets nothing about its lost events once it has left', async () => {
    let answer: (missed: number) => void = () => {};
    const { clock, writer, feed, attach, trackLarge } = setUp(() => new Promise((resolve) => (answer = resolve)));
    await feed.start();
    const start = attach().reader.lastId() ?? '';
    await trackLarge(numbered(150));
    await clock.flush();
    await writer.purgeBelow('FACTS', 51);
    const { reader, detach } = attach({ lastEventId: start });
    await clock.advance(100);
    detach();
    answer(5);
    await clock.advance(1_000);
    expect(typesOf(reader)).toEqual(['connected']);
  });

  it.each(['nonsense', '0123456789ab-5-0', '-1-1-1', 'x'.repeat(500)])(
    'is told of a gap when its position is not one of this log: %s',
    async (lastEventId) => {
      const { clock, feed, attach, track } = setUp();
      await feed.start();
      const { reader } = attach({ lastEventId });
      await track('e1');
      await clock.flush();
      expect(reader.messages.map(({ data }) => data['type'])).toEqual(['connected', 'gap', 'event']);
    },
  );

  it('gets a gap when its position is never reached', async () => {
    const { clock, feed, attach, track } = setUp();
    await feed.start();
    const tag = (attach().reader.lastId() ?? '').slice(0, 12);
    const { reader } = attach({ lastEventId: `${tag}-900-0` });
    await clock.advance(LIMITS.streamStallMs + 1_000);
    await track('e1');
    await clock.flush();
    const types = reader.messages.map(({ data }) => data['type']).filter((type) => type !== 'heartbeat');
    expect(types).toEqual(['connected', 'gap', 'event']);
  });
});

describe('FACTS is reset', () => {
  it('readers get a gap and continue with the new stream', async () => {
    const { clock, broker, feed, attach, track } = setUp();
    await feed.start();
    const { reader } = attach();
    await track('e1');
    await clock.flush();
    broker.wipe('FACTS', 'new');
    await clock.advance(5_000);
    await track('e2');
    await clock.flush();
    const types = reader.messages.map(({ data }) => data['type']);
    expect(types).toEqual(['connected', 'event', 'gap', 'event']);
    expect(reader.messages[3]?.id).not.toBe(reader.messages[1]?.id);
  });
});

describe('a reader that cannot keep up', () => {
  it('is served at its own pace after a short stall, missing nothing', async () => {
    const { clock, feed, attach, trackLarge, track } = setUp();
    await feed.start();
    const { reader } = attach();
    reader.stall();
    await trackLarge(numbered(40));
    await clock.advance(200);
    expect(reader.mostBufferedBytes).toBeLessThanOrEqual(LIMITS.streamReaderBytes);
    reader.resume();
    await clock.advance(1_000);
    await track('after');
    await clock.flush();
    expect(reader.eventIds()).toEqual([...numbered(40), 'after']);
    expect(reader.ended).toBe(false);
  });

  it('is disconnected when it is behind the kept records, and resumes without a loss', async () => {
    const { clock, feed, attach, trackLarge } = setUp();
    await feed.start();
    const slow = attach().reader;
    const healthy = attach().reader;
    slow.stall();
    const count = Math.ceil(LIMITS.streamRecentBytes / (60 * 1024)) + 40;
    await trackLarge(numbered(count));
    slow.resume();
    await clock.advance(200);
    expect(slow.ended).toBe(true);
    expect(slow.mostBufferedBytes).toBeLessThanOrEqual(LIMITS.streamReaderBytes);
    expect(healthy.eventIds()).toEqual(numbered(count));
    const back = attach({ lastEventId: slow.lastId() ?? '' }).reader;
    await clock.advance(1_000);
    expect([...slow.eventIds(), ...back.eventIds()]).toEqual(numbered(count));
  });

  it('is disconnected when it reads nothing for too long', async () => {
    const { clock, feed, attach, trackLarge, metrics } = setUp();
    await feed.start();
    const { reader } = attach();
    reader.stall();
    await trackLarge(numbered(10));
    await clock.advance(LIMITS.streamStallMs + 1_000);
    expect(reader.ended).toBe(true);
    expect(feed.readers).toBe(0);
    expect((await metrics.streamDisconnects.get()).values).toMatchObject([{ labels: { reason: 'stalled' }, value: 1 }]);
  });

  it('is counted in the metrics while it is behind', async () => {
    const { clock, feed, attach, trackLarge, metrics } = setUp();
    await feed.start();
    const { reader } = attach();
    attach();
    reader.stall();
    await trackLarge(numbered(40));
    await clock.advance(LIMITS.streamMeasureMs);
    expect(await valueOf(metrics.streamBehind)).toBe(1);
    expect(await valueOf(metrics.streamBuffered)).toBe(reader.mostBufferedBytes);
    reader.resume();
    await clock.advance(LIMITS.streamMeasureMs + 1_000);
    expect(await valueOf(metrics.streamBehind)).toBe(0);
    expect(await valueOf(metrics.streamBuffered)).toBe(0);
  });

  it('is disconnected before others when all buffers together are too large', async () => {
    const { clock, feed, attach, metrics } = setUp();
    await feed.start();
    const readers = Array.from({ length: 4 }, () => attach().reader);
    const half = LIMITS.streamBuffersBytes / 2;
    const held = [half, half / 2, half, 10];
    readers.forEach((reader, i) => Object.assign(reader, { bufferedBytes: () => held[i] }));
    await clock.advance(LIMITS.streamMeasureMs);
    expect(readers.map(({ ended }) => ended)).toEqual([true, false, false, false]);
    expect(feed.readers).toBe(3);
    expect(await valueOf(metrics.streamBuffered)).toBe(half + half / 2 + 10);
    expect((await metrics.streamDisconnects.get()).values).toMatchObject([
      { labels: { reason: 'buffers_full' }, value: 1 },
    ]);
  });

  it('never has more than its limit buffered, however large one record is', async () => {
    const { clock, writer, feed, attach } = setUp();
    await feed.start();
    const { reader } = attach();
    reader.stall();
    const properties = JSON.stringify({ text: 'x'.repeat(60 * 1024) });
    const ids = numbered(30);
    await commit(
      writer,
      ids.map((eventId) => aTrackedEvent({ eventId, properties })),
    );
    await clock.advance(1_000);
    expect(reader.mostBufferedBytes).toBeLessThanOrEqual(LIMITS.streamReaderBytes);
    reader.resume();
    await clock.advance(1_000);
    expect(reader.eventIds()).toEqual(ids);
  });

  it('is not disconnected for one burst larger than its limit', async () => {
    const { clock, writer, feed, attach } = setUp();
    await feed.start();
    const { reader } = attach();
    const properties = JSON.stringify({ text: 'x'.repeat(60 * 1024) });
    const ids = numbered(30);
    await commit(
      writer,
      ids.map((eventId) => aTrackedEvent({ eventId, properties })),
    );
    await clock.advance(1_000);
    expect(reader.eventIds()).toEqual(ids);
    expect(reader.ended).toBe(false);
  });
});

describe('at a record of a newer version', () => {
  const newer = Buffer.from([9, 0x90]);

  it('readers are disconnected with everything before it, and do not resume past it', async () => {
    const { clock, writer, feed, attach, track, metrics } = setUp();
    await feed.start();
    const { reader } = attach();
    await track('e1');
    await writer.append('facts.0', newer);
    await track('e2');
    await clock.flush();
    expect(reader.eventIds()).toEqual(['e1']);
    expect(reader.ended).toBe(true);
    const lastEventId = reader.lastId();
    const { reader: again } = attach(lastEventId === undefined ? {} : { lastEventId });
    await clock.advance(1_000);
    expect(again.eventIds()).toEqual([]);
    expect(again.ended).toBe(true);
    expect((await metrics.streamDisconnects.get()).values).toEqual([{ labels: { reason: 'unreadable' }, value: 2 }]);
  });

  it('readers that come later get what follows', async () => {
    const { clock, writer, feed, attach, track } = setUp();
    await feed.start();
    await writer.append('facts.0', newer);
    await clock.flush();
    const { reader } = attach();
    await track('e2');
    await clock.flush();
    expect(reader.eventIds()).toEqual(['e2']);
    expect(reader.ended).toBe(false);
  });
});
