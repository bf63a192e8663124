import { Type } from 'typebox';
import { experimentResults } from '../../../analysis/experiment-results.ts';
import { failure, type FieldFault } from '../../../../core/kernel/errors.ts';
import { answer } from '../../route/answer.ts';
import { defineRoute, invalid, readBy } from '../../route/route.ts';
import { comparedPlayers, leftOut } from './compared-players.ts';
import { measuredPeriod, PERIOD_FIELDS } from './experiment-period.ts';
import { METRIC_FIELDS, metricOf } from './metric-fields.ts';
import { metricSamples } from './variant-samples.ts';
import { FLAG_RESULTS_EXAMPLE, FlagResults, resultsJson } from './flag-results-resource.ts';
import { findStoredFlag } from '../flags.ts';

/* The route that returns the results of a flag's experiment, computed from ClickHouse. */

const ResultsQuery = Type.Object({ ...METRIC_FIELDS, ...PERIOD_FIELDS });

/**
 * The experiment includes the players exposed to a variant that was drawn for them, first in this period of the flag.
 * The variants of a boolean flag are `false`, the control, and `true`. Events count after the first such exposure, by
 * server time and, within a millisecond, by position in the log; players whose window is still open are included.
 */
export const getFlagResults = defineRoute({
  method: 'GET',
  path: '/v1/flags/flags/{key}/results',
  tag: 'Feature flags',
  summary: "Get the results of a flag's experiment",
  description:
    'Compares each variant with the first one, the control, by a metric of the exposed players for whom chance ' +
    'decided. An edit that gives players of the experiment another variant (variants, weights, the percentage of a ' +
    'boolean flag) starts a new period; results cover one period, and leave out all players of earlier ones. ' +
    "A player's events count from its first exposure to the end of the window, including the event that exposed the " +
    'player. Players who were served two variants in the period are left out. `p_adjusted` is corrected for the ' +
    'number of variants, intervals are not. They are about a second behind; the test environment records no exposures.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  ...readBy('viewer'),
  errors: ['FLAG_NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ key: Type.String({ description: "The flag's key." }) }), query: ResultsQuery },
  reply: { description: 'The results.', schema: FlagResults, example: FLAG_RESULTS_EXAMPLE },
  action: {
    kind: 'analytics',
    toQuestion({ params, query }, context) {
      const flag = findStoredFlag(params.key, context);
      if (flag === undefined) return failure('FLAG_NOT_FOUND');
      const faults: FieldFault[] = [];
      const metric = metricOf(query, '', faults);
      if (faults.length > 0) return invalid(faults);
      const found = measuredPeriod(flag, query, context);
      if (found.kind === 'failure') return found;
      return { kind: 'question', question: { ...found, measured: { ...found.measured, ...metric } } };
    },
    read: (analytics, { measured }) => analytics.experiment(measured),
    toAnswer(variants, question) {
      const { rows, arms, shown } = comparedPlayers(variants, question);
      const { samples, ...treated } = metricSamples(rows, arms);
      const request = { ...question.shown, ...shown, measured: question.measured, treated, ...leftOut(rows) };
      return answer(resultsJson(request, experimentResults(samples)));
    },
  },
});
