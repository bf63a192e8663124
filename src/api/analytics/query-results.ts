import { Type, type Static, type TProperties } from 'typebox';
import { UNITS } from '../../../core/vocabulary/metrics/metric.ts';
import {
  FUNNEL_ORDERS,
  PATH_DIRECTIONS,
  RETENTION_METHODS,
  STICKINESS_INTERVALS,
} from '../../../clickhouse-schema/queries/questions/question.ts';
import { DAY_INTERVALS } from '../../../clickhouse-schema/behaviour/intervals.ts';
import { LIFECYCLE_STATES, type LifecycleState } from '../../../core/vocabulary/metrics/lifecycle.ts';
import { numberOrNull, oneOf, textOrNull, timeOrNull, timeOut } from '../input/fields.ts';

/* The answers of the query API: one schema for each kind. */

/** The fields that all answers have, and those of one kind. */
function result<const K extends string, P extends TProperties>(kind: K, fields: P, description: string) {
  return Type.Object(
    {
      kind: Type.Unsafe<K>({ type: 'string', const: kind, description: `\`${kind}\`.` }),
      from: timeOut('First moment of the range.'),
      to: timeOut('Moment after the range.'),
      built_to: Type.Optional(
        timeOrNull(
          'Of answers from the days of players (`player_days`): everything received before is in them. null while all ' +
            'days of the game are built anew.',
        ),
      ),
      ...fields,
    },
    { description },
  );
}

const figure = {
  metric: Type.String({ description: 'The metric, or `formula`.' }),
  title: Type.String({ description: 'What the figures are called.' }),
  unit: oneOf(UNITS, "Unit of the figures: `money` in the game's currency, `share` from 0 to 1."),
  null_reason: textOrNull('Why a figure may be null. null: without rows it is 0.'),
};
const keys = Type.Integer({ description: 'Number of all values, those included that `limit` left out.' });

const point = Type.Object(
  {
    at: timeOut('Start of the interval.'),
    value: numberOrNull('The metric in it; null as `null_reason` says, or beyond the largest number.'),
  },
  { description: 'A point.' },
);

const Trend = result(
  'trend',
  {
    ...figure,
    interval: Type.String({ description: 'Length of an interval.' }),
    partial_from: textOrNull('Start of the interval that is not over; its point will change. null: all are over.'),
    series: Type.Array(
      Type.Object(
        {
          key: textOrNull('Value of `by`, as text; empty for rows without one. null without `by`.'),
          points: Type.Array(point, {
            description: 'One point for each interval of the range that has begun, oldest first.',
          }),
          previous: Type.Unsafe<Static<typeof point>[] | null>({
            type: ['array', 'null'],
            items: point,
            description: 'With `compare`: the intervals before the range, in the same order. Otherwise null.',
          }),
        },
        { description: 'The metric over time.' },
      ),
      { description: 'One series, or with `by` one for each of its `limit` largest values, the largest first.' },
    ),
  },
  'A metric over time.',
);

const Breakdown = result(
  'breakdown',
  {
    ...figure,
    keys,
    total: numberOrNull(
      'Sum over all values; a player with two values counts for each. null for figures that cannot be added up.',
    ),
    rows: Type.Array(
      Type.Object(
        {
          key: Type.String({ description: 'The value as text; empty for rows without one.' }),
          value: numberOrNull('The metric; null as `null_reason` says.'),
        },
        { description: 'A value.' },
      ),
      {
        description:
          'The `limit` largest values, the largest first. Ratios are ordered by their denominator, averages and ' +
          'percentiles by how many numbers they are of.',
      },
    ),
  },
  'A metric by a field.',
);

const Retention = result(
  'retention',
  {
    method: oneOf(RETENTION_METHODS, 'As in the query.'),
    interval: oneOf(DAY_INTERVALS, 'As in the query.'),
    cohorts: Type.Array(
      Type.Object(
        {
          key: textOrNull(
            'Value of `by` on the first day, or in the first event; empty where it was not known. null without `by`.',
          ),
          day: Type.String({ description: 'First day of these players, or of their interval, as `2026-01-15`.' }),
          players: Type.Integer({ description: 'Players who began in it.' }),
          retained: Type.Array(
            Type.Object(
              {
                after: Type.Integer({ description: 'Days, weeks or months after the first.' }),
                players: numberOrNull(
                  'Players who returned in it; with `rolling` in it or later. null while it is not over.',
                ),
                rate: numberOrNull('Their share. null while it is not over.'),
              },
              { description: 'An interval.' },
            ),
            { description: 'The intervals asked for, in the order of the query.' },
          ),
        },
        { description: 'The players of one interval.' },
      ),
      { description: 'Intervals with players, oldest first.' },
    ),
  },
  'Who came back.',
);

const Ltv = result(
  'ltv',
  {
    cohorts: Type.Array(
      Type.Object(
        {
          key: textOrNull('Value of `by` on the first day; empty where it was not known. null without `by`.'),
          day: Type.String({ description: 'First day of these players, as `2026-01-15`.' }),
          players: Type.Integer({ description: 'Players whose first day it is.' }),
          payers: Type.Integer({
            description: 'Those of them with a first purchase on one of the days that are read.',
          }),
          values: Type.Array(
            Type.Object(
              {
                day: Type.Integer({ description: 'Days after the first day.' }),
                revenue: numberOrNull(
                  "Their revenue up to and including that day, in the game's currency. null while it is not over.",
                ),
                per_player: numberOrNull('The same for each player. null while the day is not over.'),
              },
              { description: 'A day.' },
            ),
            { description: 'The days asked for, in the order of the query.' },
          ),
        },
        { description: 'The players of one first day.' },
      ),
      { description: 'First days with players, oldest first.' },
    ),
  },
  'Revenue by first day.',
);

const duration = (description: string) =>
  Type.Unsafe<{ median: number; p90: number } | null>({
    type: ['object', 'null'],
    additionalProperties: false,
    required: ['median', 'p90'],
    properties: {
      median: { type: 'number', description: 'Median, in seconds.' },
      p90: { type: 'number', description: '90th percentile, in seconds.' },
    },
    description,
  });

const Funnel = result(
  'funnel',
  {
    order: oneOf(FUNNEL_ORDERS, 'As in the query.'),
    funnels: Type.Array(
      Type.Object(
        {
          key: Type.String({
            description: "Value of `by` in the player's earliest first step in the range; empty without `by`.",
          }),
          steps: Type.Array(
            Type.Object(
              {
                event_name: textOrNull('Name of the event. null with `any_order`: the step is how many were done.'),
                players: Type.Integer({ description: 'Players who reached the step.' }),
                converted: numberOrNull('Of these, players who reached the next step. null for the last step.'),
                dropped: numberOrNull('Of these, players whose window is over. null for the last step.'),
                inside: numberOrNull('Of these, players who may still reach the next step. null for the last step.'),
                rate: numberOrNull('Share of the players of the first step. null without players.'),
                seconds_from_previous: duration(
                  'From the step before, of the players who reached it. null without players, and for the first step.',
                ),
                seconds_from_first: duration('From the first step, likewise.'),
              },
              { description: 'A step.' },
            ),
            { description: 'The steps, in order.' },
          ),
        },
        { description: 'A funnel.' },
      ),
      { description: 'One funnel, or with `by` one for each of its `limit` largest values, the largest first.' },
    ),
  },
  'Who did steps in order.',
);

const Paths = result(
  'paths',
  {
    event_name: Type.String({ description: 'The event that paths start with.' }),
    direction: oneOf(PATH_DIRECTIONS, 'As in the query.'),
    keys,
    total: Type.Integer({ description: 'Number of start events.' }),
    paths: Type.Array(
      Type.Object(
        {
          steps: Type.Array(textOrNull('Name of an event; null: none was near enough.'), {
            description:
              'The start event and the two that followed; with `backward` the two before it, the nearest first.',
          }),
          times: Type.Integer({ description: 'Number of start events with this path.' }),
          players: Type.Integer({ description: 'Players with this path; beyond some thousands within 0.5 %.' }),
        },
        { description: 'A path.' },
      ),
      { description: 'The `limit` most frequent paths.' },
    ),
  },
  'What follows an event.',
);

const interval = {
  day: Type.String({ description: 'First day of the interval, as `2026-01-15`.' }),
  is_over: Type.Boolean({ description: 'false: the interval is under way, and its figures will change.' }),
};

const state = (name: LifecycleState) => Type.Integer({ description: LIFECYCLE_STATES[name].words });

const Lifecycle = result(
  'lifecycle',
  {
    interval: oneOf(DAY_INTERVALS, 'As in the query.'),
    intervals: Type.Array(
      Type.Object(
        {
          ...interval,
          new: state('new'),
          current: state('current'),
          resurrected: state('resurrected'),
          dormant: state('dormant'),
        },
        { description: 'An interval. The first three are all who were active in it.' },
      ),
      { description: 'Every interval of the range that has begun, oldest first.' },
    ),
  },
  'New, current, resurrected and dormant players.',
);

const Stickiness = result(
  'stickiness',
  {
    interval: oneOf(STICKINESS_INTERVALS, 'As in the query.'),
    intervals: Type.Array(
      Type.Object(
        {
          ...interval,
          players: Type.Integer({ description: 'Players who were active in it.' }),
          days: Type.Array(
            Type.Object(
              {
                days: Type.Integer({ description: 'Number of days.' }),
                players: Type.Integer({ description: 'Players who were active on so many days of the interval.' }),
                share: numberOrNull('Their share of `players` of the interval. null without players.'),
              },
              { description: 'A number of days.' },
            ),
            { description: 'From one day to all days of the interval.' },
          ),
        },
        { description: 'An interval.' },
      ),
      { description: 'Every interval of the range that has begun, oldest first.' },
    ),
  },
  'Players by their days of activity.',
);

export const QueryResult = Type.Union([Trend, Breakdown, Retention, Ltv, Funnel, Paths, Lifecycle, Stickiness], {
  description: 'The answer; its fields follow from `kind`.',
});
