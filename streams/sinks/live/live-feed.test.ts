import { describe, expect, it } from 'vitest';
import { SAMPLES } from '../../../test/fixtures/codec/samples.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { createMemoryBroker } from '../../log/memory/log-memory.ts';
import { createLiveFeed } from './live-feed.ts';
import { createFakeReader } from './testing-readers.ts';
import { pino } from 'pino';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import { HEARTBEAT_MS, PLAYER, numbered, setUp, typesOf, valueOf } from './testing-readers.ts';

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
