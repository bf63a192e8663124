import { describe, expect, it } from 'vitest';
import { LIVE_LIMITS } from './limits.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import type { LostEvents } from '../../live-feed.ts';
import { noteErasure } from '../../facts/erasures.ts';
import { createLiveFeed } from './live-feed.ts';
import { createFakeReader } from './testing-readers.ts';
import { pino } from 'pino';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import { HEARTBEAT_MS, PLAYER, numbered, setUp, typesOf } from './testing-readers.ts';

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
    const crowd = Array.from({ length: LIVE_LIMITS.streamReplays + 8 }, () => attach({ key: 'crowd', lastEventId }));
    for (const { reader } of crowd) reader.stall();
    await clock.advance(LIVE_LIMITS.streamReplayTurnMs / 2);
    const { reader } = attach({ key: 'other', lastEventId });
    await clock.advance(LIVE_LIMITS.streamReplayTurnMs);
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
      await clock.advance(LIVE_LIMITS.streamCountMs + 2_000);
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
    await clock.advance(LIVE_LIMITS.streamStallMs + 1_000);
    await track('e1');
    await clock.flush();
    const types = reader.messages.map(({ data }) => data['type']).filter((type) => type !== 'heartbeat');
    expect(types).toEqual(['connected', 'gap', 'event']);
  });
});
