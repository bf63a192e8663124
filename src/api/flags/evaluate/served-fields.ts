import { Type, type Static } from 'typebox';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import type { Trial } from '../../../../core/vocabulary/facts/flag-reason.ts';
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
      'exposures: a client that exposes once per value exposes again. Answers of an experiment have a number of their own.',
  }),
};

/** The variant of an experiment that a player was assigned. */
export const TRIAL = Type.Object(
  {
    key: Type.String({ maxLength: TEXT_LIMITS.definitionKeyLength, description: 'Key of the experiment.' }),
    phase: Type.Integer({
      minimum: 1,
      maximum: 4_294_967_295,
      description: 'The phase in which the player was assigned.',
    }),
    variant_key: Type.String({
      maxLength: TEXT_LIMITS.definitionKeyLength,
      description:
        'Key of the assigned variant. `holdout`: the game holds the player out of experiments; `dropped`: the experiment ' +
        'has lost the variant of the player.',
    }),
  },
  { description: 'The experiment that decided; left out if the flag did.' },
);

export function trialJson({ experiment, phase, variant }: Trial): Static<typeof TRIAL> {
  return { key: experiment, phase, variant_key: variant };
}
