import { Type } from 'typebox';
import { GROUPINGS } from '../../../../clickhouse-schema/queries/experiments/experiment-groups.ts';
import type { MeasuredGroup } from '../../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { FlagArm } from '../../../../core/vocabulary/documents/documents.ts';
import { experimentResults, isSmallGroup } from '../../../analysis/experiment-results.ts';
import { failure, type FieldFault } from '../../../../core/kernel/errors.ts';
import { QUERY_LIMITS } from '../../../../clickhouse-schema/queries/limits.ts';
import { answer } from '../../route/answer.ts';
import { defineRoute, invalid, readBy } from '../../route/route.ts';
import { comparedPlayers, leftOut } from './compared-players.ts';
import { measuredPeriod, PERIOD_FIELDS } from './experiment-period.ts';
import { METRIC_FIELDS, metricOf } from './metric-fields.ts';
import { metricSamples } from './variant-samples.ts';
import { FLAG_READOUT_EXAMPLE, FlagReadout, readoutJson, type ShownGroup } from './flag-readout-resource.ts';
import { findStoredFlag } from '../flags.ts';
import { oneOf } from '../../input/fields.ts';

/* The route that returns the results of several metrics at once, broken down by what players have in common. */

const ReadoutBody = Type.Object(
  {
    metrics: Type.Array(Type.Object(METRIC_FIELDS, { additionalProperties: false, description: 'A metric.' }), {
      minItems: 1,
      maxItems: QUERY_LIMITS.resultsMetrics,
      description: 'The metrics to measure, the deciding one first.',
    }),
    by: Type.Optional(
      oneOf(
        GROUPINGS,
        'What the players of a group have in common at their first exposure: a `segment` that they were in (a player ' +
          'counts in each of its segments), or the last known `country`, `platform` or `app_version` up to that day ' +
          "in the game's time zone. Default: all players in one group.",
      ),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: QUERY_LIMITS.resultsGroups,
        description: `Groups in the answer, those with the most players. Default: ${QUERY_LIMITS.resultsGroupsDefault}.`,
      }),
    ),
    ...PERIOD_FIELDS,
  },
  { additionalProperties: false },
);

export const queryFlagResults = defineRoute({
  method: 'POST',
  path: '/v1/flags/flags/{key}/results',
  tag: 'Feature flags',
  summary: "Query the results of a flag's experiment by groups of players",
  description:
    'The results of several metrics at once, with the same players and figures as `GET` of this path, for all players ' +
    'or by groups of them. Groups are made by what was known at the first exposure, so that no variant moves players ' +
    'between them. Country, platform and version follow some seconds later. Check the sample ratio of a group before ' +
    'its figures.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  readsOnly: true,
  errors: ['FLAG_NOT_FOUND', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  input: { params: Type.Object({ key: Type.String({ description: "The flag's key." }) }), body: ReadoutBody },
  example: { metrics: [{ metric: 'purchase_completed' }], by: 'country' },
  reply: { description: 'The results.', schema: FlagReadout, example: FLAG_READOUT_EXAMPLE },
  action: {
    kind: 'analytics',
    toQuestion({ params, body }, context) {
      const flag = findStoredFlag(params.key, context);
      if (flag === undefined) return failure('FLAG_NOT_FOUND');
      const faults: FieldFault[] = [];
      const metrics = body.metrics.map((each, place) => metricOf(each, `/metrics/${place}/`, faults));
      if (faults.length > 0) return invalid(faults);
      const found = measuredPeriod(flag, body, context, '/');
      if (found.kind === 'failure') return found;
      const { by, limit: groups = QUERY_LIMITS.resultsGroupsDefault } = body;
      return { kind: 'question', question: { ...found, measured: { ...found.measured, metrics, by, groups } } };
    },
    read: (analytics, { measured }) => analytics.experimentReadout(measured),
    toAnswer(readout, question) {
      const { rows: measured, arms, shown } = comparedPlayers(readout.groups, question);
      const { metrics, by } = question.measured;
      const values = [...Map.groupBy(measured, ({ value }) => value)];
      const places = metrics.map((_, place) => place);
      const groups = values.map(([value, rows]) => groupOf(by === undefined ? null : value, rows, arms, places));
      // Without any player one group of all has no row; a breakdown then has no groups.
      if (by === undefined && groups.length === 0) groups.push(groupOf(null, [], arms, places));
      const groupsFound = by === undefined ? 1 : readout.found;
      return answer(readoutJson({ ...question.shown, ...shown, metrics, by, groupsFound, groups }));
    },
  },
});

/** @param places of the metrics */
function groupOf(
  value: string | null,
  rows: readonly MeasuredGroup[],
  arms: readonly FlagArm[],
  places: readonly number[],
): ShownGroup {
  const samples = places.map((place) => {
    const measured = rows.flatMap(({ metrics, ...players }) => {
      const own = metrics[place];
      return own === undefined ? [] : [{ ...players, ...own }];
    });
    return metricSamples(measured, arms);
  });
  const results = samples.map(({ samples: variants, ...treated }) => ({ ...experimentResults(variants), treated }));
  return { value, tooSmall: isSmallGroup(samples[0]?.samples ?? []), leftOut: leftOut(rows), results };
}
