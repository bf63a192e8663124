import { Type } from 'typebox';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import { type ExperimentResults, SMALL_GROUP_PLAYERS } from '../../../analysis/experiment-results.ts';
import {
  LEFT_OUT,
  leftOutJson,
  METRIC_EXAMPLE,
  METRIC_REPLY,
  PERIOD_EXAMPLE,
  Periods,
  periodJson,
  SampleRatio,
  SEQUENTIAL_EXAMPLE,
  sequentialJson,
  SequentialVariants,
  treatedJson,
  Variant,
  variantJson,
  VARIANTS_EXAMPLE,
  WINDOW_REPLY,
} from './flag-results-resource.ts';
import { COMPARED, COMPARED_EXAMPLE, comparedJson } from './compared-resource.ts';
import type { LeftOut, ShownPlayers } from './compared-players.ts';
import type { ShownPeriod } from './experiment-period.ts';
import { metricJson } from './metric-fields.ts';
import type { Treated } from './variant-samples.ts';
import { textOrNull } from '../../input/fields.ts';

/* The resource of a breakdown of results: its schema, its JSON text and its example. */

const MetricResults = Type.Object(
  {
    ...METRIC_REPLY,
    variants: Type.Array(Variant, { description: 'Results per variant, in the order of the flag.' }),
    sequential: SequentialVariants,
  },
  { description: 'Results of one metric.' },
);

const Group = Type.Object(
  {
    value: textOrNull(
      'What the players of this group have in common: the key of a segment, or a country, platform or version. ' +
        'Empty: players without one, or in no segment. null: all players, without `by`.',
    ),
    too_small: Type.Boolean({
      description:
        `True if a variant with players to expect has fewer than ${SMALL_GROUP_PLAYERS} (or clusters) here: its intervals do not ` +
        'hold for metrics that few players have. Do not conclude from this group.',
    }),
    sample_ratio: SampleRatio,
    ...LEFT_OUT,
    metrics: Type.Array(MetricResults, { description: 'Results per metric, in the order of the request.' }),
  },
  { description: 'Results of a group of players.' },
);

/** Results of several metrics, of all players or of groups of them. */
export const FlagReadout = Type.Object(
  {
    flag_key: Type.String({ description: 'Key of the flag.' }),
    flag_version: Type.Integer({ description: 'Latest version of the flag in this period.' }),
    period: Type.Integer({ description: 'Period of these results.' }),
    periods: Periods,
    ...WINDOW_REPLY,
    by: textOrNull('What groups have in common, as in the request; null: one group with all players.'),
    groups_found: Type.Integer({ description: 'Number of groups, of which `groups` has the largest.' }),
    comparisons: Type.Integer({
      description:
        'Comparisons in this answer: one for each variant with a p-value, metric and group. Only `p_adjusted` is ' +
        'corrected, and only for the variants of one metric and group: of 20 comparisons without any effect one is ' +
        'significant at 5 % by chance.',
    }),
    ...COMPARED,
    groups: Type.Array(Group, { description: 'Results per group, the one with the most players first.' }),
  },
  { description: 'Results of an experiment for several metrics, by groups of players.' },
);

/** A group with its results in the order of the metrics. */
export interface ShownGroup {
  value: string | null;
  tooSmall: boolean;
  leftOut: LeftOut;
  results: readonly (ExperimentResults & { treated: Treated })[];
}

export interface ShownReadout extends ShownPeriod, ShownPlayers {
  metrics: readonly Metric[];
  by: string | undefined;
  groupsFound: number;
  groups: readonly ShownGroup[];
}

/** A breakdown as JSON text. */
export function readoutJson(shown: ShownReadout): string {
  const { metrics, groups } = shown;
  const compared = groups.flatMap(({ results }) => results.flatMap(({ variants }) => variants));
  return JSON.stringify({
    flag_key: shown.flagKey,
    flag_version: shown.flagVersion,
    period: shown.period,
    periods: shown.periods.map(periodJson),
    window_days: shown.windowDays,
    min_exposure_age_days: shown.minExposureAgeDays,
    by: shown.by ?? null,
    groups_found: shown.groupsFound,
    comparisons: compared.filter(({ interval }) => (interval?.pValue ?? null) !== null).length,
    ...comparedJson(shown),
    groups: groups.map((group) => groupJson(group, metrics)),
  });
}

function groupJson({ value, tooSmall, leftOut, results }: ShownGroup, metrics: readonly Metric[]) {
  const ratio = results[0]?.sampleRatio;
  return {
    value,
    too_small: tooSmall,
    sample_ratio: { p_value: ratio?.pValue ?? null, mismatch: ratio?.mismatch ?? false },
    ...leftOutJson(leftOut),
    metrics: metrics.map((metric, place) => {
      const variants = results[place]?.variants ?? [];
      return {
        ...metricJson(metric),
        ...treatedJson(results[place]?.treated ?? { cap: null, cuped: null }),
        variants: variants.map(variantJson),
        sequential: variants.map(sequentialJson),
      };
    }),
  };
}

export const FLAG_READOUT_EXAMPLE = {
  ...PERIOD_EXAMPLE,
  window_days: 7,
  min_exposure_age_days: 0,
  by: 'country',
  groups_found: 31,
  comparisons: 1,
  ...COMPARED_EXAMPLE,
  groups: [
    {
      value: 'DE',
      too_small: false,
      sample_ratio: { p_value: 1, mismatch: false },
      excluded_players: 0,
      left_out_earlier: 0,
      mismatched_players: 0,
      metrics: [
        {
          ...METRIC_EXAMPLE,
          variants: VARIANTS_EXAMPLE,
          sequential: SEQUENTIAL_EXAMPLE,
        },
      ],
    },
  ],
};
