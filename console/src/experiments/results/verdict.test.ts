import { describe, expect, it } from 'vitest';
import { RESULTS_EXAMPLE } from '../../../../src/api/experiments/results/results-resource.ts';
import { arrivalSeries } from './arrival-series.ts';
import { type ExperimentResults, verdictOf } from './verdict.ts';

const RUNS = { isOver: false, isOverdue: false };
const compared = (key: string, some: object = {}) => ({
  variant_key: key,
  ci_low: 0.010_4,
  ci_high: 0.119,
  p_value: 0.003,
  p_adjusted: 0.006,
  too_small: null,
  decision: 'undecided' as const,
  ...some,
});
const variant = (key: string, some: object = {}) => ({
  variant_key: key,
  players: 1_000,
  clusters: null,
  conversions: 100,
  sum: 100,
  mean: 0.1,
  lift: 0.062,
  ci_low: 0.02,
  ci_high: 0.1,
  p_value: 0.01,
  p_adjusted: 0.02,
  too_small: null,
  ...some,
});

/** The results of the documentation, with an undecided variant. */
function results(some: Partial<ExperimentResults> = {}): ExperimentResults {
  const base: ExperimentResults = JSON.parse(JSON.stringify(RESULTS_EXAMPLE));
  return {
    ...base,
    variants: [variant('control', { lift: null }), variant('wide')],
    sequential: [compared('control', { decision: null }), compared('wide')],
    ...some,
  };
}

describe('the verdict', () => {
  const LINE = 'wide: +6.2\u00A0%, between +1.0\u00A0% and +11.9\u00A0% at any look (p = 0.006).';

  it('is open until a variant differs at any look, and says what is known', () => {
    expect(verdictOf(results(), RUNS)).toEqual({
      kind: 'open',
      title: 'Not decided yet: no variant differs from the control.',
      lines: [LINE],
    });
    const late = verdictOf(results(), { isOver: false, isOverdue: true });
    expect(late.lines).toEqual([LINE, 'The planned end is past. Decide now, or plan another end.']);
    expect(verdictOf(results(), { isOver: true, isOverdue: false }).title).toContain('It ended without a decision');
  });

  it('names each variant that differs, in its direction', () => {
    const sequential = [
      compared('control', { decision: null }),
      compared('wide', { decision: 'higher' }),
      compared('tall', { decision: 'lower', ci_low: null, p_adjusted: 0.000_2 }),
    ];
    const variants = [variant('control'), variant('wide'), variant('tall', { too_small: 'players' })];
    const { kind, title, lines } = verdictOf(results({ sequential, variants }), RUNS);
    expect([kind, title]).toEqual(['found', 'wide is higher than control by purchase_completed.']);
    expect(lines).toEqual([
      'tall is lower than control by purchase_completed.',
      LINE,
      'tall: +6.2\u00A0%, too few players (p < 0.001).',
    ]);
  });

  it('trusts nothing while the numbers of players do not match, by phase or by day', () => {
    const sequential = [compared('control', { decision: null }), compared('wide', { decision: 'higher' })];
    const phases = results().phases.map((each) => ({ ...each, sample_ratio: { p_value: 0.000_1, mismatch: true } }));
    const days = results().sample_ratio_by_day.map((each) => ({ ...each, day: '2026-01-16', mismatch: true }));
    const { kind, title, lines } = verdictOf(results({ sequential, phases, sample_ratio_by_day: days }), RUNS);
    expect([kind, title]).toEqual([
      'fault',
      'Do not trust these figures: the numbers of players do not match the weights.',
    ]);
    expect(lines.slice(0, 2)).toEqual(['The sample ratio is broken in phase 1.', 'It is broken on 2026-01-16.']);
    expect(lines.join(' ')).not.toContain('higher');
  });

  it('puts what a variant harms before what it wins', () => {
    const sequential = [compared('control', { decision: null }), compared('wide', { decision: 'higher' })];
    const guardrails = results().guardrails.map((each) => ({
      ...each,
      variants: each.variants.map((one) => ({ ...one, verdict: 'harmful' as const })),
    }));
    const { kind, title, lines } = verdictOf(results({ sequential, guardrails }), RUNS);
    expect([kind, title]).toEqual(['fault', 'wide harms Revenue per player, which must not get worse.']);
    expect(lines[0]).toBe('wide is higher than control by purchase_completed.');
  });

  it('takes a difference of equal variants for a fault', () => {
    expect(verdictOf(results({ mode: 'aa' }), RUNS)).toMatchObject({ kind: 'open' });
    const sequential = [compared('control', { decision: null }), compared('wide', { decision: 'lower' })];
    expect(verdictOf(results({ mode: 'aa', sequential }), RUNS)).toMatchObject({
      kind: 'fault',
      title: 'The variants are equal, and yet differ: something in the split or the data is wrong.',
    });
  });
});

it('shows players by day and phase, with the days on which nobody came', () => {
  const days = [
    { day: '2026-02-28', phase: 1, players: 7 },
    { day: '2026-03-02', phase: 1, players: 5 },
    { day: '2026-03-02', phase: 2, players: 3 },
  ];
  expect(arrivalSeries(days, (phase) => `p${phase}`)).toEqual({
    at: ['2026-02-28', '2026-03-01', '2026-03-02'],
    series: [
      { name: 'p1', values: [7, 0, 5] },
      { name: 'p2', values: [0, 0, 3] },
    ],
  });
  expect(arrivalSeries([], String)).toEqual({ at: [], series: [] });
});
