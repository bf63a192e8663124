import { expect, it } from 'vitest';
import type { GuardrailAlert } from '../../core/vocabulary/documents/experiments.ts';
import { aFlag } from '../flags/evaluate/testing-flag.ts';
import { experimentFaults } from './experiment-faults.ts';
import { EXPERIMENT_LIMITS } from './limits.ts';
import { anExperiment } from './testing-experiment.ts';

const AROUND = { segmentExists: () => false, segmentIdOf: () => undefined, flag: () => aFlag({ key: 'shop' }) };
const ALERT: GuardrailAlert = {
  at: 1,
  phase: 1,
  metric: { aggregate: 'sum', metric: 'm'.repeat(200), property: 'p'.repeat(200) },
  worse: 'lower',
  margin: 0,
  action: 'notify',
  variant: 'true',
  lift: -0.1,
  low: -0.2,
  high: -0.01,
  state: 'running',
  version: 2,
};

it('findings of guardrails neither take the space of a definition nor end its validation', () => {
  const hypothesis = 'x'.repeat(EXPERIMENT_LIMITS.hypothesisLength);
  const phases = [{ phase: 1, since: 0, variants: anExperiment().variants }];
  const note = 'n'.repeat(EXPERIMENT_LIMITS.experimentBytes - 4_000);
  const alerts = Array.from({ length: EXPERIMENT_LIMITS.experimentAlerts }, () => ALERT);
  const held = anExperiment({ state: 'running', phases, startedAt: 0, hypothesis, note, alerts });
  expect(experimentFaults({ ...held, traffic: 50 }, AROUND, held)).toEqual([]);
  expect(experimentFaults({ ...held, traffic: 50 }, AROUND, { ...held, alerts: [] })).toEqual([]);
  const wrong = { ...held, variants: [...held.variants, { key: 'maybe', weight: 1 }] };
  expect(experimentFaults(wrong, AROUND, held)).toMatchObject([{ path: '/variants/2/key' }]);
});
