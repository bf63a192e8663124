import { actionsOf, afterAction, type ExperimentAction } from '../../../../actors/experiments/life.ts';
import { EXPERIMENT_LIMITS } from '../../../../actors/experiments/limits.ts';
import {
  type ExperimentDocument,
  GUARDRAIL_ACTIONS,
  type GuardrailAction,
  type GuardrailAlert,
} from '../../../../core/vocabulary/documents/experiments.ts';
import { isKnown } from './alerts.ts';
import type { GuardrailState } from '../results/guardrail-states.ts';

/* What becomes of an experiment when guardrails find a variant harmful. */

/** What a guardrail found now. */
export type Trip = Omit<GuardrailAlert, 'at' | 'version' | 'state' | 'overridden'>;

/**
 * The findings that the experiment does not have yet. Of several harmful variants it is the first one. A variant that
 * was taken out harms no player any more.
 */
export function tripsOf(experiment: ExperimentDocument, states: readonly GuardrailState[]): Trip[] {
  const phase = experiment.phases.at(-1)?.phase ?? 0;
  const served = new Set(experiment.variants.map(({ key }) => key));
  return states.flatMap(({ guardrail, variants }) => {
    const harmful = variants.find(({ verdict, variantKey }) => verdict === 'harmful' && served.has(variantKey));
    if (harmful === undefined || isKnown(experiment, guardrail)) return [];
    const { metric, worse, margin, action } = guardrail;
    const { variantKey: variant, lift, low, high } = harmful;
    return [{ phase, metric, worse, margin, action, variant, lift, low, high }];
  });
}

const AS: Readonly<Record<GuardrailAction, ExperimentAction | undefined>> = {
  notify: undefined,
  pause: 'pause',
  roll_back: 'stop',
};

/** The experiment after the strongest action of the findings. */
export function afterTrips(held: ExperimentDocument, trips: readonly Trip[], nowMs: number): ExperimentDocument {
  const strongest = AS[strongestOf(trips)];
  const isPossible = strongest !== undefined && actionsOf(held).includes(strongest);
  const next = isPossible ? afterAction(held, strongest, nowMs) : held;
  const found = trips.map((trip) => ({ ...trip, at: nowMs, version: held.version + 1, state: next.state }));
  return { ...next, alerts: [...(held.alerts ?? []), ...found].slice(-EXPERIMENT_LIMITS.experimentAlerts) };
}

const strongestOf = (trips: readonly Trip[]): GuardrailAction =>
  GUARDRAIL_ACTIONS.findLast((action) => trips.some((trip) => trip.action === action)) ?? 'notify';

/** Why, for the audit and the history. */
export function reasonOf(trips: readonly Trip[]): string {
  return trips.map(sentenceOf).join(' ').slice(0, MOST_CHARS).toWellFormed();
}

/** As many as `X-Change-Reason` may have. */
const MOST_CHARS = 500;

const DONE: Readonly<Record<GuardrailAction, string>> = {
  notify: 'reported',
  pause: 'paused',
  roll_back: 'rolled back',
};

function sentenceOf({ metric: { aggregate, metric }, variant, action, lift, low, high, margin }: Trip): string {
  const name = metric === undefined ? aggregate : `${aggregate} of ${metric}`;
  return (
    `Guardrail ${name}: ${variant} differs by ${percent(lift)} (${percent(low)} to ${percent(high)} at every look) ` +
    `beyond the margin of ${percent(margin)}; ${DONE[action]}.`
  );
}

const percent = (share: number | null): string =>
  share === null ? 'unknown' : `${Number((share * 100).toFixed(2))} %`;
