import { array, assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Member } from './audience.ts';
import { overfullReaders } from './overfull-readers.ts';

function aMember(bytes: number): Member {
  const reader = { write: () => true, bufferedBytes: () => bytes, end: () => {} };
  return {
    request: { key: 'key_1', game: 'demo', environment: 'live', eventNames: [] },
    reader,
    greeted: true,
    stopFollowing: () => {},
  };
}

const heldBy = (members: readonly Member[]) => members.reduce((sum, { reader }) => sum + reader.bufferedBytes(), 0);

describe('readers whose buffers are too large together', () => {
  it('none is disconnected while they fit', () => {
    const { bufferedBytes, overfull } = overfullReaders([aMember(60), aMember(0), aMember(40)], 100);
    expect(bufferedBytes).toBe(100);
    expect(overfull).toEqual([]);
  });

  it('the fullest are disconnected, as few as needed, and the rest fits', () => {
    assert(
      property(
        array(integer({ min: 0, max: 1_000 }), { maxLength: 40 }),
        integer({ min: 0, max: 5_000 }),
        (sizes, limit) => {
          const members = sizes.map(aMember);
          const { bufferedBytes, overfull } = overfullReaders(members, limit);
          const stay = members.filter((member) => !overfull.includes(member));
          expect(heldBy(stay)).toBe(bufferedBytes);
          expect(bufferedBytes).toBeLessThanOrEqual(limit);
          const last = overfull.at(-1)?.reader.bufferedBytes() ?? Infinity;
          for (const { reader } of stay) expect(reader.bufferedBytes()).toBeLessThanOrEqual(last);
          if (overfull.length > 0) expect(bufferedBytes + last).toBeGreaterThan(limit);
        },
      ),
    );
  });
});
