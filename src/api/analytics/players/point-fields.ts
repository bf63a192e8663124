import { type Static, Type } from 'typebox';
import { LIFECYCLE_STATE_NAMES, LIFECYCLE_STATES } from '../../../../core/vocabulary/metrics/lifecycle.ts';
import { FUNNEL_OUTCOMES } from '../../../../clickhouse-schema/queries/questions/asked.ts';
import { QUESTION_LIMITS } from '../../../../clickhouse-schema/queries/questions/limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { oneOf, timeIn } from '../../input/fields.ts';
import { ANALYTICS_LIMITS } from '../limits.ts';

/* A figure of an answer, as a body names it. Which fields a kind of query takes is checked in points.ts. */

const states = LIFECYCLE_STATE_NAMES.map((name) => `\`${name}\`: ${LIFECYCLE_STATES[name].words}`).join(' ');

export const Point = Type.Object(
  {
    key: Type.Optional(
      Type.Unsafe<string | null>({
        type: ['string', 'null'],
        maxLength: QUESTION_LIMITS.questionValueLength,
        description: 'The value of `by`, as in the answer; required with `by`.',
      }),
    ),
    at: Type.Optional(timeIn('Required with `trend`: the start of the interval, as in the answer.')),
    part: Type.Optional(
      oneOf(
        ['numerator', 'denominator'],
        'Required with figures that divide one metric by another: whose players. Not allowed with others.',
      ),
    ),
    day: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d{2}-\\d{2}$',
        description:
          'Required with `retention`, `ltv`, `lifecycle` and `stickiness`: `day` of the cohort or interval, as in the answer.',
      }),
    ),
    after: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: ANALYTICS_LIMITS.retentionLongestDay,
        description: '`retention`: who returned so many intervals later, one of the query. Default: the whole cohort.',
      }),
    ),
    payers: Type.Optional(
      Type.Boolean({ description: '`ltv`: true: the payers of the cohort. Default: the whole cohort.' }),
    ),
    step: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: ANALYTICS_LIMITS.funnelSteps,
        description: 'Required with `funnel`: the step, from 1.',
      }),
    ),
    outcome: Type.Optional(
      oneOf(
        FUNNEL_OUTCOMES,
        '`funnel`: who reached the step (`reached`, default), and of these who reached the next one, who did not in ' +
          'time, or who may still do so, as the fields of the answer.',
      ),
    ),
    steps: Type.Optional(
      Type.Array(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          maxLength: TEXT_LIMITS.nameLength,
          description: 'Name of an event; null: none was near enough.',
        }),
        { minItems: 3, maxItems: 3, description: 'Required with `paths`: `steps` of the path, as in the answer.' },
      ),
    ),
    state: Type.Optional(oneOf(LIFECYCLE_STATE_NAMES, `Required with \`lifecycle\`. ${states}`)),
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 31,
        description: 'Required with `stickiness`: on how many days of the interval they were active.',
      }),
    ),
  },
  { additionalProperties: false, description: "A figure of the query's answer." },
);
export type Point = Static<typeof Point>;
