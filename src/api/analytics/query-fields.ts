import { Type, type Static } from 'typebox';
import {
  DIMENSION_NAMES,
  DIMENSIONS,
  NAMED_DIMENSION_NAMES,
  NAMED_DIMENSIONS,
} from '../../../core/vocabulary/metrics/dimensions.ts';
import {
  MEASURE_NAMES,
  METRIC_NAMES,
  METRICS,
  type Percentile,
  PERCENTILES,
} from '../../../core/vocabulary/metrics/metrics.ts';
import { COHORT_COLUMNS, INTERVALS } from '../../../clickhouse-schema/queries/questions/question.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { oneOf, timeIn } from '../input/fields.ts';
import { funnelFields, pathFields, retentionFields } from './behaviour/fields.ts';
import { field, Where } from './measures/filter-fields.ts';

/* The body of an analytics query. Which fields a kind takes is checked in query-question.ts. */

const KINDS = ['trend', 'breakdown', 'retention', 'ltv', 'funnel', 'paths', 'lifecycle', 'stickiness'] as const;

const eventName = (description: string) =>
  Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description });

const property = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: API_LIMITS.propertyPathLength, description }));

const percentile = Type.Optional(
  Type.Unsafe<Percentile>({
    type: 'integer',
    enum: [...PERCENTILES],
    description: 'The share in percent of the metric `percentile`. Default: 50, the median.',
  }),
);

const eventNames = Type.Optional(
  Type.Array(eventName('A name.'), {
    minItems: 1,
    maxItems: ANALYTICS_LIMITS.questionNames,
    description: 'Metrics of events: only events with these names. Default: all.',
  }),
);

/** One part of a formula. */
const part = (description: string) =>
  Type.Object(
    {
      metric: oneOf(MEASURE_NAMES, 'A metric that divides no other.'),
      property: property('As for the query.'),
      percentile,
      event_names: eventNames,
      where: Type.Optional(Where),
    },
    { additionalProperties: false, description },
  );

const FIELDS = [
  ...DIMENSION_NAMES.map((name) => ({ name, ...DIMENSIONS[name] })),
  ...NAMED_DIMENSION_NAMES.map((name) => ({ name: `${name}:…`, ...NAMED_DIMENSIONS[name] })),
]
  .map(({ name, words, sources }) => `\`${name}\` (${sources.join(', ')}): ${words}`)
  .join(' ');

const event = (description: string) =>
  Type.Object(
    { event_name: eventName(description), where: Type.Optional(Where) },
    { additionalProperties: false, description: 'An event.' },
  );

export const QueryBody = Type.Object(
  {
    kind: oneOf(
      KINDS,
      '`trend`: a metric over time. `breakdown`: a metric by a field. `retention`: who began and came back. ' +
        '`ltv`: first days and revenue since. `funnel`: who did steps in order. `paths`: what follows an event, two steps. ' +
        '`lifecycle`: new, current, resurrected and dormant players. `stickiness`: players by days of activity.',
    ),
    from: Type.Optional(
      timeIn(
        'First moment, by `happened_at`; for `retention` and `ltv` its day. Default: 30 days before `to`, or before ' +
          "this day. A date without a time is the start of that day in the game's time zone.",
      ),
    ),
    to: Type.Optional(
      timeIn("Moment after the last. Default: the end of this day. Days are those of the game's time zone."),
    ),
    last_days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ANALYTICS_LIMITS.questionRangeDays - 1,
        description: 'In place of `from` and `to`: so many days, this one included.',
      }),
    ),
    metric: Type.Optional(
      oneOf(
        METRIC_NAMES,
        `\`trend\` and \`breakdown\`. Default: \`events\`. ${METRIC_NAMES.map((name) => `\`${name}\`: ${METRICS[name].words}`).join(' ')}`,
      ),
    ),
    property: property(
      'Required with the metrics `sum`, `average` and `percentile`: path of a number in the properties, keys joined by dots.',
    ),
    percentile,
    event_names: eventNames,
    formula: Type.Optional(
      Type.Object(
        { numerator: part('What is divided.'), denominator: part('By what it is divided.') },
        {
          additionalProperties: false,
          description:
            '`trend` and `breakdown`: one metric divided by another, in place of `metric`. Conditions in `where` of the ' +
            'query are on fields that both have.',
        },
      ),
    ),
    per_player: Type.Optional(
      Type.Boolean({
        description:
          'true: the metric divided by the active players. Conditions on what these have, such as `country` or ' +
          '`attribute:<path>`, restrict them, too.',
      }),
    ),
    cut: Type.Optional(
      Type.Boolean({
        description:
          '`trend`: true: only what happened before `to` counts, and since `from`; the first and the last point are then ' +
          'of a part of their interval. Default: the range grows to whole intervals.',
      }),
    ),
    compare: Type.Optional(
      oneOf(
        ['previous_period'],
        '`trend`: the same number of intervals before the range, beside it. They count in the points of an answer.',
      ),
    ),
    event_name: Type.Optional(eventName('Required with `paths`: the event that paths start with.')),
    interval: Type.Optional(
      oneOf(
        INTERVALS,
        '`trend`, and without hours `retention` and `lifecycle`: length of an interval. Weeks begin on Monday. Default: ' +
          '`day`. `stickiness`: `week` (default) or `month`.',
      ),
    ),
    by: Type.Optional(
      field(
        'The field to group by; required with `breakdown`, possible with `trend`, `funnel` (of the first step), ' +
          `\`retention\` and \`ltv\` (of the first day or event: ${listed(COHORT_COLUMNS)}). ${FIELDS}`,
      ),
    ),
    where: Type.Optional(Where),
    days: Type.Optional(
      Type.Array(
        Type.Integer({
          minimum: 0,
          maximum: ANALYTICS_LIMITS.retentionLongestDay,
          description: 'Days after the first day.',
        }),
        {
          minItems: 1,
          maxItems: ANALYTICS_LIMITS.retentionDays,
          description:
            '`retention` and `ltv`: the days to look at, each once. Default: 1, 3, 7, 14, 30; for `ltv` also 0 and 90.',
        },
      ),
    ),
    steps: Type.Optional(
      Type.Array(event('Name of the event.'), {
        minItems: 2,
        maxItems: ANALYTICS_LIMITS.funnelSteps,
        description: 'Required with `funnel`: its steps, in order.',
      }),
    ),
    ...funnelFields(event),
    ...pathFields,
    ...retentionFields(event),
    window_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ANALYTICS_LIMITS.funnelWindowSeconds,
        description: '`funnel`: all steps happen within this time of the first. Default: 7 days.',
      }),
    ),
    within_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ANALYTICS_LIMITS.pathSeconds,
        description: '`paths`: longest pause between two events of a path. Default: 30 minutes.',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ANALYTICS_LIMITS.breakdownKeys,
        description:
          `Values or paths in the answer, the largest first. Default: ${ANALYTICS_LIMITS.questionKeys}, which is also the most ` +
          'for `trend`, `funnel`, `retention` and `ltv`.',
      }),
    ),
  },
  { additionalProperties: false, description: 'An analytics query.' },
);
export type QueryBody = Static<typeof QueryBody>;

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
