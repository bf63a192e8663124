import { Type } from 'typebox';
import { TRIAL } from '../../flags/evaluate/served-fields.ts';
import { anyJson } from '../../definitions/definition-fields.ts';
import { integerOrNull, oneOf, PlayerId, textOrNull, timeOut } from '../../input/fields.ts';

/* What flags serve a player, and what the player saw: the schema and its example. */

const REASONS = ['default', 'segment_match', 'percentage_rollout', 'flag_disabled', 'player_override'] as const;
const reason = oneOf(
  REASONS,
  '`default`: no rule holds. `segment_match`: a rule for a segment holds. `percentage_rollout`: a rule for all ' +
    'players holds. `flag_disabled`: the flag or a prerequisite is off. `player_override`: the player has an override.',
);

const RESULT = {
  value: anyJson('The value; null also if a served value was too long to store.'),
  variant_key: textOrNull('Key of the variant; null for a flag without variants, or its default.'),
  reason,
  segment_id: Type.Optional(Type.String({ description: 'Id of the matching segment, with `segment_match`.' })),
  segment_key: Type.Optional(textOrNull('Its key; null if the segment is deleted.')),
  experiment: Type.Optional(TRIAL),
};

const Now = Type.Object(
  {
    ...RESULT,
    prerequisite_key: Type.Optional(
      Type.String({ description: 'Key of the unmet prerequisite, if it is the cause of `flag_disabled`.' }),
    ),
  },
  { description: 'What the flag would serve now.' },
);

const Served = Type.Object(
  {
    ...RESULT,
    flag_version: Type.Integer({ description: 'Version of the flag that first served this result.' }),
    current_period: Type.Boolean({
      description: 'Whether the assignment of players is unchanged since then, or the experiment is still active.',
    }),
    mixed: Type.Boolean({
      description: 'Whether the player got two variants in that period, so that results leave the player out.',
    }),
  },
  { description: 'The last result that the player received.' },
);

const Exposure = Type.Object(
  {
    value: anyJson('The value.'),
    variant_key: textOrNull('Key of the variant; for a boolean flag see `value`.'),
    reason: Type.String({ description: 'Why the flag served it, as in `now`.' }),
    attribution: Type.String({
      description:
        'How the variant is known: `served` (the last result), `earlier` or `named` (the event names it), `mismatch` ' +
        '(the event names one that was never served), `local` (reported by a server).',
    }),
    flag_version: Type.Integer({ description: 'Version of the flag.' }),
    current_period: Type.Boolean({
      description: 'Whether the assignment of players is unchanged since then, or the experiment is still active.',
    }),
    experiment_key: Type.Optional(
      Type.String({ description: 'Key of the experiment that decided; left out if the flag did.' }),
    ),
    phase: Type.Optional(
      Type.Integer({ description: 'Phase of the experiment in which the player was assigned, with `experiment_key`.' }),
    ),
    first_seen_at: timeOut('When the player first saw this variant in that period.'),
  },
  { description: 'A variant that the player saw.' },
);

const FlagOfPlayer = Type.Object(
  {
    flag_key: Type.String({ description: "The flag's key." }),
    name: textOrNull('Name of the flag; null if it is deleted.'),
    flag_type: textOrNull('`boolean`, `multivariate`, `string`, `number` or `json`; null if the flag is deleted.'),
    enabled: Type.Boolean({ description: 'Whether the flag exists and is enabled.' }),
    version: integerOrNull('Current version; null if the flag is deleted.'),
    now: Type.Union([Now, Type.Null({ description: 'The flag is deleted.' })], {
      description: 'Calculated for this answer, without an evaluation context. The player may have got something else.',
    }),
    override: Type.Union(
      [
        Type.Object({ value: anyJson('Value that the player gets.') }, { description: 'The override.' }),
        Type.Null({ description: 'There is none.' }),
      ],
      { description: "The player's override of this flag." },
    ),
    served: Type.Union([Served, Type.Null({ description: 'Nothing was served.' })], {
      description: 'The last result that the player received.',
    }),
    exposures: Type.Array(Exposure, { description: 'Variants that the player saw, the latest first.' }),
  },
  { description: 'A flag and the player.' },
);

export const PlayerFlags = Type.Object(
  {
    player_id: PlayerId,
    evaluated_at: timeOut('The time for which `now` was calculated.'),
    flags: Type.Array(FlagOfPlayer, { description: 'The flags.' }),
    exposures_complete: Type.Boolean({
      description: 'false: ClickHouse does not answer, so all `exposures` are empty.',
    }),
  },
  { description: 'Flags of a player.' },
);

export const PLAYER_FLAGS_EXAMPLE = {
  player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
  evaluated_at: '2026-01-15T10:30:00.000Z',
  flags: [
    {
      flag_key: 'new_shop',
      name: 'New shop',
      flag_type: 'multivariate',
      enabled: true,
      version: 4,
      now: { value: 'layout_a', variant_key: 'a', reason: 'percentage_rollout' },
      override: null,
      served: {
        value: 'layout_b',
        variant_key: 'b',
        reason: 'segment_match',
        segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
        segment_key: 'whales',
        flag_version: 3,
        current_period: false,
        mixed: false,
      },
      exposures: [
        {
          value: 'layout_b',
          variant_key: 'b',
          reason: 'segment_match',
          attribution: 'served',
          flag_version: 3,
          current_period: false,
          first_seen_at: '2026-01-10T08:00:00.000Z',
        },
      ],
    },
  ],
  exposures_complete: true,
};
