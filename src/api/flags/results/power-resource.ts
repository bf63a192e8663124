import { Type } from 'typebox';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import { QUERY_LIMITS } from '../../../../clickhouse-schema/queries/limits.ts';
import { SMALL_GROUP_PLAYERS } from '../../../analysis/experiment-results.ts';
import type { PowerPlan } from '../../../analysis/power.ts';
import { integerOrNull, numberOrNull, textOrNull } from '../../input/fields.ts';
import { METRIC_EXAMPLE, METRIC_REPLY } from './flag-results-resource.ts';
import { metricJson } from './metric-fields.ts';

/* The plan of an experiment: its schema, its JSON text and its example. */

const NO_PLAN = {
  few_players: `fewer than ${SMALL_GROUP_PLAYERS} players were active`,
  no_values: 'the mean of the metric is 0, or it does not vary',
  no_such_effect: 'a share cannot be so large, or no effect is found by so few players',
} as const;

const { cap: _cap, cuped: _cuped, ...METRIC } = METRIC_REPLY;
const { cap: _noCap, cuped: _noCuped, ...EXAMPLE_METRIC } = METRIC_EXAMPLE;

export const PowerReply = Type.Object(
  {
    ...METRIC,
    window_days: Type.Integer({ description: 'Length of the measured window, days.' }),
    alpha: Type.Number({ description: 'Two-sided error rate of all variants together.' }),
    power: Type.Number({ description: 'Probability of finding the effect, of each variant.' }),
    variants: Type.Integer({ description: 'Number of variants with equal weights.' }),
    traffic: Type.Number({ description: 'Percentage of active players who take part.' }),
    baseline: Type.Object(
      {
        players: Type.Integer({ description: 'Players who were active and count.' }),
        mean: numberOrNull('Mean of the metric per player.'),
        variance: numberOrNull('Variance of the metric between players.'),
        variance_reduction: numberOrNull('Share of it that CUPED takes off. null without `cuped`.'),
        players_by_day: Type.Array(Type.Integer({ description: 'Players.' }), {
          description:
            `Players by the day on which they first came, of ${QUERY_LIMITS.baselineDays} days whose windows are over. ` +
            'Later days bring as many as the mean of the last seven.',
        }),
      },
      { description: 'The metric before the experiment.' },
    ),
    reason: textOrNull(
      `Why there is no plan: ${Object.entries(NO_PLAN)
        .map(([key, words]) => `\`${key}\` (${words})`)
        .join(', ')}. null: there is one.`,
    ),
    mde: numberOrNull('Relative effect that is found.'),
    players: integerOrNull('Players of all variants together.'),
    days: integerOrNull(
      'Days in which so many come. Their windows end `window_days` later. null: they never come, or there is no plan.',
    ),
  },
  { description: 'The players and days that an effect needs.' },
);

export interface Planned {
  plan: PowerPlan;
  traffic: number;
  base: { players: number; mean: number; variance: number; varianceReduction: number | null };
  byDay: readonly number[];
  reason: keyof typeof NO_PLAN | null;
  mde: number | null;
  players: number | null;
  days: number | null;
}

/** A plan as JSON text, in which a number that is none is null. */
export function powerJson(metric: Metric, windowDays: number, planned: Planned): string {
  const { plan, base, traffic, byDay, reason, mde, players, days } = planned;
  return JSON.stringify({
    ...metricJson(metric),
    window_days: windowDays,
    alpha: plan.alpha,
    power: plan.power,
    variants: plan.weights.length,
    traffic,
    baseline: {
      players: base.players,
      mean: base.mean,
      variance: base.variance,
      variance_reduction: base.varianceReduction,
      players_by_day: byDay,
    },
    reason,
    mde,
    players,
    days,
  });
}

export const POWER_EXAMPLE = {
  ...EXAMPLE_METRIC,
  window_days: 7,
  alpha: 0.05,
  power: 0.8,
  variants: 2,
  traffic: 50,
  baseline: {
    players: 41_200,
    mean: 0.1,
    variance: 0.09,
    variance_reduction: null,
    players_by_day: [...Array.from({ length: 14 }, () => 2_300), ...Array.from({ length: 14 }, () => 643)],
  },
  reason: null,
  mde: 0.1,
  players: 29_499,
  days: 93,
};
