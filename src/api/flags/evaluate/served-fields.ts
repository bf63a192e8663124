import { Type } from 'typebox';
import { oneOf, textOrNull } from '../../input/fields.ts';

/** The fields in which every answer with flags says what a flag serves. */
export const SERVED_FIELDS = {
  value: Type.Unknown({
    description: "Served value, of the flag's type; null if the flag has no value for the player.",
  }),
  variant_key: textOrNull('Key of the served variant; null if there is none.'),
  reason: oneOf(
    ['default', 'segment_match', 'percentage_rollout', 'flag_disabled', 'player_override'],
    'Why the flag serves this value.',
  ),
};

/** The field of every delivered flag that says when exposures begin anew. */
export const PERIOD_FIELD = {
  period: Type.Integer({
    description:
      "The flag's period. An edit that changes which players get which value begins a new one, and with it new " +
      'exposures: a client that exposes once per value exposes again.',
  }),
};
