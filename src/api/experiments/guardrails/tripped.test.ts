import { describe, expect, it } from 'vitest';
import { anExperiment } from '../../../../actors/experiments/testing-experiment.ts';
import type { ExperimentDocument, Guardrail } from '../../../../core/vocabulary/documents/experiments.ts';
import type { GuardrailState } from '../results/guardrail-states.ts';
import { actingMargin, isKnown, overridden } from './alerts.ts';
import { afterTrips, tripsOf } from './tripped.ts';

const PHASE = { phase: 1, since: 0, variants: anExperiment().variants };
const NOTIFIES: Guardrail = { metric: { aggregate: 'revenue' }, worse: 'lower', margin: 0, action: 'notify' };
const STOPS: Guardrail = { ...NOTIFIES, margin: 0.05, action: 'roll_back' };

const running = (guardrails: readonly Guardrail[], some: Partial<ExperimentDocument> = {}) =>
  anExperiment({ state: 'running', phases: [PHASE], startedAt: 0, guardrails, ...some });

const found = (guardrail: Guardrail, ...harmful: string[]): GuardrailState => ({
  guardrail,
  found: undefined,
  verdict: 'harmful',
  variants: harmful.map((variantKey) => ({
    variantKey,
    verdict: 'harmful',
    lift: -0.1,
    low: -0.2,
    high: -0.01,
    tooSmall: null,
  })),
});

describe('a guardrail', () => {
  it('acts although another one of the metric, with another margin or action, found something before', () => {
    const experiment = running([NOTIFIES, STOPS]);
    const reported = afterTrips(experiment, tripsOf(experiment, [found(NOTIFIES, 'true')]), 1_000);
    expect(reported).toMatchObject({ state: 'running', alerts: [{ action: 'notify' }] });
    expect([NOTIFIES, STOPS].map((guardrail) => isKnown(reported, guardrail))).toEqual([true, false]);
    const trips = tripsOf(reported, [found(NOTIFIES, 'true'), found(STOPS, 'true')]);
    expect(trips).toMatchObject([{ action: 'roll_back', margin: 0.05 }]);
    const stopped = afterTrips(reported, trips, 2_000);
    expect(stopped).toMatchObject({ state: 'stopped', alerts: [{ action: 'notify' }, { action: 'roll_back' }] });
    // An edit that asks for more than a report.
    const edited: Guardrail = { ...NOTIFIES, action: 'pause' };
    expect(tripsOf({ ...reported, guardrails: [edited] }, [found(edited, 'true')])).toMatchObject([
      { action: 'pause' },
    ]);
  });

  it('accepts what it found once a person has resumed the experiment, in this phase only', () => {
    const experiment = running([STOPS, NOTIFIES]);
    const reported = afterTrips(experiment, tripsOf(experiment, [found(NOTIFIES, 'true')]), 1_000);
    expect(actingMargin(reported, STOPS)).toBe(0.05);
    const resumed = overridden(reported, 2_000, 'ida@example.com');
    expect(resumed.alerts).toMatchObject([{ overridden: { at: 2_000, by: 'ida@example.com' } }]);
    expect([STOPS, NOTIFIES].map((guardrail) => isKnown(resumed, guardrail))).toEqual([false, false]);
    // The lift that was found then is -0.1.
    expect([STOPS, NOTIFIES].map((guardrail) => actingMargin(resumed, guardrail))).toEqual([0.05, 0.1]);
    // A second resume is of what was found since; a figure that is not known cannot be accepted.
    const again = overridden(afterTrips(resumed, tripsOf(resumed, [found(NOTIFIES, 'true')]), 3_000), 4_000, 'ivo');
    expect(again.alerts?.map((alert) => alert.overridden?.by)).toEqual(['ida@example.com', 'ivo']);
    const unknown = { ...resumed, alerts: (resumed.alerts ?? []).map((alert) => ({ ...alert, lift: null })) };
    expect(isKnown(unknown, NOTIFIES)).toBe(true);
    const later = { ...resumed, phases: [PHASE, { ...PHASE, phase: 2 }] };
    expect([isKnown(later, NOTIFIES), actingMargin(later, NOTIFIES)]).toEqual([false, 0]);
  });

  it('does not act on a variant that was taken out of the experiment', () => {
    const variants = ['a', 'b', 'c'].map((key) => ({ key, weight: 1 }));
    const phases = [
      { ...PHASE, variants },
      { phase: 2, since: 1, variants: variants.slice(0, 2) },
    ];
    const experiment = running([STOPS], { variants: variants.slice(0, 2), phases });
    expect(tripsOf(experiment, [found(STOPS, 'c')])).toEqual([]);
    expect(tripsOf(experiment, [found(STOPS, 'c', 'b')])).toMatchObject([{ variant: 'b', phase: 2 }]);
  });
});
