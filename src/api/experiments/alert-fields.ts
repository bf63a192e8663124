import { Type } from 'typebox';
import { EXPERIMENT_LIMITS } from '../../../actors/experiments/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import {
  EXPERIMENT_STATES,
  GUARDRAIL_ACTIONS,
  type GuardrailAlert,
} from '../../../core/vocabulary/documents/experiments.ts';
import { nullableTimeOut, numberOrNull, oneOf, textOrNull, timeOut } from '../input/fields.ts';
import { ChosenMetric } from './experiment-fields.ts';

/* What guardrails found, in responses. */

export const OVERRIDDEN = {
  overridden_at: nullableTimeOut('When the experiment was resumed after it; null: it was not.'),
  overridden_by: textOrNull('Who resumed it: the e-mail address of a person, or the id of a key.'),
};

export const overriddenJson = (overridden: GuardrailAlert['overridden']) => ({
  overridden_at: overridden === undefined ? null : formatTimestamp(overridden.at),
  overridden_by: overridden?.by ?? null,
});

export const Alerts = Type.Array(
  Type.Object(
    {
      at: timeOut('When it was found.'),
      phase: Type.Integer({ description: 'The phase of the experiment then.' }),
      metric: ChosenMetric,
      worse: oneOf(['lower', 'higher'], 'The direction that harms.'),
      margin: Type.Number({ description: 'What was tolerated, relative to the mean of the control.' }),
      action: oneOf(GUARDRAIL_ACTIONS, 'What the guardrail does.'),
      variant_key: Type.String({ description: 'Key of the variant that harms.' }),
      lift: numberOrNull('Its relative lift then.'),
      low: numberOrNull('Lower bound of the lift, valid at every look.'),
      high: numberOrNull('Upper bound of the lift, valid at every look.'),
      state: oneOf(EXPERIMENT_STATES, 'The state of the experiment after it.'),
      version: Type.Integer({ description: 'The version of the experiment that it made.' }),
      ...OVERRIDDEN,
    },
    { description: 'A finding.' },
  ),
  {
    description:
      'What guardrails found, oldest first, once per guardrail and phase, and again if it was overridden; the latest ' +
      `${EXPERIMENT_LIMITS.experimentAlerts}.`,
  },
);

export function alertJson({ at, variant, overridden, ...found }: GuardrailAlert) {
  const { phase, metric, worse, margin, action, lift, low, high, state, version } = found;
  return {
    at: formatTimestamp(at),
    phase,
    metric,
    worse,
    margin,
    action,
    variant_key: variant,
    lift,
    low,
    high,
    state,
    version,
    ...overriddenJson(overridden),
  };
}
