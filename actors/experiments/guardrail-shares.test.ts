import { array, assert, integer, property, record } from 'fast-check';
import { expect, it } from 'vitest';
import type { ExperimentDocument, ExperimentPhase, Guardrail } from '../../core/vocabulary/documents/experiments.ts';
import { comparisonShare, guardrailName, withShares } from './guardrail-shares.ts';
import { afterAction } from './life.ts';
import { anExperiment } from './testing-experiment.ts';

const guardrail = (metric: string, some: Partial<Guardrail> = {}): Guardrail => ({
  metric: { aggregate: 'conversion', metric },
  worse: 'lower',
  margin: 0,
  action: 'pause',
  ...some,
});
const phaseOf = (phase: number, ...keys: string[]): ExperimentPhase => ({
  phase,
  since: phase,
  variants: ['control', ...keys].map((key) => ({ key, weight: 1 })),
});
const started = (...names: string[]): ExperimentDocument => {
  const { phases: _, ...running } = afterAction(
    anExperiment({ guardrails: names.map((name) => guardrail(name)) }),
    'start',
    1,
  );
  return { ...running, phases: [phaseOf(1, 'wide')] };
};
const edited = (held: ExperimentDocument, ...guardrails: Guardrail[]) => withShares(held, { ...held, guardrails });

it('is fixed at the start, and smaller for what is added later', () => {
  const [crash, spend, login] = [guardrail('crash'), guardrail('spend'), guardrail('login')];
  const two = started('crash', 'spend');
  expect(comparisonShare(two, crash, 'wide')).toBeCloseTo(0.9 * 0.45, 12);
  // The first guardrail goes: what it spent is spent, so the other one gets no more.
  const one = edited(two, spend);
  expect(comparisonShare(one, spend, 'wide')).toBeCloseTo(0.9 * 0.45, 12);
  // It comes again, with another one; then with another margin and order of its fields, which is no new one.
  const three = edited(one, spend, crash, login);
  expect(comparisonShare(three, crash, 'wide')).toBeCloseTo(0.9 * 0.05, 12);
  expect(comparisonShare(three, login, 'wide')).toBeCloseTo((0.9 * 0.1) / 6, 12);
  const again: Guardrail = { ...crash, metric: { metric: 'crash', aggregate: 'conversion' }, margin: 0.1 };
  expect(comparisonShare(edited(three, again, spend, login), again, 'wide')).toBeCloseTo(0.9 * 0.05, 12);
  // Variants likewise: the control and one that never had a weight are not compared.
  const wider = { ...two, phases: [...two.phases, phaseOf(2, 'wide', 'huge')] };
  expect(['control', 'wide', 'huge', 'none'].map((key) => comparisonShare(wider, crash, key))).toEqual([
    undefined,
    expect.closeTo(0.9 * 0.45, 12),
    expect.closeTo(0.45 * 0.05, 12),
    undefined,
  ]);
  // Without any at the start, later ones have it all.
  expect(comparisonShare(edited(started(), crash), crash, 'wide')).toBeCloseTo(0.9 / 2, 12);
});

it('is 1 at most for all comparisons together that there ever were', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const step = record({ guardrails: integer({ min: 0, max: 31 }), variants: integer({ min: 0, max: 31 }) });
  const chosen = (bits: number): string[] => names.filter((_, place) => (bits & (1 << place)) > 0);
  assert(
    property(array(step, { minLength: 1, maxLength: 12 }), ([first, ...steps]) => {
      if (first === undefined) return;
      let now: ExperimentDocument = {
        ...started(...chosen(first.guardrails)),
        phases: [phaseOf(1, ...chosen(first.variants))],
      };
      // A guardrail that comes again is another comparison, with what it has found before.
      const spent = new Map<string, number>();
      const look = () => {
        for (const one of now.guardrails) {
          for (const key of names) {
            const share = comparisonShare(now, one, key);
            const number = now.guardrailShares?.numbers[guardrailName(one)] ?? 0;
            const id = `${guardrailName(one)} ${number} ${key}`;
            if (share === undefined) continue;
            expect(spent.get(id) ?? share).toBe(share);
            spent.set(id, share);
          }
        }
      };
      look();
      for (const { guardrails, variants } of steps) {
        const phases = [...now.phases, phaseOf(now.phases.length + 1, ...chosen(variants))];
        now = { ...edited(now, ...chosen(guardrails).map((name) => guardrail(name))), phases };
        look();
      }
      expect([...spent.values()].reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(1 + 1e-12);
    }),
    { seed: 31, numRuns: 300 },
  );
});
