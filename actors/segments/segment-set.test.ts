import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { createSegmentSet } from './segment-set.ts';

const never = { matches: () => false, changesAt: () => undefined };
const setOf = (all: Readonly<Record<string, JsonObject>>) =>
  createSegmentSet(
    Object.entries(all).map(([id, conditions]) => ({ segment: { id, key: id, condition: never }, conditions })),
  );

describe('the segments an event may change', () => {
  it.each<[string, JsonObject, string[]]>([
    ['attributes', { 'attributes.level': { $gte: 3 } }, []],
    ['its own counter', { 'events.win.count_7d': { $gte: 3 } }, ['win']],
    ['a name with dots', { 'events.boss.killed.last_days_ago': 0 }, ['boss.killed']],
    ['both sides of an or', { $or: [{ 'events.win.count_1d': 1 }, { 'events.lose.count_1d': 1 }] }, ['lose', 'win']],
    ['inside not, nor and and', { $not: { $nor: [{ $and: [{ 'events.win.count_1d': 1 }] }] } }, ['win']],
    ['when last seen', { days_since_last_seen: { $gte: 1 } }, ['any', 'boss.killed', 'lose', 'win']],
    ['a part that cannot be told', { $and: [{ $or: 'odd' }] }, ['any', 'boss.killed', 'lose', 'win']],
    ['lifecycle', { lifecycle_stage: 'active' }, []],
    ['nothing', {}, []],
  ])('%s', (_name, conditions, names) => {
    const set = setOf({ s: conditions });
    const touched = ['any', 'boss.killed', 'lose', 'win'].filter((name) => set.touchedBy(name).length > 0);
    expect(touched).toEqual(names);
  });

  it('are complete and sorted by id', () => {
    const set = setOf({
      c: { 'events.win.count_1d': 1 },
      a: { days_since_last_seen: 1 },
      b: { 'attributes.x': 1 },
      d: { 'events.lose.count_1d': 1 },
    });
    expect(set.all.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(set.touchedBy('win').map(({ id }) => id)).toEqual(['a', 'c']);
    expect(set.touchedBy('other').map(({ id }) => id)).toEqual(['a']);
    expect(set.get('d')?.id).toBe('d');
    expect(set.get('e')).toBeUndefined();
  });
});
