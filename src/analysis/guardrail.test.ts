import { describe, expect, it } from 'vitest';
import { sharesOf } from './comparison.ts';
import { guardrailVerdict, verdictOf } from './guardrail.ts';
import { comparePooled } from './pooled.ts';

const RULE = { worse: 'lower', margin: 0.02, alpha: 0.05 } as const;
const control = sharesOf(40_000, 8_000);

describe('the verdict of a guardrail', () => {
  it.each([
    // z against 0.98 · 0.2 is −7.2, 1.2 and 8.3; the critical value is 2.9.
    [7_000, 'harmful'],
    [7_980, 'undecided'],
    [8_700, 'safe'],
  ] as const)('of %d conversions against 8,000, with a margin of 2 percent: %s', (conversions, verdict) => {
    const variant = sharesOf(40_000, conversions);
    const found = guardrailVerdict({ control, variant, ...RULE });
    expect(found).toMatchObject({ verdict, lift: expect.closeTo(conversions / 8_000 - 1, 10), tooSmall: null });
    // The bounds say the same.
    const { low, high } = found;
    if (low === null || high === null) throw new Error('both are known');
    expect(high < -0.02 ? 'harmful' : low > -0.02 ? 'safe' : 'undecided').toBe(verdict);
    // What is worse is the other side of a metric that must not rise.
    expect(guardrailVerdict({ control, variant, ...RULE, worse: 'higher' }).verdict).toBe(
      { harmful: 'safe', undecided: 'undecided', safe: 'harmful' }[verdict],
    );
  });

  it('accepts losses up to the margin, and with no margin only a gain is safe', () => {
    const variant = sharesOf(40_000, 7_400);
    const verdicts = [0, 0.02, 0.075, 0.13].map(
      (margin) => guardrailVerdict({ control, variant, ...RULE, margin }).verdict,
    );
    expect(verdicts).toEqual(['harmful', 'harmful', 'undecided', 'safe']);
    expect(guardrailVerdict({ control, variant: control, ...RULE, margin: 0 }).verdict).toBe('undecided');
  });

  it('finds harm where the control has nothing of it, and no bounds of the lift', () => {
    const none = sharesOf(5_000, 0);
    expect(guardrailVerdict({ control: none, variant: sharesOf(5_000, 40), ...RULE, worse: 'higher' })).toEqual({
      verdict: 'harmful',
      lift: null,
      low: null,
      high: null,
      tooSmall: null,
    });
  });

  it('finds harm where all players crash of a control in which none does, also over phases', () => {
    const [control, variant] = [sharesOf(300, 0), sharesOf(300, 300)];
    const rule = { ...RULE, worse: 'higher' } as const;
    expect(guardrailVerdict({ control, variant, ...rule }).verdict).toBe('harmful');
    const pooled = comparePooled([1, 2].map((weight) => ({ control, treatment: variant, weight })));
    expect(typeof pooled === 'string' ? pooled : verdictOf(pooled, rule).verdict).toBe('harmful');
  });

  it('is not known of too few players', () => {
    const few = guardrailVerdict({ control: sharesOf(50, 2), variant: sharesOf(50, 3), ...RULE });
    expect(few).toEqual({
      verdict: 'undecided',
      lift: expect.closeTo(0.5),
      low: null,
      high: null,
      tooSmall: 'conversions',
    });
  });

  it('of net revenue below 0 takes more loss for a loss', () => {
    const refunds = { players: 9_000, conversions: 900, variance: 4, skewness: -2, kurtosis: 9 };
    const [less, more] = [
      { ...refunds, mean: -0.5 },
      { ...refunds, mean: -0.8 },
    ];
    expect(guardrailVerdict({ control: less, variant: more, ...RULE, margin: 0.1 }).verdict).toBe('harmful');
    expect(guardrailVerdict({ control: more, variant: less, ...RULE, margin: 0.1 }).verdict).toBe('safe');
  });
});
