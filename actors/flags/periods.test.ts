import { describe, expect, it } from 'vitest';
import { FLAG_LIMITS } from './limits.ts';
import type { FlagDocument } from '../../core/vocabulary/documents/documents.ts';
import { periodOf, withPeriods } from './periods.ts';
import { aFlag, aRule, aSplitFlag } from './evaluate/testing-flag.ts';

const SPLIT = aSplitFlag({ a: 1, b: 1 }, { version: 1, periods: [{ period: 1, version: 1, since: 1_000 }] });

/** The next version of the flag, after an edit. */
const edited = (held: FlagDocument, change: Partial<FlagDocument>): FlagDocument => ({
  ...withPeriods(held, { ...held, ...change }, 5_000),
  version: held.version + 1,
});

describe('an edit of a flag', () => {
  it.each<[string, Partial<FlagDocument>]>([
    ['its name', { name: 'Another' }],
    ['its description', { description: 'Another' }],
    ['the name of a rule', { rules: [aRule({ name: 'everyone' })] }],
    ['nothing', {}],
    ['the percentage', { rules: [aRule({ percentage: 50 })] }],
    ['the audience', { rules: [aRule({ segmentId: 'seg_1' })] }],
    ['the default', { defaultValue: 'none' }],
    ['the switch', { enabled: false }],
    ['a prerequisite', { prerequisites: [{ flagKey: 'other', value: true }] }],
  ])('that changes %s stays in the period', (_, change) => {
    expect(edited(SPLIT, change).periods).toEqual([{ period: 1, version: 1, since: 1_000 }]);
  });

  it.each<[string, Partial<FlagDocument>]>([
    ['a weight', { variants: SPLIT.variants.map((one, place) => ({ ...one, weight: 2 + place })) }],
    ['the order of variants', { variants: SPLIT.variants.toReversed() }],
    ['the value of a variant', { variants: SPLIT.variants.map((one) => ({ ...one, value: 'x' })) }],
    ['the salt', { salt: 'other' }],
  ])('that changes %s begins a new period', (_, change) => {
    const next = edited(SPLIT, change);
    expect(next.periods).toEqual([
      {
        period: 1,
        version: 1,
        since: 1_000,
        arms: [
          { variantKey: 'a', weight: 1 },
          { variantKey: 'b', weight: 1 },
        ],
      },
      { period: 2, version: 2, since: 5_000 },
    ]);
    expect(periodOf(next)).toBe(2);
  });

  it('records the share of the only plain roll-out when it ends a period of a boolean flag', () => {
    const rollout = aFlag({ rules: [aRule({ percentage: 30 })] });
    expect(edited(rollout, { rules: [aRule({ percentage: 60 })] }).periods[0]?.arms).toEqual([
      { variantKey: 'false', weight: 70 },
      { variantKey: 'true', weight: 30 },
    ]);
  });

  it('keeps only the latest periods', () => {
    let flag = SPLIT;
    for (let turn = 0; turn < FLAG_LIMITS.flagPeriods + 5; turn += 1) flag = edited(flag, { salt: `salt ${turn}` });
    expect(flag.periods).toHaveLength(FLAG_LIMITS.flagPeriods);
    expect(periodOf(flag)).toBe(FLAG_LIMITS.flagPeriods + 6);
  });
});
