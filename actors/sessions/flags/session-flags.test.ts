import { describe, expect, it } from 'vitest';
import type { FlagEvaluation } from '../../../core/vocabulary/commands/replies.ts';
import { formsOf, isSeen, sentFlags } from './session-flags.ts';

const evaluation = (some: Partial<FlagEvaluation> = {}): FlagEvaluation => ({
  flagKey: 'shop',
  value: '0',
  variantKey: 'control',
  reason: 'percentage_rollout',
  period: 1,
  ...some,
});
const seen = (some?: Partial<FlagEvaluation>) => formsOf(evaluation(some)).seen;

describe('what a session keeps of a flag', () => {
  it('tells apart values, variants, reasons and periods, and recognises the same', () => {
    const long = 'x'.repeat(500);
    const different = [
      {},
      { value: '1' },
      { value: `"${long}"` },
      { value: `"${long}y"` },
      { variantKey: null },
      { reason: 'segment_match' as const },
      { period: 2 },
      { period: 11, value: '0' },
      { reason: 'flag_disabled' as const },
      { value: 'null', variantKey: null, reason: 'flag_disabled' as const },
    ].map(seen);
    for (const [place, one] of different.entries()) {
      expect(different.map((other) => isSeen(one, other)).indexOf(true)).toBe(place);
      expect(different.filter((other) => isSeen(one, other))).toHaveLength(1);
    }
  });

  it('stays small, however long the value is', () => {
    expect(seen({ value: JSON.stringify('漢'.repeat(60_000)) }).mark).toHaveLength(16);
    expect(seen({ value: '"layout_b"' }).mark).toBe('p1:"layout_b"');
  });

  it('is one object for all players, except for overrides', () => {
    const prepared = Object.freeze(evaluation());
    expect(formsOf(prepared).seen).toBe(formsOf(prepared).seen);
    expect(formsOf(evaluation())).not.toBe(formsOf(evaluation()));
  });
});

describe('the flags of a reply', () => {
  it('leave out values beyond the bound, and nothing else', () => {
    const values = ['"aaaa"', '"bbbbbb"', '"cc"'];
    const forms = values.map((value, place) => formsOf(evaluation({ flagKey: `f${place}`, value })));
    const sent = sentFlags(forms, { sessionValueChars: 10 });
    expect(sent.map(({ flagKey, value }) => [flagKey, value])).toEqual([
      ['f0', '"aaaa"'],
      ['f1', undefined],
      ['f2', '"cc"'],
    ]);
    expect(sent[1]).toEqual({
      flagKey: 'f1',
      enabled: true,
      variant: 'control',
      reason: 'percentage_rollout',
      period: 1,
    });
  });
});
