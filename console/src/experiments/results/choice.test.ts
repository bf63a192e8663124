import { expect, it } from 'vitest';
import { chosenIn, measuresOf, withChoice } from './choice.ts';

const REVENUE = { aggregate: 'revenue' } as const;
const EXPERIMENT = {
  primary: { aggregate: 'conversion', metric: 'won' },
  guardrails: [
    { metric: REVENUE, worse: 'lower', margin: 0, action: 'pause' },
    { metric: { aggregate: 'conversion', metric: 'won' }, worse: 'lower', margin: 0, action: 'notify' },
    { metric: { aggregate: 'sessions' }, worse: 'lower', margin: 0, action: 'notify' },
  ],
  phases: [{ phase: 1, since: '', variants: [] }],
} as const;
const query = (address: string, of: Parameters<typeof chosenIn>[1] = EXPERIMENT) =>
  JSON.parse(JSON.stringify(chosenIn(new URLSearchParams(address), of).query ?? null));

it('measures the primary metric, a guardrail, or what the address names', () => {
  expect(measuresOf(EXPERIMENT).map(({ id, label }) => [id, label])).toEqual([
    ['primary', 'won (primary)'],
    ['guardrail-1', 'Revenue per player (guardrail)'],
    ['guardrail-3', 'Sessions per player (guardrail)'],
  ]);
  expect(query('')).toEqual({ aggregate: 'conversion', metric: 'won', window_days: 7 });
  expect(query('measure=guardrail-1&window=3&min_age=3&phase=1')).toEqual({
    aggregate: 'revenue',
    window_days: 3,
    min_exposure_age_days: 3,
    phase: 1,
  });
  expect(query('measure=other&aggregate=sum&metric=won')).toBeNull();
  expect(query('measure=other&aggregate=sum&metric=won&property=gold')).toMatchObject({ property: 'gold' });
  // A phase that there is not, and a measure that is gone.
  expect(query('measure=guardrail-9&phase=7')).toEqual({ aggregate: 'conversion', metric: 'won', window_days: 7 });
  expect(query('', { ...EXPERIMENT, primary: null, guardrails: [] })).toBeNull();
});

it('keeps the rest of the address', () => {
  const before = new URLSearchParams('tab=results&phase=1&metric=lost&property=gold');
  const after = withChoice(before, {
    phase: undefined,
    measure: 'other',
    metric: chosenIn(new URLSearchParams('aggregate=count&metric=won'), EXPERIMENT).metric,
  });
  expect(Object.fromEntries(after)).toEqual({
    tab: 'results',
    measure: 'other',
    aggregate: 'count',
    metric: 'won',
  });
});
