import { Type } from 'typebox';
import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import { QUERY_LIMITS } from '../../../../clickhouse-schema/queries/limits.ts';
import { answer } from '../../route/answer.ts';
import { defineRoute, invalid, readBy } from '../../route/route.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { experiments } from '../experiments.ts';
import { ByKey } from '../life-routes.ts';
import { DayResultsShown, DAYS_EXAMPLE, daysJson } from './day-resource.ts';
import { resultsAsked, ResultsFields } from './experiment-results.ts';
import { measureDays } from './measured-days.ts';

/* The route that returns the lift of an experiment over time. */

const { min_exposure_age_days: _, ...DaysFields } = ResultsFields;

export const getExperimentDays = defineRoute({
  ...experiments.shared,
  method: 'GET',
  path: `${experiments.itemPath}/results/days`,
  summary: 'Get the results of an experiment at the end of each day',
  description:
    'The lift over time: for each day what `results` would have shown at its end, of the players exposed until then ' +
    `and of what they did until then. At most ${QUERY_LIMITS.resultsDays} days, the latest; what was before counts on ` +
    'the first. Who is left out, what was refunded and who is a test player is what is known now.',
  limitClass: 'events',
  ...readBy('viewer'),
  errors: [experiments.missing().code, 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: { params: ByKey, query: Type.Object(DaysFields) },
  reply: { description: 'The results by day.', schema: DayResultsShown, example: DAYS_EXAMPLE },
  action: {
    kind: 'analytics',
    toQuestion({ params, query }, context) {
      const asked = resultsAsked(params.key, query, context);
      if (asked.kind === 'failure') return asked;
      const { clock } = context.services;
      const faults = notByDay(asked.question.metric);
      return faults.length > 0 ? invalid(faults) : { kind: 'question', question: { ...asked.question, clock } };
    },
    read: (analytics, { experiment, metric, phase, clock, ...asked }) =>
      measureDays(analytics, experiment, metric, phase, asked, clock),
    toAnswer: (days, question) => answer(daysJson({ ...question, days })),
  },
});

/** Why a metric is not given by day. */
function notByDay({ aggregate: { kind }, winsorize, cuped }: Metric): FieldFault[] {
  const faults: FieldFault[] = [];
  if (kind === 'retention' || kind === 'quantile') {
    faults.push({ path: 'aggregate', message: `\`${kind}\` is not given by day: ${WHY[kind]}. ${REMEDY}` });
  }
  if (winsorize !== undefined) {
    faults.push({ path: 'winsorize', message: `is not given by day: each day would have another cap. ${REMEDY}` });
  }
  if (cuped === true) {
    faults.push({ path: 'cuped', message: `is not given by day: each day would have another θ. ${REMEDY}` });
  }
  return faults;
}

const WHY = {
  retention: 'it counts each player on one day',
  quantile: 'it needs all values of each day',
} as const;
const REMEDY = 'Ask `results`, or name a metric without it';
