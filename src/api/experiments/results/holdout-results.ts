import { Type } from 'typebox';
import type { HoldoutQuery } from '../../../../clickhouse-schema/queries/experiments/holdout.ts';
import { EVENT_QUERY_LIMITS } from '../../../../clickhouse-schema/queries/events/limits.ts';
import { DAY_MS } from '../../../../core/kernel/days.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import type { HoldoutPeriod } from '../../../../core/vocabulary/documents/game.ts';
import { gameAddress } from '../../../../streams/config/games.ts';
import { scopeOf } from '../../analytics/queries.ts';
import { FLAG_API_LIMITS } from '../../flags/limits.ts';
import { DEFAULT_WINDOW_DAYS, PERIOD_FIELDS } from '../../flags/results/experiment-period.ts';
import { METRIC_FIELDS, metricOf } from '../../flags/results/metric-fields.ts';
import { answer } from '../../route/answer.ts';
import { defineRoute, invalid, readBy } from '../../route/route.ts';
import { experiments } from '../experiments.ts';
import { EXPERIMENT_API_LIMITS } from '../limits.ts';
import { HOLDOUT_EXAMPLE, holdoutJson, HoldoutResultsShown } from './holdout-resource.ts';

/* The route that compares the players in the holdout of a game with those who took part in its experiments. */

const { window_days, min_exposure_age_days } = PERIOD_FIELDS;

const HoldoutQueryFields = Type.Object({
  ...METRIC_FIELDS,
  window_days,
  min_exposure_age_days,
  period: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      description: 'Number of a period in `periods` of the response. Default: the latest.',
    }),
  ),
});

export const getHoldoutResults = defineRoute({
  ...experiments.shared,
  method: 'GET',
  path: '/v1/experiments/holdout/results',
  summary: 'Compare the holdout with the players of all experiments',
  description:
    'Compares the players who took part in experiments with those whom the holdout of the game kept out of them, by a ' +
    'metric: what all experiments together changed. A player counts once, from the first time that it met any ' +
    'experiment in the period. A change of the percentage or the salt begins a period, which leaves out everybody who ' +
    'met an experiment before. The results are about a second behind; the test environment records no exposures.',
  limitClass: 'none',
  ...readBy('viewer'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: { query: HoldoutQueryFields },
  reply: { description: 'The results.', schema: HoldoutResultsShown, example: HOLDOUT_EXAMPLE },
  action: {
    kind: 'analytics',
    toQuestion({ query }, context) {
      const { key, services } = context;
      const faults: FieldFault[] = [];
      const metric = metricOf(query, '', faults);
      const { holdoutPeriods: periods = [] } = services.config.get(gameAddress(key.game))?.document ?? {};
      const period = query.period === undefined ? periods.at(-1) : periods.find((one) => one.period === query.period);
      if (query.period !== undefined && period === undefined) {
        faults.push({ path: 'period', message: 'matches no period of the holdout; see `periods` in the results' });
      }
      if (faults.length > 0) return invalid(faults);
      const { window_days: windowDays = DEFAULT_WINDOW_DAYS, min_exposure_age_days: ageDays = 0 } = query;
      const flags = experiments
        .all(context)
        .flatMap(({ document }) => (document.phases.length === 0 ? [] : [document.flagKey]));
      const times = period && timesOf(period, ageDays, services.clock.wallMs());
      const measured: HoldoutQuery | undefined = times && {
        ...scopeOf(key, services),
        ...metric,
        ...times,
        flags: [...new Set(flags)],
        windowDays,
      };
      return { kind: 'question', question: { metric, periods, period, windowDays, ageDays, measured } };
    },
    read: async (analytics, { measured }) =>
      measured === undefined || measured.flags.length === 0
        ? { kind: 'answered', value: [] }
        : analytics.holdout(measured),
    toAnswer: (measured, { measured: query, ...question }) =>
      answer(holdoutJson({ ...question, rows: measured, hasExperiments: (query?.flags.length ?? 0) > 0 })),
  },
});

/** Nodes may still decide by the holdout before in the first minute of a period: who comes then is left out. */
function timesOf({ since, until }: HoldoutPeriod, ageDays: number, nowMs: number) {
  const periodMs = since + EXPERIMENT_API_LIMITS.holdoutSettlesMs;
  return {
    periodMs,
    sinceMs: Math.max(periodMs, nowMs - FLAG_API_LIMITS.resultsSpanDays * DAY_MS),
    untilMs: until ?? nowMs + EVENT_QUERY_LIMITS.resultsMarginMs,
    exposedBeforeMs: ageDays === 0 ? undefined : Math.min(nowMs, until ?? nowMs) - ageDays * DAY_MS,
  };
}
