import { expect, it } from 'vitest';
import { POWER_EXAMPLE } from '../../../../src/api/flags/results/power-resource.ts';
import { type Power, powerQuestions, powerText } from './power-plan.ts';

const NOW = Date.parse('2026-11-27T12:00:00Z');
const DRAFT = {
  primary: { aggregate: 'conversion', metric: 'item_bought' },
  traffic: 20,
  variants: [
    { key: 'control', weight: 50 },
    { key: 'wide', weight: 50 },
    { key: 'tall', weight: 0 },
  ],
  plan: { alpha: 0.05, power: 0.9, mde: null, ends_at: '2026-12-11T13:00:00Z' },
};

it('asks for the effect and the days of the plan, of the variants that draw players', () => {
  const asked = powerQuestions(DRAFT, NOW);
  expect(JSON.parse(JSON.stringify(asked))).toEqual({
    effect: { aggregate: 'conversion', metric: 'item_bought', alpha: 0.05, power: 0.9, variants: 2, traffic: 20 },
    end: {
      aggregate: 'conversion',
      metric: 'item_bought',
      alpha: 0.05,
      power: 0.9,
      variants: 2,
      traffic: 20,
      days: 14,
    },
  });
  expect(powerQuestions({ ...DRAFT, plan: { mde: 0.02 } }, NOW)).toMatchObject({
    effect: { mde: 0.02 },
    end: undefined,
  });
  // Results count a year.
  const far = { ends_at: '2028-01-01T00:00:00Z' };
  expect(powerQuestions({ ...DRAFT, plan: far }, NOW)?.end).toBeUndefined();
  // Nobody takes part yet: the service takes no traffic of 0.
  expect(powerQuestions({ ...DRAFT, traffic: 0 }, NOW)?.effect['traffic']).toBeUndefined();
  expect(powerQuestions({ ...DRAFT, primary: null }, NOW)).toBeUndefined();
  expect(powerQuestions({ ...DRAFT, primary: { aggregate: 'sum', metric: 'x' } }, NOW)).toBeUndefined();
});

it('says what a plan takes, and why there is none', () => {
  const answer = (some: Partial<Power> = {}): Power => ({ ...POWER_EXAMPLE, aggregate: 'conversion', ...some });
  expect(powerText(answer())).toBe(
    'To see an effect of 10.0\u00A0% with a chance of 80\u00A0%, it takes 29,499 players: about 93 days.',
  );
  expect(powerText(answer({ days: null }))).toContain('29,499 players: more than ever come.');
  expect(powerText(answer({ days: 1 }))).toContain(': one day.');
  expect(powerText(answer({ mde: 0.25 }), 14)).toBe(
    'Until the planned end (14 days) it sees effects of 25.0\u00A0% or more.',
  );
  expect(powerText(answer({ reason: 'few_players', mde: null }))).toContain('Fewer than 100 players');
});
