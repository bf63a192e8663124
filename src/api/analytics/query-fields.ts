import { Type, type Static } from 'typebox';
import {
  COHORT_COLUMNS,
  EVENT_COLUMNS,
  INTERVALS,
  METRIC_TABLES,
  PURCHASE_COLUMNS,
  SESSION_COLUMNS,
} from '../../../clickhouse-schema/queries/questions/question.ts';
import { ANALYTICS_LIMITS } from './limits.ts';
import { API_LIMITS } from '../limits.ts';
import { QUESTION_LIMITS } from '../../../clickhouse-schema/queries/questions/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { oneOf, timeIn } from '../input/fields.ts';
import { funnelFields } from './behaviour-fields.ts';

/* The body of an analytics query. Which fields a kind takes is checked in query-question.ts. */

const KINDS = ['trend', 'breakdown', 'retention', 'ltv', 'funnel', 'paths'] as const;

const eventName = (description: string) =>
  Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description });

const field = (description: string) =>
  Type.String({ minLength: 1, maxLength: 'property:'.length + API_LIMITS.propertyPathLength, description });

const Where = Type.Array(
  Type.Object(
    {
      field: field('The field, as for `by`.'),
      in: Type.Array(
        Type.String({
          maxLength: QUESTION_LIMITS.questionValueLength,
          description: 'A value as text; empty: rows without one.',
        }),
        { minItems: 1, maxItems: QUESTION_LIMITS.questionValues, description: 'Rows with one of these values pass.' },
      ),
    },
    { additionalProperties: false, description: 'A condition on one field.' },
  ),
  { maxItems: QUESTION_LIMITS.questionFilters, description: 'Conditions that must all hold.' },
);

const event = (description: string) =>
  Type.Object(
    { event_name: eventName(description), where: Type.Optional(Where) },
    { additionalProperties: false, description: 'An event.' },
  );

export const QueryBody = Type.Object(
  {
    kind: oneOf(
      KINDS,
      '`trend`: a metric over time. `breakdown`: a metric by a field. `retention`: first days and who came back. ' +
        '`ltv`: first days and revenue since. `funnel`: who did steps in order. `paths`: what follows an event, two steps.',
    ),
    from: Type.Optional(
      timeIn(
        'First moment, by `happened_at`; for `retention` and `ltv` its UTC day. Default: 30 days before `to`, or before this day.',
      ),
    ),
    to: Type.Optional(timeIn('Moment after the last. Default: the end of this UTC day.')),
    metric: Type.Optional(
      oneOf(
        Object.keys(METRIC_TABLES).filter((name): name is keyof typeof METRIC_TABLES => name in METRIC_TABLES),
        '`trend` and `breakdown`: `events` (default), `players` with such events, `sum` of a property; `sessions`, ' +
          '`playtime_seconds`; `purchases` less those taken back, `payers`, `revenue`; `new_players` by when they were ' +
          'first seen.',
      ),
    ),
    property: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: API_LIMITS.propertyPathLength,
        description: 'Required with the metric `sum`: path of a number in the properties, keys joined by dots.',
      }),
    ),
    event_names: Type.Optional(
      Type.Array(eventName('A name.'), {
        minItems: 1,
        maxItems: ANALYTICS_LIMITS.questionNames,
        description: 'Metrics of events: only events with these names. Default: all.',
      }),
    ),
    event_name: Type.Optional(eventName('Required with `paths`: the event that paths start with.')),
    interval: Type.Optional(
      oneOf(INTERVALS, '`trend`: length of an interval, in UTC. Weeks begin on Monday. Default: `day`.'),
    ),
    by: Type.Optional(
      field(
        'The field to group by; required with `breakdown`, possible with `trend`, `funnel` (of the ' +
          `first step), \`retention\`, \`ltv\` and new players (of the first day: ${listed(COHORT_COLUMNS)}). Of events: ${listed(EVENT_COLUMNS)} or \`property:<path>\`. Of sessions: ` +
          `${listed(SESSION_COLUMNS)}. Of purchases: ${listed(PURCHASE_COLUMNS)}.`,
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
