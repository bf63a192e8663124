import { describe, expect, it } from 'vitest';
import { LIVE_LIMITS } from './limits.ts';
import { aTrackedEvent, commit } from '../testing-commits.ts';
import { numbered, setUp, valueOf } from './testing-readers.ts';

describe('a reader that cannot keep up', () => {
  it('is served at its own pace after a short stall, missing nothing', async () => {
    const { clock, feed, attach, trackLarge, track } = setUp();
    await feed.start();
    const { reader } = attach();
    reader.stall();
    await trackLarge(numbered(40));
    await clock.advance(200);
    expect(reader.mostBufferedBytes).toBeLessThanOrEqual(LIVE_LIMITS.streamReaderBytes);
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
    const count = Math.ceil(LIVE_LIMITS.streamRecentBytes / (60 * 1024)) + 40;
    await trackLarge(numbered(count));
    slow.resume();
    await clock.advance(200);
    expect(slow.ended).toBe(true);
    expect(slow.mostBufferedBytes).toBeLessThanOrEqual(LIVE_LIMITS.streamReaderBytes);
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
    await clock.advance(LIVE_LIMITS.streamStallMs + 1_000);
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
    await clock.advance(LIVE_LIMITS.streamMeasureMs);
    expect(await valueOf(metrics.streamBehind)).toBe(1);
    expect(await valueOf(metrics.streamBuffered)).toBe(reader.mostBufferedBytes);
    reader.resume();
    await clock.advance(LIVE_LIMITS.streamMeasureMs + 1_000);
    expect(await valueOf(metrics.streamBehind)).toBe(0);
    expect(await valueOf(metrics.streamBuffered)).toBe(0);
  });

  it('is disconnected before others when all buffers together are too large', async () => {
    const { clock, feed, attach, metrics } = setUp();
    await feed.start();
    const readers = Array.from({ length: 4 }, () => attach().reader);
    const half = LIVE_LIMITS.streamBuffersBytes / 2;
    const held = [half, half / 2, half, 10];
    readers.forEach((reader, i) => Object.assign(reader, { bufferedBytes: () => held[i] }));
    await clock.advance(LIVE_LIMITS.streamMeasureMs);
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
    expect(reader.mostBufferedBytes).toBeLessThanOrEqual(LIVE_LIMITS.streamReaderBytes);
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
