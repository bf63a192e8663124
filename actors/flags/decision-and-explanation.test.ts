import { array, assert, boolean, constantFrom, integer, nat, option, property, record, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../core/kernel/text/json.ts';
import { aPlayer } from '../testing-players.ts';
import { explainFlag } from './evaluate/explain-flag.ts';
import { bucketsIn, seededBucket } from '../conditions/buckets/hash.ts';
import { aFlag, aRule, compiled, memberOf, playerIdOf, targetingOf, variantsOf } from './evaluate/testing-flag.ts';
import { createSplit } from './draw/split.ts';

const NOW_MS = 5_000;
const IDS = Array.from({ length: 20_000 }, (_, turn) => playerIdOf(turn));
/** Two decimals: every share of buckets. */
const percentage = integer({ min: 0, max: 10_000 }).map((hundredths) => hundredths / 100);

/** A player of each bucket that occurs. */
function byBucket(salt: string): Map<number, string> {
  const bucketOf = seededBucket(salt);
  return new Map(IDS.map((id) => [bucketOf(id), id]));
}

describe('a percentage', () => {
  it('is a whole number of buckets, however it is written', () => {
    for (let hundredths = 0; hundredths <= 10_000; hundredths += 1) {
      expect(bucketsIn(Number((hundredths / 100).toFixed(2)))).toBe(hundredths);
      expect(bucketsIn(hundredths / 100)).toBe(hundredths);
    }
  });

  it.each([0.07, 0.9, 0.28, 0.57, 1.1, 8.2, 33.33, 99.99])(
    'of %d includes the buckets below it, and the explanation agrees on both sides of it',
    (share) => {
      const flag = aFlag({ key: 'f', rules: [aRule({ percentage: share })] });
      const targeting = targetingOf([flag]);
      const made = compiled(flag);
      const players = byBucket(flag.salt);
      const edge = Math.round(share * 100);
      for (const [bucket, id] of players) {
        const subject = { player: aPlayer({ id }), nowMs: NOW_MS };
        const { value } = made.evaluate(subject, targeting);
        expect([bucket, value]).toEqual([bucket, String(bucket < edge)]);
        if (Math.abs(bucket - edge) > 3) continue;
        const rule = explainFlag(made, subject, targeting).find(({ step }) => step === 'rule');
        const outcome = bucket < edge ? 'served' : 'outside_percentage';
        expect(rule).toMatchObject({ outcome, bucket: bucket / 100, percentage: share });
      }
    },
  );
});

describe('weights', () => {
  it('cut the 10,000 buckets into ranges without gaps, by rounded sums', () => {
    assert(
      property(array(nat(1_000), { minLength: 1, maxLength: 6 }), string(), (weights, salt) => {
        const split = createSplit(
          salt,
          weights.map((weight, item) => ({ weight, item })),
        );
        const total = weights.reduce((sum, weight) => sum + weight, 0);
        if (split === undefined) return expect(total).toBe(0);
        const last = weights.findLastIndex((weight) => weight > 0);
        for (const id of IDS.slice(0, 300)) {
          const bucket = split.bucketOf(id);
          const sums = weights.map((_, at) => weights.slice(0, at + 1).reduce((sum, weight) => sum + weight, 0));
          const expected = weights.findIndex(
            (weight, at) => weight > 0 && (at === last || bucket < Math.round(((sums[at] ?? 0) / total) * 10_000)),
          );
          expect(split.itemOf(id)).toBe(expected);
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('decision and explanation', () => {
  const rule = record({
    segmentId: option(constantFrom('seg_a', 'seg_b')),
    percentage,
    priority: constantFrom(1, 2),
    value: boolean(),
    conditions: constantFrom<JsonObject>({}, { is_payer: true }, { $nor: [{ is_payer: true }] }),
    startAt: option(constantFrom(NOW_MS - 1, NOW_MS, NOW_MS + 1)),
    endAt: option(constantFrom(NOW_MS - 1, NOW_MS, NOW_MS + 1)),
  });
  const weights = array(nat(99), { minLength: 2, maxLength: 4 }).filter((all) => all.some((weight) => weight > 0));
  const who = record({ turn: nat(19_999), isPayer: boolean(), isMember: boolean(), isOverridden: boolean() });

  it('agree for any percentage, weights, segments, schedules, overrides, prerequisites and players', () => {
    assert(
      property(
        array(rule, { maxLength: 5 }),
        option(weights),
        constantFrom('met', 'unmet', 'none'),
        boolean(),
        who,
        (rules, split, needs, enabled, { turn, isPayer, isMember, isOverridden }) => {
          const prerequisites = needs === 'none' ? [] : [{ flagKey: 'other', value: needs === 'met' }];
          const some = { key: 'f', rules: rules.map((one) => aRule(one)), prerequisites, enabled };
          const variants = variantsOf(Object.fromEntries((split ?? []).map((weight, at) => [`v${at}`, weight])));
          const document = split === null ? aFlag(some) : aFlag({ ...some, flagType: 'string', variants });
          const targeting = targetingOf([document, aFlag({ key: 'other', rules: [aRule()] })]);
          const flag = compiled(document);
          const player = aPlayer({
            id: IDS[turn] ?? '',
            isPayer,
            segments: isMember ? [memberOf('seg_a')] : [],
            overrides: isOverridden ? [{ flagKey: 'f', value: '"by hand"' }] : [],
          });
          const subject = { player, nowMs: NOW_MS };
          const evaluation = flag.evaluate(subject, targeting);
          const steps = explainFlag(flag, subject, targeting);
          const served = steps.find((step) => step.step === 'rule' && step.outcome === 'served');
          const last = steps.at(-1);
          switch (evaluation.reason) {
            case 'flag_disabled':
              expect(last).toMatchObject({ passed: false, step: enabled ? 'prerequisite' : 'enabled' });
              break;
            case 'player_override':
              expect(steps.find(({ step }) => step === 'override')).toMatchObject({ value: '"by hand"' });
              expect(served).toBeUndefined();
              break;
            case 'default':
              expect(last).toEqual({ step: 'default', value: evaluation.value });
              expect(served).toBeUndefined();
              break;
            case 'segment_match':
            case 'percentage_rollout':
              expect(served).toMatchObject({ segmentId: evaluation.segmentId ?? null });
              if (evaluation.variantKey !== null) {
                expect(last).toMatchObject({ step: 'variant', variantKey: evaluation.variantKey });
              }
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });
});
