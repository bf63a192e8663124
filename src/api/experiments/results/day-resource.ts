import { Type } from 'typebox';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import type { ExperimentDocument } from '../../../../core/vocabulary/documents/experiments.ts';
import {
  SEQUENTIAL_EXAMPLE,
  sequentialJson,
  SequentialVariants,
  Variant,
  variantJson,
  VARIANTS_EXAMPLE,
} from '../../flags/results/flag-results-resource.ts';
import { metricJson } from '../../flags/results/metric-fields.ts';
import type { DayResults } from './measured-days.ts';
import { variantKeys } from './measured-phases.ts';
import { RESULTS_EXAMPLE, RESULTS_HEAD, nothingIn } from './results-resource.ts';

/* The results of an experiment by day: their schema, their JSON text and their example. */

const { mode: _mode, winner: _winner, state: _state, ...HEAD } = RESULTS_HEAD;

export const DayResultsShown = Type.Object(
  {
    ...HEAD,
    days: Type.Array(
      Type.Object(
        {
          day: Type.String({ description: "The day in the game's time zone, as YYYY-MM-DD." }),
          variants: Type.Array(Variant, {
            description: 'Results per variant at the end of the day, the control first.',
          }),
          sequential: SequentialVariants,
        },
        { description: 'Results at the end of a day.' },
      ),
      { description: 'The days without a gap, oldest first. The last one is not over while the experiment runs.' },
    ),
  },
  { description: 'Results of an experiment by day.' },
);

export interface DaysMade {
  experiment: ExperimentDocument;
  metric: Metric;
  phase: number | undefined;
  windowDays: number;
  days: readonly DayResults[];
}

export function daysJson({ experiment, metric, phase, windowDays, days }: DaysMade): string {
  const { key, flagKey, version, plan } = experiment;
  return JSON.stringify({
    experiment_key: key,
    flag_key: flagKey,
    version,
    control: variantKeys(experiment)[0],
    reason: nothingIn(days.length > 0, days.at(-1)?.variants ?? []),
    phase: phase ?? null,
    ...metricJson(metric),
    window_days: windowDays,
    confidence: 1 - plan.alpha,
    days: days.map(({ day, variants }) => ({
      day,
      variants: variants.map(variantJson),
      sequential: variants.map(sequentialJson),
    })),
  });
}

const { experiment_key, flag_key, version, control, reason, phase, confidence, window_days } = RESULTS_EXAMPLE;
const { aggregate, metric, property, per_metric, per_property, day, quantile, winsorize } = RESULTS_EXAMPLE;

export const DAYS_EXAMPLE = {
  experiment_key,
  flag_key,
  version,
  control,
  reason,
  phase,
  aggregate,
  metric,
  property,
  per_metric,
  per_property,
  day,
  quantile,
  winsorize,
  window_days,
  confidence,
  days: [{ day: '2026-01-15', variants: VARIANTS_EXAMPLE, sequential: SEQUENTIAL_EXAMPLE }],
};
