import { describe, expect, it } from 'vitest';
import { systemIds } from '../../../../core/kernel/ids.ts';
import { createPlayerIdSet } from './player-id-set.ts';

describe('a set of player ids', () => {
  it('knows the ids that were added, however it grew', () => {
    const set = createPlayerIdSet(7, 4);
    const ids = Array.from({ length: 5_000 }, () => systemIds.uuidv4());
    expect(ids.every((id) => set.add(id))).toBe(true);
    expect(ids.some((id) => set.add(id))).toBe(false);
    expect(set.size).toBe(5_000);
  });

  it('knows every id while it grows, a few ids at a time', () => {
    const set = createPlayerIdSet(7, 4);
    const ids = Array.from({ length: 3_000 }, () => systemIds.uuidv4());
    for (const [place, id] of ids.entries()) {
      expect(set.add(id)).toBe(true);
      for (const earlier of [0, place >> 1, place]) expect(set.add(ids[earlier] ?? '')).toBe(false);
    }
    expect(set.size).toBe(3_000);
  });

  it('tells ids apart that differ in one digit', () => {
    const set = createPlayerIdSet(7, 4);
    const id = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
    const others = id
      .split('')
      .flatMap((digit, place) =>
        digit === '-' ? [] : [`${id.slice(0, place)}${digit === '0' ? '1' : '0'}${id.slice(place + 1)}`],
      );
    expect([id, ...others].every((each) => set.add(each))).toBe(true);
  });
});
