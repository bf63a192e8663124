import { describe, expect, it } from 'vitest';
import { hashOfText } from '../../core/kernel/text/text-hash.ts';
import type { RecentEvent } from '../../core/vocabulary/state/player.ts';
import { countIn, hashed, hasHash, newestIn, packEvents, unpackEvents } from './event-block.ts';

const NOW = 1_767_225_600_123;
const EVENTS: RecentEvent[] = [
  { eventId: 'e-1', eventName: 'level_up', timestamp: NOW, receivedAt: NOW, by: 'client' },
  { eventId: 'e-2', eventName: 'größe', timestamp: 0, receivedAt: NOW + 5, by: 'server', quarantined: true },
  { eventId: 'e-3', eventName: 'level_up', timestamp: 10_413_791_999_999, receivedAt: NOW - 90_000_000 },
  { eventId: 'ü', eventName: '', timestamp: NOW - 1, receivedAt: NOW + 5, quarantined: true },
];

describe('a block of events', () => {
  it('holds everything but the ids, for which it holds hashes', () => {
    const block = packEvents(EVENTS.map(hashed));
    expect(unpackEvents(block)).toEqual(EVENTS.map(({ eventId, ...rest }) => ({ hash: hashOfText(eventId), ...rest })));
    expect([countIn(block), newestIn(block)]).toEqual([4, NOW + 5]);
    expect(EVENTS.map(({ eventId }) => hasHash(block, hashOfText(eventId)))).toEqual([true, true, true, true]);
    expect(hasHash(block, hashOfText('e-4'))).toBe(false);
    const hash = hashOfText('e-1');
    const changed = Array.from(hash, (_, place) => `${hash.slice(0, place)}\u0000${hash.slice(place + 1)}`);
    expect(changed.filter((one) => one !== hash && hasHash(block, one))).toEqual([]);
  });

  it('gives the events of one hash alone, each as it is among all', () => {
    const events = [...EVENTS, { ...EVENTS[0], eventId: 'e-1', eventName: 'again', timestamp: 1, receivedAt: NOW }];
    const block = packEvents(events.map(hashed));
    for (const id of ['e-1', 'e-2', 'e-3', 'ü', 'e-4']) {
      const hash = hashOfText(id);
      expect(unpackEvents(block, hash)).toEqual(unpackEvents(block).filter((event) => event.hash === hash));
    }
    expect(unpackEvents(block, hashOfText('e-1'))).toHaveLength(2);
  });

  it('reads the same from any place in a larger buffer', () => {
    const block = packEvents(EVENTS.map(hashed));
    for (let offset = 0; offset < 5; offset++) {
      const larger = new Uint8Array(block.length + 8);
      larger.set(block, offset);
      const view = larger.subarray(offset, offset + block.length);
      expect(unpackEvents(view)).toEqual(unpackEvents(block));
      expect(hasHash(view, hashOfText('e-3'))).toBe(true);
    }
  });

  it('takes at most 15 bytes an event of a client that syncs every 30 s', () => {
    const events = Array.from({ length: 128 }, (_, n): RecentEvent => {
      const receivedAt = NOW + 30_000 * Math.floor(n / 4);
      const timestamp = receivedAt - 20_000 + 1_000 * (n % 4);
      return { eventId: `e-${n}`, eventName: `name_${n % 12}`, timestamp, receivedAt, by: 'client' };
    });
    expect(packEvents(events.map(hashed)).length).toBeLessThan(15 * 128);
  });

  it('that is cut off is an error', () => {
    const block = packEvents(EVENTS.map(hashed));
    expect(() => unpackEvents(block.slice(0, -1))).toThrow(RangeError);
  });
});

describe('the hash of an id', () => {
  it('is the first 64 bits of its SHA-256', () => {
    // SHA-256 of "abc" begins with ba7816bf 8f01cfea (FIPS 180-2, appendix B.1).
    expect(Buffer.from(hashOfText('abc'), 'latin1').toString('hex')).toBe('ba7816bf8f01cfea');
  });
});
