import { Type } from 'typebox';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import { EXPERIMENT_METRIC_NAMES } from '../../../../core/vocabulary/metrics/experiment-metrics.ts';
import type { FlagPeriod } from '../../../../core/vocabulary/documents/documents.ts';
import {
  ALPHA,
  type Decision,
  DECISIONS,
  type ExperimentResults,
  type VariantResult,
} from '../../../analysis/experiment-results.ts';
import { FLAG_LIMITS } from '../../../../actors/flags/limits.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { integerOrNull, nullable, numberOrNull, oneOf, textOrNull, timeOut } from '../../input/fields.ts';
import { COMPARED, COMPARED_EXAMPLE, comparedJson } from './compared-resource.ts';
import { metricJson } from './metric-fields.ts';
import type { Treated } from './variant-samples.ts';
import { TooSmallOrNull } from '../../input/too-small.ts';
import type { LeftOut, ShownPlayers } from './compared-players.ts';

/* The results resource: its schema, its JSON text and its example. */

/** A figure that may be null. @param description what the figure is */
const variantKey = Type.String({ description: 'Key of the variant; `false` or `true` for a boolean flag.' });

const ADJUSTED =
  'The p-value adjusted by Holm for all variants that are compared with the control: decide by it. Of all variants ' +
  'without an effect, the chance that any has one below a level is at most that level. null where `p_value` is.';

export const Variant = Type.Object(
  {
    variant_key: variantKey,
    players: Type.Integer({ description: 'Number of players exposed to this variant and to no other.' }),
    clusters: integerOrNull(
      'Number of groups of these players who share the device or attribute by which their variant was drawn. They are ' +
        'compared as units: intervals, p-values and the sample ratio go by their number. null: each player is one.',
    ),
    conversions: Type.Integer({ description: 'Number of these players with at least one event of the metric.' }),
    sum: numberOrNull('Sum of the metric over these players; for `conversion`, the number of conversions.'),
    mean: numberOrNull(
      'Mean of the metric per player; for `conversion`, the share of players who converted. null without players.',
    ),
    lift: numberOrNull(
      'Relative lift, (mean − control mean) / |control mean|. null for the control and if the control mean is 0.',
    ),
    ci_low: numberOrNull(
      'Lower bound of the confidence interval of the lift: 95 %, in an experiment 1 − `plan.alpha`. It is valid for one ' +
        'look at a time chosen in advance.',
    ),
    ci_high: numberOrNull('Upper bound of this interval.'),
    p_value: numberOrNull('Two-sided p-value of the hypothesis that the means are the same.'),
    p_adjusted: numberOrNull(ADJUSTED),
    too_small: TooSmallOrNull,
  },
  { description: 'Results of a variant. The first variant is the control.' },
);

/** The comparisons that hold at every look, in the order of the variants. */
export const SequentialVariants = Type.Array(
  Type.Object(
    {
      variant_key: variantKey,
      ci_low: numberOrNull('Lower bound of the confidence interval of the lift, valid at every look.'),
      ci_high: numberOrNull('Upper bound of this interval.'),
      p_value: numberOrNull('Two-sided p-value of the hypothesis that the means are the same.'),
      p_adjusted: numberOrNull(ADJUSTED),
      too_small: TooSmallOrNull,
      decision: Type.Unsafe<Decision | null>({
        type: ['string', 'null'],
        enum: [...DECISIONS, null],
        description:
          'How its mean differs from that of the control: decided if `p_adjusted` here is below 0.05, in an experiment ' +
          'below `plan.alpha`. null for the control.',
      }),
    },
    { description: 'Sequential comparison of a variant.' },
  ),
  { description: 'Sequential comparisons, in the same order.' },
);

export const SampleRatio = Type.Object(
  {
    p_value: numberOrNull(
      'p-value of the χ² test of players against weights; null if no ratio is expected, or fewer ' +
        'than 5 clusters of a variant are.',
    ),
    mismatch: Type.Boolean({
      description:
        'True if p < 0.001: the assignment or the data collection is broken. Do not trust the other results.',
    }),
  },
  { description: 'Sample ratio check: whether the numbers of players match the weights.' },
);

/** Counts of players who are in no variant, or who reported another one. */
export const LEFT_OUT = {
  excluded_players: Type.Integer({
    description:
      'Number of players left out of all variants: they took part in an earlier period, or were served or shown two ' +
      'variants in this one.',
  }),
  left_out_earlier: Type.Integer({
    description:
      'Number of these players who took part in an earlier period. The edit that began this period gave them another ' +
      'variant, or others another chance of it, so that they cannot be compared with players who came later.',
  }),
  mismatched_players: Type.Integer({
    description:
      'Number of exposed players with an event whose `variant_key` differs from the variant served last. Players ' +
      'to whom the flag never served that variant count as excluded.',
  }),
};

export const Periods = Type.Array(
  Type.Object(
    {
      period: Type.Integer({ description: 'Number of the period, from 1.' }),
      version: Type.Integer({ description: 'Version of the flag that started the period.' }),
      started_at: timeOut('When the period started.'),
    },
    { description: 'A period, during which no edit changed which players get which value.' },
  ),
  { description: `The latest ${FLAG_LIMITS.flagPeriods} periods of the flag, oldest first.` },
);

/** What was measured, and how its values were treated. */
export const METRIC_REPLY = {
  aggregate: oneOf(EXPERIMENT_METRIC_NAMES, 'What was measured of each player.'),
  metric: textOrNull('Name of the measured events; null for metrics without.'),
  property: textOrNull('The property; null without one.'),
  per_metric: textOrNull('Name of the events that divide a ratio; else null.'),
  per_property: textOrNull('The property whose sum divides a ratio; else null.'),
  day: integerOrNull('The day of a retention; else null.'),
  quantile: numberOrNull('The share of a quantile; else null.'),
  winsorize: numberOrNull('The share above which values were capped; null: none were.'),
  cap: numberOrNull(
    'The value to which larger ones were capped, of all variants and groups together. null: none were.',
  ),
  cuped: nullable(
    Type.Object(
      {
        theta: Type.Number({ description: 'θ: what one unit before the exposure is worth after it.' }),
        variance_reduction: numberOrNull(
          'Share of the variance that was taken off: the square of the correlation with the metric before.',
        ),
      },
      { description: 'What CUPED did. `mean` and all comparisons are adjusted; `sum` and `conversions` are not.' },
    ),
  ),
};

export const WINDOW_REPLY = {
  window_days: Type.Integer({ description: 'Length of the measured window, days after the first exposure.' }),
  min_exposure_age_days: Type.Integer({ description: 'Days since the first exposure that players have at least.' }),
};

export const METRIC_EXAMPLE = {
  aggregate: 'conversion',
  metric: 'purchase_completed',
  property: null,
  per_metric: null,
  per_property: null,
  day: null,
  quantile: null,
  winsorize: null,
  cap: null,
  cuped: null,
};

/** Results of an experiment. */
export const FlagResults = Type.Object(
  {
    flag_key: Type.String({ description: 'Key of the flag.' }),
    flag_version: Type.Integer({ description: 'Latest version of the flag in this period.' }),
    period: Type.Integer({ description: 'Period of these results.' }),
    periods: Periods,
    ...METRIC_REPLY,
    ...WINDOW_REPLY,
    variants: Type.Array(Variant, { description: 'Results per variant, in the order of the flag.' }),
    sequential: Type.Object(
      {
        method: Type.String({ description: 'Always `asymptotic_confidence_sequence`.' }),
        confidence: Type.Number({
          description: 'Probability that all these intervals, over all looks, contain the true lift.',
        }),
        variants: SequentialVariants,
      },
      { description: 'The same comparison, valid however often you look and whenever you stop.' },
    ),
    sample_ratio: SampleRatio,
    ...LEFT_OUT,
    ineligible_players: Type.Integer({
      description: 'Number of exposed players who do not take part, because nothing was drawn for them.',
    }),
    ...COMPARED,
  },
  { description: 'Results of an experiment.' },
);

/** The flag and its periods in the examples. */
export const PERIOD_EXAMPLE = {
  flag_key: 'shop_layout',
  flag_version: 3,
  period: 2,
  periods: [
    { period: 1, version: 1, started_at: '2026-01-05T09:00:00.000Z' },
    { period: 2, version: 2, started_at: '2026-01-12T09:00:00.000Z' },
  ],
};

const NO_COMPARISON = { ci_low: null, ci_high: null, p_value: null, p_adjusted: null, too_small: null };

/** The results per variant in the examples. */
export const VARIANTS_EXAMPLE = [
  {
    variant_key: 'control',
    players: 1000,
    clusters: null,
    conversions: 100,
    sum: 100,
    mean: 0.1,
    lift: null,
    ...NO_COMPARISON,
  },
  {
    variant_key: 'wide',
    players: 1000,
    clusters: null,
    conversions: 120,
    sum: 120,
    mean: 0.12,
    lift: 0.2,
    ci_low: -0.0661,
    ci_high: 0.5522,
    p_value: 0.1531,
    p_adjusted: 0.1531,
    too_small: null,
  },
];

/** The sequential comparisons in the examples. */
export const SEQUENTIAL_EXAMPLE = [
  { variant_key: 'control', ...NO_COMPARISON, decision: null },
  {
    variant_key: 'wide',
    ci_low: -0.1994,
    ci_high: 0.8307,
    p_value: 0.9396,
    p_adjusted: 0.9396,
    too_small: null,
    decision: 'undecided',
  },
];

export const FLAG_RESULTS_EXAMPLE = {
  ...PERIOD_EXAMPLE,
  ...METRIC_EXAMPLE,
  window_days: 7,
  min_exposure_age_days: 0,
  variants: VARIANTS_EXAMPLE,
  sequential: {
    method: 'asymptotic_confidence_sequence',
    confidence: 0.95,
    variants: SEQUENTIAL_EXAMPLE,
  },
  sample_ratio: { p_value: 1, mismatch: false },
  excluded_players: 0,
  left_out_earlier: 0,
  mismatched_players: 0,
  ineligible_players: 0,
  ...COMPARED_EXAMPLE,
};

/** The parameters of the results, and counts of players. */
export interface ResultsRequest extends ShownPlayers, LeftOut {
  flagKey: string;
  flagVersion: number;
  period: number;
  periods: readonly FlagPeriod[];
  measured: Metric;
  treated: Treated;
  windowDays: number;
  minExposureAgeDays: number;
}

/** Results as JSON text. */
export function resultsJson(request: ResultsRequest, { variants, sampleRatio }: ExperimentResults): string {
  return JSON.stringify({
    flag_key: request.flagKey,
    flag_version: request.flagVersion,
    period: request.period,
    periods: request.periods.map(periodJson),
    ...metricJson(request.measured),
    ...treatedJson(request.treated),
    window_days: request.windowDays,
    min_exposure_age_days: request.minExposureAgeDays,
    variants: variants.map(variantJson),
    sequential: {
      method: 'asymptotic_confidence_sequence',
      confidence: 1 - ALPHA,
      variants: variants.map(sequentialJson),
    },
    sample_ratio: { p_value: sampleRatio.pValue, mismatch: sampleRatio.mismatch },
    ...leftOutJson(request),
    ineligible_players: request.ineligiblePlayers,
    ...comparedJson(request),
  });
}

export function leftOutJson({ excludedPlayers, leftOutEarlier, mismatchedPlayers }: LeftOut) {
  return {
    excluded_players: excludedPlayers,
    left_out_earlier: leftOutEarlier,
    mismatched_players: mismatchedPlayers,
  };
}

export function treatedJson({ cap, cuped }: Treated) {
  return { cap, cuped: cuped && { theta: cuped.theta, variance_reduction: cuped.varianceReduction } };
}

export function periodJson({ period, version, since }: FlagPeriod) {
  return { period, version, started_at: formatTimestamp(since) };
}

export function variantJson({ variantKey: key, players, clusters, conversions, ...figures }: VariantResult) {
  const { sum, mean, lift, interval } = figures;
  return { variant_key: key, players, clusters, conversions, sum, mean, lift, ...intervalJson(interval) };
}

export function sequentialJson({ variantKey: key, sequential, decision }: VariantResult) {
  return { variant_key: key, ...intervalJson(sequential), decision };
}

function intervalJson(interval: VariantResult['interval']) {
  return {
    ci_low: interval?.low ?? null,
    ci_high: interval?.high ?? null,
    p_value: interval?.pValue ?? null,
    p_adjusted: interval?.pAdjusted ?? null,
    too_small: interval?.tooSmall ?? null,
  };
}
