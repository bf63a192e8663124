import { Type, type Static } from 'typebox';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { EXPERIMENT_FIELDS, EXPERIMENT_OPTIONS } from '../../../../core/vocabulary/metrics/experiment-metrics.ts';
import { scopeOf } from '../../analytics/queries.ts';
import { DEFAULT_WINDOW_DAYS, PERIOD_FIELDS } from '../../flags/results/experiment-period.ts';
import { METRIC_FIELDS, type MetricInput, metricOf } from '../../flags/results/metric-fields.ts';
import { answer } from '../../route/answer.ts';
import type { RequestContext } from '../../route/request-context.ts';
import { defineRoute, invalid, readBy } from '../../route/route.ts';
import { experiments } from '../experiments.ts';
import { ByKey } from '../life-routes.ts';
import { askedMetrics, storedMetric } from './asked-metrics.ts';
import { guardrailStates } from './guardrail-states.ts';
import { measurePhases } from './measured-phases.ts';
import { ExperimentResultsShown, RESULTS_EXAMPLE, resultsJson } from './results-resource.ts';

/* The route that returns the results of an experiment, computed from ClickHouse. */

const { window_days, min_exposure_age_days } = PERIOD_FIELDS;

export const ResultsFields = {
  ...METRIC_FIELDS,
  window_days,
  min_exposure_age_days,
  phase: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 2 ** 32 - 1,
      description: 'Number of a phase in `phases`: compare its players only. Default: all phases together.',
    }),
  ),
};

const ResultsQuery = Type.Object(ResultsFields);

export const getExperimentResults = defineRoute({
  ...experiments.shared,
  method: 'GET',
  path: `${experiments.itemPath}/results`,
  summary: 'Get the results of an experiment',
  description:
    'Compares each variant with the first one, the control, by a metric of the players who were assigned a variant and ' +
    'exposed to it. Without a metric it is the primary one of the experiment. A player counts in the phase in which it ' +
    'was assigned, and its events from its first exposure to the end of the window, or of the experiment. Phases are ' +
    'compared each by itself, and then put together. The results are about a second behind; the test environment ' +
    'records no exposures.',
  limitClass: 'none',
  ...readBy('viewer'),
  errors: [experiments.missing().code, 'SERVICE_UNAVAILABLE'],
  input: { params: ByKey, query: ResultsQuery },
  reply: { description: 'The results.', schema: ExperimentResultsShown, example: RESULTS_EXAMPLE },
  action: {
    kind: 'analytics',
    toQuestion({ params, query }, context) {
      const found = resultsAsked(params.key, query, context);
      if (found.kind === 'failure') return found;
      const { question } = found;
      return { kind: 'question', question: { ...question, asked: askedMetrics(question.experiment, question.metric) } };
    },
    read: (analytics, { experiment, asked, ...period }) => measurePhases(analytics, experiment, asked.metrics, period),
    toAnswer(measured, { experiment, asked, ...question }) {
      const guardrails = guardrailStates(experiment, measured, asked);
      return answer(resultsJson({ ...question, experiment, measured, guardrails }));
    },
  },
});

/** Whom and what results are asked of, or why they cannot be. */
export function resultsAsked(id: string, query: Static<typeof ResultsQuery>, context: RequestContext) {
  const { key, services } = context;
  const experiment = experiments.find(id, context)?.document;
  if (experiment === undefined) return experiments.missing();
  const faults: FieldFault[] = [];
  const metric = isAsked(query) ? metricOf(query, '', faults) : experiment.primary && storedMetric(experiment.primary);
  if (faults.length > 0) return invalid(faults);
  if (metric === null) return invalid([{ path: 'aggregate', message: NO_PRIMARY }]);
  const { phase } = query;
  if (phase !== undefined && !experiment.phases.some((one) => one.phase === phase)) {
    return invalid([{ path: 'phase', message: 'matches no phase of the experiment; see `phases` in the results' }]);
  }
  const question = {
    experiment,
    metric,
    phase,
    scope: scopeOf(key, services),
    windowDays: query.window_days ?? DEFAULT_WINDOW_DAYS,
    minExposureAgeDays: query.min_exposure_age_days ?? 0,
    nowMs: services.clock.wallMs(),
  };
  return { kind: 'question', question } as const;
}

const NO_PRIMARY = 'is required, with what it needs, because the experiment has no primary metric';

/** Whether a request names a metric: options alone would change the primary one in silence. */
const isAsked = (query: MetricInput): boolean =>
  query.aggregate !== undefined ||
  [...EXPERIMENT_FIELDS, ...EXPERIMENT_OPTIONS].some((field) => query[field] !== undefined);
