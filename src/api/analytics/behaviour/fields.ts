import { type TObject, type TProperties, Type } from 'typebox';
import {
  FUNNEL_ORDERS,
  PATH_DIRECTIONS,
  RETENTION_METHODS,
} from '../../../../clickhouse-schema/queries/questions/question.ts';
import { oneOf } from '../../input/fields.ts';
import { ANALYTICS_LIMITS } from '../limits.ts';

/* Fields of the queries about what players do: funnels, paths, retention. */

/** @param event a name with its conditions, as steps have it */
export function funnelFields<P extends TProperties>(event: (description: string) => TObject<P>) {
  return {
    order: Type.Optional(
      oneOf(
        FUNNEL_ORDERS,
        '`funnel`: `ordered` (default): the steps in their order, other events may lie between. `strict`: without any ' +
          'other event of the player between. `any_order`: the steps in any order.',
      ),
    ),
    exclusions: Type.Optional(
      Type.Array(
        Type.Object(
          {
            ...event('Name of the event.').properties,
            after_step: Type.Optional(
              Type.Integer({
                minimum: 1,
                maximum: ANALYTICS_LIMITS.funnelSteps - 1,
                description: 'The event ends attempts that wait after this step, from 1. Default: after any.',
              }),
            ),
          },
          { additionalProperties: false, description: 'An event that ends an attempt.' },
        ),
        {
          maxItems: ANALYTICS_LIMITS.funnelExclusions,
          description: '`funnel`: events that end an attempt between its steps, if they are not its next step.',
        },
      ),
    ),
  };
}

export const pathFields = {
  direction: Type.Optional(
    oneOf(PATH_DIRECTIONS, '`paths`: `forward` (default): what followed the event. `backward`: what came before it.'),
  ),
};

/** @param event a name with its conditions, as steps have it */
export function retentionFields<P extends TProperties>(event: (description: string) => TObject<P>) {
  const { properties } = event('Name of the event.');
  const ofEvent = (description: string) =>
    Type.Optional(Type.Object(properties, { additionalProperties: false, description }));
  return {
    method: Type.Optional(
      oneOf(
        RETENTION_METHODS,
        '`retention`: `classic` (default): who returned in the Nth interval after the first. `rolling`: in that or in a ' +
          'later one.',
      ),
    ),
    first_event: ofEvent(
      '`retention`: players begin with their first such event in the range. Default: with their first day.',
    ),
    return_event: ofEvent(
      '`retention`: they return with such an event. Default: with an event, a session or a purchase.',
    ),
    periods: Type.Optional(
      Type.Array(
        Type.Integer({
          minimum: 0,
          maximum: ANALYTICS_LIMITS.retentionLongestPeriod,
          description: 'Intervals after the first.',
        }),
        {
          minItems: 1,
          maxItems: ANALYTICS_LIMITS.retentionDays,
          description:
            '`retention` by week or month, in place of `days`: the intervals to look at, each once. Default: 1, 2, 3, 4, ' +
            '8, 12.',
        },
      ),
    ),
  };
}
