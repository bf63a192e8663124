import { array, assert, boolean, constantFrom, option, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../core/kernel/days.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { aPlayer } from '../../testing-players.ts';
import { explainFlag } from './explain-flag.ts';
import { aFlag, aRule, aSplitFlag, memberOf, targetingOf } from './testing-flag.ts';

const NOW_MS = 20_000 * DAY_MS;

describe('the explanation of a flag', () => {
  it('names each step with what it looked at', () => {
    const flag = aSplitFlag(
      { a: 50, b: 50 },
      {
        key: 'shop',
        rules: [
          aRule({ name: 'later', startAt: NOW_MS + 1 }),
          aRule({ name: 'whales', segmentId: 'seg_whales' }),
          aRule({ name: 'payers', conditions: { $or: [{ is_payer: true }, { 'attributes.level': { $gte: 10 } }] } }),
          aRule({ name: 'everybody' }),
          aRule({ name: 'never looked at' }),
        ],
      },
    );
    const targeting = targetingOf([flag]);
    const player = aPlayer({ isPayer: false, attributes: '{"level":4}' });
    const steps = explainFlag(targeting.flags.get('shop')!, { player, nowMs: NOW_MS }, targeting);
    expect(steps).toMatchObject([
      { step: 'enabled', passed: true },
      { step: 'override', value: null },
      { step: 'rule', name: 'later', outcome: 'outside_schedule' },
      { step: 'rule', name: 'whales', outcome: 'not_in_segment' },
      {
        step: 'rule',
        name: 'payers',
        outcome: 'conditions_not_met',
        tests: [
          { path: '/$or', holds: false },
          { path: '/$or/0/is_payer', holds: false, value: false },
          { path: '/$or/1/attributes.level', holds: false, value: 4 },
        ],
      },
      { step: 'rule', name: 'everybody', outcome: 'served' },
      { step: 'rule', name: 'never looked at', outcome: 'not_reached' },
      { step: 'variant' },
    ]);
  });

  it('stops at a disabled flag, an unmet prerequisite and an override', () => {
    const [off, other, shop] = [
      aFlag({ key: 'off', enabled: false }),
      aFlag({ key: 'other' }),
      aFlag({ key: 'shop', prerequisites: [{ flagKey: 'other', value: true }], rules: [aRule()] }),
    ];
    const targeting = targetingOf([off, other, shop]);
    const explained = (key: string, player = aPlayer({})) =>
      explainFlag(targeting.flags.get(key)!, { player, nowMs: NOW_MS }, targeting);
    expect(explained('off')).toEqual([{ step: 'enabled', passed: false }]);
    expect(explained('shop')).toEqual([
      { step: 'enabled', passed: true },
      {
        step: 'prerequisite',
        flagKey: 'other',
        required: 'true',
        requiredVariant: null,
        served: 'false',
        servedVariant: null,
        reason: 'default',
        passed: false,
      },
    ]);
    const overridden = aPlayer({ overrides: [{ flagKey: 'other', value: 'true' }] });
    expect(explained('other', overridden)).toEqual([
      { step: 'enabled', passed: true },
      { step: 'override', value: 'true' },
    ]);
    expect(explained('shop', overridden).at(-1)).toMatchObject({ step: 'rule', outcome: 'served' });
  });

  it('ends where the evaluation ends, whatever the flag', () => {
    const rule = record({
      segmentId: option(constantFrom('seg_a', 'seg_b')),
      percentage: constantFrom(0, 20, 50, 80, 100),
      priority: constantFrom(1, 2),
      value: boolean(),
      conditions: constantFrom<JsonObject>(
        {},
        { is_payer: true },
        { $nor: [{ is_payer: true }] },
        { $nor: [] },
        { $or: [] },
      ),
      startAt: option(constantFrom(NOW_MS - 1, NOW_MS + 1)),
    });
    assert(
      property(array(rule, { maxLength: 5 }), boolean(), boolean(), boolean(), (rules, isSplit, isPayer, isMember) => {
        const some = { key: 'shop', rules: rules.map((each) => aRule(each)) };
        const document = isSplit ? aSplitFlag({ a: 1, b: 2 }, some) : aFlag(some);
        const targeting = targetingOf([document]);
        const flag = targeting.flags.get('shop')!;
        const player = aPlayer({ isPayer, segments: isMember ? [memberOf('seg_a')] : [] });
        const { reason, variantKey } = flag.evaluate({ player, nowMs: NOW_MS }, targeting);
        const steps = explainFlag(flag, { player, nowMs: NOW_MS }, targeting);
        const served = steps.find((step) => step.step === 'rule' && step.outcome === 'served');
        expect(served === undefined).toBe(reason === 'default');
        const split = steps.find((step) => step.step === 'variant');
        expect(split?.variantKey ?? null).toBe(variantKey);
      }),
      { numRuns: 500 },
    );
  });
});
