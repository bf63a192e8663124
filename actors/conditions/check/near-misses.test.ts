import { describe, expect, it } from 'vitest';
import { compileCondition } from '../compile-condition.ts';

const refusalOf = (conditions: Parameters<typeof compileCondition>[0]) => {
  const compiled = compileCondition(conditions);
  return compiled.kind === 'compiled' ? compiled.refusals[0] : 'invalid';
};

describe('a filter in the name of an event', () => {
  it('is refused in a new condition, with the right form', () => {
    expect(refusalOf({ $or: [{ 'events.level_failed[level=3].count_7d': { $gte: 2 } }] })).toEqual({
      path: '/$or/0/events.level_failed[level=3].count_7d',
      message:
        'has a filter in the name of an event; write {"events":{"name":"level_failed",' +
        '"where":{"properties.level":3},"within_days":7,"count":{"$gte":1}}}',
    });
  });

  it.each([
    ['events.a[mode=hard].last_days_ago', '"where":{"properties.mode":"hard"},"count"'],
    ['events.a[mode=="x"].count_1d', '"where":{"properties.mode":"x"},"within_days":1'],
    ['events.a[boss].count_30d', '"where":{"properties.boss":{"$exists":true}}'],
  ])('%s', (field, right) => {
    const refusal = refusalOf({ [field]: 1 });
    expect(typeof refusal === 'object' && refusal.message).toContain(right);
  });

  it.each(['events.[a].count_7d', 'events.a].count_7d', 'attributes.a[b=1]', 'events.a.count_7d'])(
    'is not in %s',
    (field) => expect(refusalOf({ [field]: 1 })).toBeUndefined(),
  );
});
