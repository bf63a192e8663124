import { Type, type Static } from 'typebox';
import type { Baseline } from '../../../../clickhouse-schema/queries/experiments/baseline.ts';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import { QUERY_LIMITS } from '../../../../clickhouse-schema/queries/limits.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { experimentMetric } from '../../../../core/vocabulary/metrics/experiment-metrics.ts';
import { ALPHA, SMALL_GROUP_PLAYERS } from '../../../analysis/experiment-results.ts';
import { daysFor, effectFor, type PowerPlan, playersBy, playersFor } from '../../../analysis/power.ts';
import { scopeOf } from '../../analytics/queries.ts';
import { API_LIMITS } from '../../limits.ts';
import { FLAG_API_LIMITS } from '../limits.ts';
import { answer } from '../../route/answer.ts';
import { defineRoute, invalid, readBy } from '../../route/route.ts';
import { METRIC_FIELDS, metricOf } from './metric-fields.ts';
import { POWER_EXAMPLE, PowerReply, type Planned, powerJson } from './power-resource.ts';

/* The route that plans an experiment: how many players and days an effect needs, or which effect they find. */

const PowerQuery = Type.Object({
  ...METRIC_FIELDS,
  window_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: API_LIMITS.resultsWindowDays,
      description: 'Window of each player, days of 24 hours, as in results. Default: 7.',
    }),
  ),
  mde: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 10,
      description: 'Relative effect to find: 0.05 is a lift of 5 %. Default: 0.05, without `players` and `days`.',
    }),
  ),
  players: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 1_000_000_000,
      description: 'Players of all variants together, to get the smallest effect that they find. Not with `mde`.',
    }),
  ),
  days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: FLAG_API_LIMITS.resultsSpanDays,
      description:
        'Days in which players come, to get the smallest effect that they find. Not with `mde` or `players`.',
    }),
  ),
  power: Type.Optional(
    Type.Number({
      minimum: 0.5,
      maximum: 0.99,
      description: 'Probability of finding the effect, of each variant. Default: 0.8.',
    }),
  ),
  alpha: Type.Optional(
    Type.Number({
      minimum: 0.001,
      maximum: 0.2,
      description: 'Two-sided error rate, of all variants together. Default: 0.05.',
    }),
  ),
  variants: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 50,
      description: 'Variants with equal weights, the control among them. Default: 2.',
    }),
  ),
  traffic: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      maximum: 100,
      description: 'Percentage of active players who take part. Default: 100.',
    }),
  ),
});

type Asked = Static<typeof PowerQuery>;

export const getPower = defineRoute({
  method: 'GET',
  path: '/v1/experiments/power',
  tag: 'Feature flags',
  summary: 'Plan the players and days of an experiment',
  description:
    'Tells how many players and days an effect needs, or the smallest effect that players or days find. Mean and ' +
    `variance of the metric are those of the players active in ${QUERY_LIMITS.baselineDays} days, from the first of ` +
    'them on which each was active, in its whole window. They come as players came in these days. The test is two-sided ' +
    'and of one look; several variants are bounded by Bonferroni. It changes nothing.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('analyst'),
  errors: ['RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: { query: PowerQuery },
  reply: { description: 'The plan.', schema: PowerReply, example: POWER_EXAMPLE },
  action: {
    kind: 'analytics',
    toQuestion({ query }, { key, services }) {
      const faults: FieldFault[] = [];
      const metric = metricOf(query, '', faults);
      const given = (['mde', 'players', 'days'] as const).filter((name) => query[name] !== undefined);
      faults.push(
        ...given
          .slice(1)
          .map((path) => ({ path, message: `cannot be combined with \`${given[0]}\`; send one of them` })),
      );
      if (faults.length > 0) return invalid(faults);
      const { window_days: windowDays = DEFAULT_WINDOW_DAYS } = query;
      const nowMs = services.clock.wallMs();
      const measured = {
        ...scopeOf(key, services),
        ...metric,
        windowDays,
        activeDays: QUERY_LIMITS.baselineDays,
        nowMs,
      };
      return { kind: 'question', question: { asked: query, metric, windowDays, measured } };
    },
    read: (analytics, { measured }) => analytics.experimentBaseline(measured),
    toAnswer: (baseline, { asked, metric, windowDays }) =>
      answer(powerJson(metric, windowDays, plannedOf(asked, metric, baseline))),
  },
});

const DEFAULT_WINDOW_DAYS = 7;

function plannedOf(asked: Asked, metric: Metric, { measured, byDay }: Baseline): Planned {
  const { alpha = ALPHA, power = 0.8, variants = 2, traffic = 100, days: askedDays } = asked;
  const isCuped = metric.cuped === true;
  const players = measured?.counted ?? 0;
  // With CUPED the mean is that of what is left.
  const mean = measured === undefined ? Number.NaN : isCuped ? measured.sum / players : measured.mean;
  const variance = (isCuped ? measured?.cuped.plainVariance : measured?.variance) ?? Number.NaN;
  const left = isCuped ? (measured?.variance ?? Number.NaN) / variance : 1;
  const plan: PowerPlan = {
    alpha,
    power,
    weights: Array.from({ length: variants }, () => 1),
    varianceReduction: Number.isFinite(left) ? 1 - left : 0,
  };
  const arrivals = { byDay, share: traffic / 100 };
  const base = { players, mean, variance, varianceReduction: isCuped ? plan.varianceReduction : null };
  const common = { plan, traffic, base, byDay };
  if (players < SMALL_GROUP_PLAYERS) return { ...common, reason: 'few_players', mde: null, players: null, days: null };
  if (!(variance > 0) || mean === 0) return { ...common, reason: 'no_values', mde: null, players: null, days: null };
  const isShare = experimentMetric(metric.aggregate.kind).unit === 'share';
  const given = asked.players ?? (askedDays === undefined ? undefined : playersBy(askedDays, arrivals));
  const mde = given === undefined ? (asked.mde ?? DEFAULT_EFFECT) : effectFor({ mean, variance }, given, isShare, plan);
  const needed = given ?? playersFor({ mean, variance }, mde ?? DEFAULT_EFFECT, isShare, plan);
  const isFound = mde !== undefined && needed !== undefined;
  return {
    ...common,
    reason: isFound ? null : 'no_such_effect',
    mde: mde ?? null,
    players: needed ?? null,
    days: needed === undefined ? null : (askedDays ?? daysFor(needed, arrivals) ?? null),
  };
}

const DEFAULT_EFFECT = 0.05;
