import { Type } from 'typebox';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import type { ExperimentDocument } from '../../../../core/vocabulary/documents/experiments.ts';
import { EXPERIMENT_STATES, GUARDRAIL_ACTIONS } from '../../../../core/vocabulary/documents/experiments.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { experimentResults } from '../../../analysis/experiment-results.ts';
import { GUARDRAIL_VERDICTS } from '../../../analysis/guardrail.ts';
import { phaseResults, type PooledVariant } from '../../../analysis/phase-results.ts';
import { NO_RATIO } from '../../../analysis/sample-ratio-cells.ts';
import {
  LEFT_OUT,
  leftOutJson,
  METRIC_EXAMPLE,
  METRIC_REPLY,
  SampleRatio,
  SEQUENTIAL_EXAMPLE,
  sequentialJson,
  SequentialVariants,
  treatedJson,
  Variant,
  variantJson,
  VARIANTS_EXAMPLE,
  WINDOW_REPLY,
} from '../../flags/results/flag-results-resource.ts';
import { metricJson } from '../../flags/results/metric-fields.ts';
import { integerOrNull, nullableTimeOut, numberOrNull, oneOf, textOrNull, timeOut } from '../../input/fields.ts';
import { TooSmallOrNull } from '../../input/too-small.ts';
import { OVERRIDDEN, overriddenJson } from '../alert-fields.ts';
import { tolerated } from '../guardrails/alerts.ts';
import { Mode } from '../experiment-fields.ts';
import { type DayRatio, dayRatios } from './day-ratios.ts';
import type { GuardrailState } from './guardrail-states.ts';
import { type MeasuredPhase, variantKeys } from './measured-phases.ts';
import { storedMetric } from './asked-metrics.ts';

/* The results of an experiment: their schema, their JSON text and their example. */

const { cap, cuped, ...METRIC } = METRIC_REPLY;
const { cap: _cap, cuped: _cuped, ...METRIC_SHOWN } = METRIC_EXAMPLE;
const TREATED_EXAMPLE = { cap: _cap, cuped: _cuped };

const NOTHING = {
  not_started: 'the experiment never started',
  no_exposures: 'no player was exposed to a variant',
} as const;

const Compared = {
  variants: Type.Array(Variant, { description: 'Results per variant, the control first.' }),
  sequential: SequentialVariants,
};

const Phase = Type.Object(
  {
    phase: Type.Integer({ description: 'Number of the phase, from 1.' }),
    since: timeOut('When it began.'),
    weights: Type.Array(
      Type.Object(
        {
          variant_key: Type.String({ description: 'Key of the variant.' }),
          weight: Type.Number({ description: 'Its weight.' }),
        },
        { description: 'The weight of a variant.' },
      ),
      { description: 'The shares of this phase.' },
    ),
    cap,
    cuped,
    ...Compared,
    sample_ratio: SampleRatio,
    ...LEFT_OUT,
    held_out_players: Type.Integer({ description: 'Number of players whom the holdout of the game kept out.' }),
  },
  { description: 'Results of the players who were assigned in one phase.' },
);

const REASONS = Object.entries(NO_RATIO).map(([key, words]) => `\`${key}\` (${words})`);

const DayRatioShown = Type.Object(
  {
    day: Type.String({ description: "Day of the first exposure in the game's time zone, as YYYY-MM-DD." }),
    phase: Type.Integer({ description: 'Phase in which these players were assigned.' }),
    players: Type.Integer({ description: 'Number of players who came.' }),
    p_value: numberOrNull('p-value of the χ² test, for a single look.'),
    p_adjusted: numberOrNull('p-value that is valid at every look, adjusted for all days that there are or will be.'),
    mismatch: Type.Boolean({ description: 'True if `p_adjusted` is below 0.01.' }),
    reason: textOrNull(`Why \`p_value\` is null: ${REASONS.join(', ')}. null: it is known.`),
  },
  { description: 'Sample ratio of the players of one day and phase.' },
);

const GuardrailShown = Type.Object(
  {
    ...METRIC,
    worse: oneOf(['lower', 'higher'], 'The direction that harms.'),
    margin: Type.Number({ description: 'How much worse than the control is tolerated, relative to its mean.' }),
    action: oneOf(GUARDRAIL_ACTIONS, 'What happens once a variant is harmful.'),
    verdict: oneOf(GUARDRAIL_VERDICTS, '`harmful`: one variant is. `safe`: all are. `undecided`: neither is known.'),
    found_at: nullableTimeOut('When it acted in the current phase, last; null: it did not.'),
    ...OVERRIDDEN,
    tolerated: numberOrNull('The loss that it accepts since then, instead of `margin`; null: it was not overridden.'),
    variants: Type.Array(
      Type.Object(
        {
          variant_key: Type.String({ description: 'Key of the variant.' }),
          verdict: oneOf(
            GUARDRAIL_VERDICTS,
            '`harmful`: worse than the margin. `safe`: not worse than the margin. Each holds however often you look.',
          ),
          lift: numberOrNull('Relative lift over the phases that the variant and the control have.'),
          low: numberOrNull('Lower bound of the lift, valid at every look. null: it is not known.'),
          high: numberOrNull('Upper bound of the lift, valid at every look. null: it is not known.'),
          too_small: TooSmallOrNull,
        },
        { description: 'What is known of a variant.' },
      ),
      { description: 'Each variant that is compared with the control.' },
    ),
  },
  { description: 'A guardrail, judged over all phases.' },
);

const { window_days, min_exposure_age_days } = WINDOW_REPLY;

/** Which experiment and metric results are of. */
export const RESULTS_HEAD = {
  experiment_key: Type.String({ description: 'Key of the experiment.' }),
  flag_key: Type.String({ description: 'Key of its flag.' }),
  version: Type.Integer({ description: 'Version of the experiment.' }),
  state: oneOf(EXPERIMENT_STATES, 'The state of the experiment.'),
  mode: Mode,
  winner: textOrNull('Key of the variant that was shipped; else null.'),
  control: Type.String({ description: 'Key of the variant that the others are compared with.' }),
  reason: textOrNull(
    `Why there is nothing to compare: ${Object.entries(NOTHING)
      .map(([key, words]) => `\`${key}\` (${words})`)
      .join(', ')}. null: there is.`,
  ),
  phase: integerOrNull('The phase of `variants` and `sequential`; null: all phases together.'),
  ...METRIC,
  window_days,
  confidence: Type.Number({ description: 'Of every interval: 1 − `plan.alpha` of the experiment.' }),
};

/** Results of an experiment. */
export const ExperimentResultsShown = Type.Object(
  {
    ...RESULTS_HEAD,
    min_exposure_age_days,
    ...Compared,
    compared_in: Type.Array(
      Type.Object(
        {
          variant_key: Type.String({ description: 'Key of the variant.' }),
          phases: Type.Array(Type.Integer({ description: 'Number of a phase.' }), {
            description: 'Phases in which it and the control have at least two players each.',
          }),
        },
        { description: 'The phases of a variant.' },
      ),
      {
        description:
          'In which phases each variant is compared. Players of different phases are never compared: the lift is that ' +
          'of the phases, weighted by their players. `mean` is weighted so over all phases of a variant.',
      },
    ),
    phases: Type.Array(Phase, { description: 'Results per phase, oldest first.' }),
    sample_ratio_by_day: Type.Array(DayRatioShown, { description: 'Sample ratio by day and phase, oldest first.' }),
    guardrails: Type.Array(GuardrailShown, {
      description:
        'The guardrails, over all phases, with the window of this request. The service itself looks at them with the ' +
        'default of each parameter.',
    }),
  },
  { description: 'Results of an experiment.' },
);

/** What was asked and measured. */
export interface ResultsMade {
  experiment: ExperimentDocument;
  metric: Metric;
  /** Number of the phase; undefined: all. */
  phase: number | undefined;
  windowDays: number;
  minExposureAgeDays: number;
  measured: readonly MeasuredPhase[];
  guardrails: readonly GuardrailState[];
}

export function resultsJson(made: ResultsMade): string {
  const { experiment, measured } = made;
  const { alpha } = experiment.plan;
  const keys = variantKeys(experiment);
  const chosen = measured.filter(({ phase }) => made.phase === undefined || phase.phase === made.phase);
  const variants = phaseResults(chosen.map(samplesOf), keys, alpha);
  return JSON.stringify({
    experiment_key: experiment.key,
    flag_key: experiment.flagKey,
    version: experiment.version,
    state: experiment.state,
    mode: experiment.mode,
    winner: experiment.winner,
    control: keys[0],
    reason: nothingIn(measured.length > 0, variants),
    phase: made.phase ?? null,
    ...metricJson(made.metric),
    window_days: made.windowDays,
    min_exposure_age_days: made.minExposureAgeDays,
    confidence: 1 - alpha,
    variants: variants.map(variantJson),
    sequential: variants.map(sequentialJson),
    compared_in: variants.map(({ variantKey: variant_key, comparedIn }) => ({
      variant_key,
      phases: comparedIn.flatMap((place) => chosen[place]?.phase.phase ?? []),
    })),
    phases: measured.map((one) => phaseJson(one, alpha)),
    sample_ratio_by_day: dayRatios(measured).map(dayJson),
    guardrails: made.guardrails.map(guardrailJson),
  });
}

/** Why there is nothing to compare; null: there is. */
export function nothingIn(isStarted: boolean, variants: readonly PooledVariant[]): keyof typeof NOTHING | null {
  if (!isStarted) return 'not_started';
  return variants.every(({ players }) => players === 0) ? 'no_exposures' : null;
}

const samplesOf = ({ metrics: [first] }: MeasuredPhase) => first?.samples ?? [];

function phaseJson(one: MeasuredPhase, alpha: number) {
  const { phase, since, variants: shares } = one.phase;
  const samples = samplesOf(one);
  const variants = phaseResults(
    [samples],
    shares.map(({ key }) => key),
    alpha,
  );
  const { sampleRatio } = experimentResults(samples);
  return {
    phase,
    since: formatTimestamp(since),
    weights: shares.map(({ key: variant_key, weight }) => ({ variant_key, weight })),
    ...treatedJson(one.metrics[0] ?? { cap: null, cuped: null }),
    variants: variants.map(variantJson),
    sequential: variants.map(sequentialJson),
    sample_ratio: { p_value: sampleRatio.pValue, mismatch: sampleRatio.mismatch },
    ...leftOutJson(one.leftOut),
    held_out_players: one.heldOut,
  };
}

function dayJson({ day, phase, players, pValue, pAdjusted, mismatch, reason }: DayRatio) {
  return { day, phase, players, p_value: pValue, p_adjusted: pAdjusted, mismatch, reason };
}

function guardrailJson({ guardrail, found, verdict, variants }: GuardrailState) {
  const { metric, worse, margin, action } = guardrail;
  return {
    ...metricJson(storedMetric(metric)),
    worse,
    margin,
    action,
    verdict,
    found_at: found === undefined ? null : formatTimestamp(found.at),
    ...overriddenJson(found?.overridden),
    tolerated: found?.overridden === undefined ? null : tolerated(guardrail, found),
    variants: variants.map(({ variantKey: variant_key, verdict: own, lift, low, high, tooSmall }) => ({
      variant_key,
      verdict: own,
      lift,
      low,
      high,
      too_small: tooSmall,
    })),
  };
}

const NO_METRIC = { metric: null, property: null, per_metric: null, per_property: null, day: null, quantile: null };

export const RESULTS_EXAMPLE = {
  experiment_key: 'wide_shop',
  flag_key: 'shop_layout',
  version: 3,
  state: 'running',
  mode: 'ab',
  winner: null,
  control: 'control',
  reason: null,
  phase: null,
  ...METRIC_SHOWN,
  window_days: 7,
  min_exposure_age_days: 0,
  confidence: 0.95,
  variants: VARIANTS_EXAMPLE,
  sequential: SEQUENTIAL_EXAMPLE,
  compared_in: [
    { variant_key: 'control', phases: [1] },
    { variant_key: 'wide', phases: [1] },
  ],
  phases: [
    {
      phase: 1,
      since: '2026-01-15T10:30:00.000Z',
      weights: [
        { variant_key: 'control', weight: 50 },
        { variant_key: 'wide', weight: 50 },
      ],
      ...TREATED_EXAMPLE,
      variants: VARIANTS_EXAMPLE,
      sequential: SEQUENTIAL_EXAMPLE,
      sample_ratio: { p_value: 1, mismatch: false },
      excluded_players: 0,
      left_out_earlier: 0,
      mismatched_players: 0,
      held_out_players: 105,
    },
  ],
  sample_ratio_by_day: [
    { day: '2026-01-15', phase: 1, players: 2000, p_value: 1, p_adjusted: 1, mismatch: false, reason: null },
  ],
  guardrails: [
    {
      aggregate: 'revenue',
      ...NO_METRIC,
      winsorize: null,
      worse: 'lower',
      margin: 0.02,
      action: 'roll_back',
      verdict: 'undecided',
      found_at: null,
      overridden_at: null,
      overridden_by: null,
      tolerated: null,
      variants: [{ variant_key: 'wide', verdict: 'undecided', lift: 0.01, low: -0.21, high: 0.29, too_small: null }],
    },
  ],
};
