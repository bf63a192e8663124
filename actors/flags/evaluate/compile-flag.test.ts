import { assert, property, string, uniqueArray } from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json, JsonText } from '../../../core/kernel/text/json.ts';
import type { FlagDocument, FlagType } from '../../../core/vocabulary/documents/documents.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import type { Subject } from '../../decision/targeting.ts';
import { aPlayer } from '../../testing-players.ts';
import { compileFlag } from './compile-flag.ts';
import { aFlag, aRule, aSplitFlag, memberOf, targetingOf } from './testing-flag.ts';

const VIPS = 'seg_vips';
const inVips = { segments: [memberOf(VIPS)] };

/** The evaluation of the first flag for a player at 2,000 ms. */
function served(flags: readonly FlagDocument[], player: Partial<PlayerState> = {}, more: Partial<Subject> = {}) {
  const targeting = targetingOf(flags);
  const flag = targeting.flags.get(flags[0]?.key ?? '');
  return flag?.evaluate({ player: aPlayer(player), nowMs: 2_000, ...more }, targeting);
}

describe('a flag serves the first that applies of', () => {
  const override = { overrides: [{ flagKey: 'new-shop', value: 'true' }] };
  const rules = [aRule({ segmentId: VIPS, priority: 2 }), aRule({ percentage: 100, priority: 3 })];
  const off = aFlag({ key: 'off', enabled: false });

  test('disabled: the default, even to a player with an override', () => {
    const answer = served([aFlag({ enabled: false, rules })], override);
    expect(answer).toEqual({
      flagKey: 'new-shop',
      value: 'false',
      variantKey: null,
      reason: 'flag_disabled',
      period: 0,
    });
  });

  test('an unmet prerequisite: the default, even to a player with an override', () => {
    const flag = aFlag({ rules, prerequisites: [{ flagKey: 'off', value: true }] });
    expect(served([flag, off], override)).toEqual({
      flagKey: 'new-shop',
      value: 'false',
      variantKey: null,
      reason: 'flag_disabled',
      period: 0,
      prerequisiteKey: 'off',
    });
  });

  test('an override, even if a rule matches', () => {
    const answer = served([aFlag({ rules: [aRule({ value: false })] })], { ...override, ...inVips });
    expect(answer).toEqual({
      flagKey: 'new-shop',
      value: 'true',
      variantKey: null,
      reason: 'player_override',
      period: 0,
    });
  });

  test('a segment rule that matches', () => {
    expect(served([aFlag({ rules })], inVips)).toEqual({
      flagKey: 'new-shop',
      value: 'true',
      variantKey: null,
      reason: 'segment_match',
      period: 0,
      segmentId: VIPS,
    });
  });

  test('a roll-out to all players', () => {
    const answer = served([aFlag({ rules })]);
    expect(answer).toEqual({
      flagKey: 'new-shop',
      value: 'true',
      variantKey: null,
      reason: 'percentage_rollout',
      period: 0,
    });
  });

  test('the default', () => {
    const answer = served([aFlag({ rules: [aRule({ segmentId: VIPS })] })]);
    expect(answer).toEqual({ flagKey: 'new-shop', value: 'false', variantKey: null, reason: 'default', period: 0 });
  });
});

describe('rules', () => {
  test('are evaluated by ascending priority, whatever their order in the definition', () => {
    const rules = [aRule({ priority: 5 }), aRule({ segmentId: VIPS, priority: -1 })];
    expect(served([aFlag({ rules })], inVips)?.reason).toBe('segment_match');
  });

  test('of one priority are evaluated in the order of the definition', () => {
    const rules = [aRule({ value: false }), aRule({ segmentId: VIPS })];
    expect(served([aFlag({ rules })], inVips)).toMatchObject({ value: 'false', reason: 'percentage_rollout' });
  });

  test('with a segment and a percentage need both; other players reach the next rule', () => {
    const rules = [aRule({ segmentId: VIPS, percentage: 0 }), aRule({ priority: 2 })];
    expect(served([aFlag({ rules })], inVips)?.reason).toBe('percentage_rollout');
    expect(served([aFlag({ rules: rules.slice(0, 1) })], inVips)?.reason).toBe('default');
  });

  test('with value false serve the default, with their reason', () => {
    const rules = [aRule({ segmentId: VIPS, value: false }), aRule({ priority: 2 })];
    expect(served([aSplitFlag({ a: 1 }, { rules, defaultValue: 'none' })], inVips)).toEqual({
      flagKey: 'new-shop',
      value: '"none"',
      variantKey: null,
      reason: 'segment_match',
      period: 0,
      segmentId: VIPS,
    });
  });

  test.each([
    [1_999, false],
    [2_000, true],
    [2_999, true],
    [3_000, false],
  ])('hold from start_at until before end_at: at %d ms %s', (nowMs, holds) => {
    const rules = [aRule({ startAt: 2_000, endAt: 3_000 })];
    expect(served([aFlag({ rules })], {}, { nowMs })?.value).toBe(String(holds));
  });

  test('with conditions read the player and the context', () => {
    const rules = [aRule({ conditions: { 'attributes.level': { $gte: 10 }, platform: 'ios' } })];
    const player = { attributes: '{"level":12}' };
    expect(served([aFlag({ rules })], player, { context: { platform: 'ios' } })?.value).toBe('true');
    expect(served([aFlag({ rules })], player, { context: { platform: 'android' } })?.value).toBe('false');
    expect(served([aFlag({ rules })], { attributes: '{"level":9}' }, { context: { platform: 'ios' } })?.value).toBe(
      'false',
    );
  });

  test('on a segment read the stored membership, not the condition of the segment', () => {
    const flag = aFlag({ rules: [aRule({ segmentId: 'seg_gone' })] });
    expect(served([flag], { segments: [memberOf('seg_gone')] })?.segmentId).toBe('seg_gone');
  });
});

test('a rule on a segment finds it among any number of memberships', () => {
  const ids = uniqueArray(string({ maxLength: 3 }), { maxLength: 40 });
  assert(
    property(ids, string({ maxLength: 3 }), (held, other) => {
      const segments = held.toSorted((one, next) => (one < next ? -1 : 1)).map((id) => memberOf(id));
      for (const segmentId of [...held, other]) {
        const answer = served([aFlag({ rules: [aRule({ segmentId })] })], { segments });
        expect(answer?.reason).toBe(held.includes(segmentId) ? 'segment_match' : 'default');
      }
    }),
    { seed: 21, numRuns: 300 },
  );
});

describe('variants', () => {
  test('are served with their key and the matching segment', () => {
    const flag = aSplitFlag({ red: 0, blue: 3 }, { rules: [aRule({ segmentId: VIPS })] });
    expect(served([flag], inVips)).toEqual({
      flagKey: 'new-shop',
      value: '"blue"',
      variantKey: 'blue',
      reason: 'segment_match',
      period: 0,
      segmentId: VIPS,
    });
  });

  test.each<[FlagType, Json, JsonText]>([
    ['number', 7.5, '7.5'],
    ['json', { price: 3, tags: ['a'] }, '{"price":3,"tags":["a"]}'],
    ['string', 'x', '"x"'],
  ])('of type %s keep their type', (flagType, value, text) => {
    const flag = aFlag({ flagType, variants: [{ key: 'only', value, weight: 1 }], rules: [aRule()] });
    expect(served([flag])).toMatchObject({ value: text, variantKey: 'only' });
  });

  test('a missing default is null', () => {
    expect(served([aSplitFlag({ a: 1 }, { rules: [] })])).toMatchObject({ value: 'null', variantKey: null });
  });

  test('an override has the variant with an equal value, whatever the order of keys', () => {
    const variants = [
      { key: 'cheap', value: { price: 1, gems: 5 }, weight: 1 },
      { key: 'dear', value: { price: 9, gems: 5 }, weight: 1 },
    ];
    const flag = aFlag({ flagType: 'json', variants, rules: [aRule()] });
    const set = (value: string) => ({ overrides: [{ flagKey: 'new-shop', value }] });
    expect(served([flag], set('{"gems":5,"price":9}'))?.variantKey).toBe('dear');
    expect(served([flag], set('{"gems":5,"price":8}'))?.variantKey).toBeNull();
    expect(served([flag], set('{"gems":5,"price":9}'))?.value).toBe('{"gems":5,"price":9}');
  });
});

describe('a definition that does not compile reports', () => {
  test('conditions, with the path of the fault', () => {
    const rules = [aRule(), aRule({ conditions: { 'attributes.level': { $nonsense: 1 } } })];
    const result = compileFlag(aFlag({ rules }));
    expect(result.kind).toBe('invalid');
    const paths = result.kind === 'invalid' ? result.faults.map(({ path }) => path) : [];
    expect(paths).toEqual([expect.stringMatching(/^\/targeting_rules\/1\/conditions\/attributes\.level/)]);
  });

  test('variants without a weight', () => {
    const result = compileFlag(aSplitFlag({ a: 0, b: 0 }));
    expect(result).toMatchObject({ kind: 'invalid', faults: [{ path: '/variants' }] });
  });
});

test('evaluations are shared and therefore frozen', () => {
  expect(Object.isFrozen(served([aFlag({ rules: [aRule()] })]))).toBe(true);
});
