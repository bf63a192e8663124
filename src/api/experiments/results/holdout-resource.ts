import { Type } from 'typebox';
import { HOLDOUT_ARMS } from '../../../../clickhouse-schema/queries/experiments/holdout.ts';
import type { MeasuredVariant } from '../../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import type { HoldoutPeriod } from '../../../../core/vocabulary/documents/game.ts';
import { CONFIG_LIMITS } from '../../../../streams/config/limits.ts';
import { ALPHA, experimentResults } from '../../../analysis/experiment-results.ts';
import { leftOut } from '../../flags/results/compared-players.ts';
import {
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
import { metricSamples } from '../../flags/results/variant-samples.ts';
import { integerOrNull, nullableTimeOut, textOrNull, timeOut } from '../../input/fields.ts';

/* The results of a holdout: their schema, their JSON text and their example. */

const NOTHING = {
  no_holdout: 'the game never had a holdout',
  no_experiments: 'no experiment ever started',
  no_exposures: 'no player met an experiment for the first time in the period',
} as const;

const Period = Type.Object(
  {
    period: Type.Integer({ description: 'Number of the period, from 1.' }),
    since: timeOut('When the setting was made.'),
    until: nullableTimeOut('When another one was made, or none. null: it goes on.'),
    percentage: Type.Number({ description: 'Percentage of the players who were held out.' }),
  },
  { description: 'A stretch in which the same players are held out.' },
);

/** Results of a holdout. */
export const HoldoutResultsShown = Type.Object(
  {
    period: integerOrNull('The period of these results; null: there is none.'),
    periods: Type.Array(Period, {
      description: `The latest ${CONFIG_LIMITS.holdoutPeriods} periods of the holdout, oldest first.`,
    }),
    control: Type.String({ description: `Always \`${HOLDOUT_ARMS.heldOut}\`.` }),
    reason: textOrNull(
      `Why there is nothing to compare: ${Object.entries(NOTHING)
        .map(([key, words]) => `\`${key}\` (${words})`)
        .join(', ')}. null: there is.`,
    ),
    ...METRIC_REPLY,
    ...WINDOW_REPLY,
    confidence: Type.Number({ description: 'Of every interval.' }),
    variants: Type.Array(Variant, {
      description:
        `\`${HOLDOUT_ARMS.heldOut}\`: players who were held out, the control. \`${HOLDOUT_ARMS.rest}\`: players who took ` +
        'part in an experiment, whatever their variant.',
    }),
    sequential: SequentialVariants,
    sample_ratio: SampleRatio,
    excluded_players: Type.Integer({
      description:
        'Number of players left out of both: they met an experiment before the period, or are on both sides, or have ' +
        'an override of a flag with experiments.',
    }),
    left_out_earlier: Type.Integer({
      description:
        'Number of these players who met an experiment before the period, or in its first minute: the holdout was ' +
        'another one.',
    }),
    mismatched_players: Type.Integer({
      description: 'Number of players with an event whose `variant_key` differs from the variant served last.',
    }),
  },
  { description: 'Players who were held out of all experiments, compared with the others.' },
);

/** What was asked and measured. */
export interface HoldoutMade {
  period: HoldoutPeriod | undefined;
  periods: readonly HoldoutPeriod[];
  metric: Metric;
  windowDays: number;
  ageDays: number;
  rows: readonly MeasuredVariant[];
  hasExperiments: boolean;
}

export function holdoutJson(made: HoldoutMade): string {
  const { period, periods, rows } = made;
  const arms = [
    { variantKey: HOLDOUT_ARMS.heldOut, weight: period?.percentage ?? null },
    { variantKey: HOLDOUT_ARMS.rest, weight: period === undefined ? null : 100 - period.percentage },
  ];
  const { samples, ...treated } = metricSamples(rows, arms);
  const { variants, sampleRatio } = experimentResults(samples);
  return JSON.stringify({
    period: period?.period ?? null,
    periods: periods.map(({ since, until, ...one }) => ({
      ...one,
      since: formatTimestamp(since),
      until: until === null ? null : formatTimestamp(until),
    })),
    control: HOLDOUT_ARMS.heldOut,
    reason: reasonOf(made),
    ...metricJson(made.metric),
    ...treatedJson(treated),
    window_days: made.windowDays,
    min_exposure_age_days: made.ageDays,
    confidence: 1 - ALPHA,
    variants: variants.map(variantJson),
    sequential: variants.map(sequentialJson),
    sample_ratio: { p_value: sampleRatio.pValue, mismatch: sampleRatio.mismatch },
    ...leftOutJson(leftOut(rows)),
  });
}

function reasonOf({ period, hasExperiments, rows }: HoldoutMade): keyof typeof NOTHING | null {
  if (period === undefined) return 'no_holdout';
  if (!hasExperiments) return 'no_experiments';
  return rows.every(({ excluded }) => excluded) ? 'no_exposures' : null;
}

const renamed = <T extends { variant_key: string }>(shown: readonly T[]): T[] =>
  shown.map((one, place) => ({ ...one, variant_key: place === 0 ? HOLDOUT_ARMS.heldOut : HOLDOUT_ARMS.rest }));

export const HOLDOUT_EXAMPLE = {
  period: 1,
  periods: [{ period: 1, since: '2026-01-05T09:00:00.000Z', until: null, percentage: 50 }],
  control: HOLDOUT_ARMS.heldOut,
  reason: null,
  ...METRIC_EXAMPLE,
  window_days: 7,
  min_exposure_age_days: 0,
  confidence: 0.95,
  variants: renamed(VARIANTS_EXAMPLE),
  sequential: renamed(SEQUENTIAL_EXAMPLE),
  sample_ratio: { p_value: 1, mismatch: false },
  excluded_players: 0,
  left_out_earlier: 0,
  mismatched_players: 0,
};
