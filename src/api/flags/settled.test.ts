import { describe, expect, it } from 'vitest';
import { aFlag, aRule, variantsOf } from '../../../actors/flags/evaluate/testing-flag.ts';
import { settledSince } from './settled.ts';

const NOW = 9_000;
const CHANGED = 1_000;
const two = { flagType: 'string' as const, variants: variantsOf({ a: 1, b: 1 }) };

describe('a flag serves one value to everybody', () => {
  it.each([
    ['without rules', aFlag(), CHANGED],
    ['switched off', aFlag({ ...two, enabled: false, rules: [aRule()] }), CHANGED],
    ['by a rule for all', aFlag({ rules: [aRule()] }), CHANGED],
    [
      'by a rule for all that serves one variant',
      aFlag({ ...two, rules: [aRule({ serve: { variant: 'a' } })] }),
      CHANGED,
    ],
    ['by weights of one variant', aFlag({ ...two, variants: variantsOf({ a: 1, b: 0 }), rules: [aRule()] }), CHANGED],
    ['by a rule for all that serves the default', aFlag({ ...two, rules: [aRule({ value: false })] }), CHANGED],
    ['since its rule began', aFlag({ rules: [aRule({ startAt: 5_000 })] }), 5_000],
    ['since an earlier rule ended', aFlag({ rules: [aRule({ percentage: 5, endAt: 6_000 }), aRule()] }), 6_000],
    ['behind a rule that includes nobody', aFlag({ rules: [aRule({ percentage: 0 }), aRule()] }), CHANGED],
    [
      'since its last change for players',
      aFlag({ updatedAt: 8_000, effective: { version: 1, revision: 1, at: 3_000 } }),
      3_000,
    ],
  ])('%s', (_, flag, since) => {
    expect(settledSince(flag, NOW)).toBe(since);
  });

  it.each([
    ['a part of the players', aFlag({ rules: [aRule({ percentage: 99 })] })],
    ['a segment', aFlag({ rules: [aRule({ segmentId: 'seg_1' })] })],
    ['a condition', aFlag({ rules: [aRule({ conditions: { is_payer: true } })] })],
    ['variants by weight', aFlag({ ...two, rules: [aRule()] })],
    ['weights of the rule', aFlag({ ...two, rules: [aRule({ serve: { weights: variantsOf({ a: 1, b: 2 }) } })] })],
    ['weights for everybody else', aFlag({ ...two, defaultServe: { weights: variantsOf({ a: 1, b: 2 }) } })],
    ['players with an attribute', aFlag({ bucketBy: 'attribute:guild', rules: [aRule()] })],
    ['a rule that will begin', aFlag({ rules: [aRule({ startAt: NOW + 1 })] })],
    ['a rule that will end', aFlag({ rules: [aRule({ endAt: NOW + 1 })] })],
    ['what another flag serves', aFlag({ prerequisites: [{ flagKey: 'shop', value: true }] })],
  ])('but not with %s', (_, flag) => {
    expect(settledSince(flag, NOW)).toBeUndefined();
  });
});
