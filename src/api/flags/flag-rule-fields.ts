import { Type } from 'typebox';
import { FLAG_LIMITS } from '../../../actors/flags/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { anyJson, conditionsOf } from '../definitions/definition-fields.ts';
import { nullable, timeOrNull } from '../input/fields.ts';

/* The schemas of what a flag serves: its variants, rules and prerequisites. */

function bucketBy(description: string) {
  return Type.String({
    format: 'bucket-by',
    maxLength: TEXT_LIMITS.nameLength,
    description:
      "What puts players into buckets: `player` (their id), `device` (`device_id` of the request's context, else the " +
      "player's), or `attribute:<path>` (`<path>` of the context, else the attribute). Players with the same one get " +
      `the same. A rule that needs one includes no player without. ${description}`,
  });
}

function serve(description: string) {
  return Type.Object(
    {
      variant: Type.Optional(
        Type.String({ maxLength: TEXT_LIMITS.definitionKeyLength, description: 'Key of the variant to serve.' }),
      ),
      weights: Type.Optional(
        Type.Array(
          Type.Object(
            {
              key: Type.String({ maxLength: TEXT_LIMITS.definitionKeyLength, description: 'Key of a variant.' }),
              weight: Type.Number({
                minimum: 0,
                maximum: FLAG_LIMITS.flagWeight,
                description: 'Share of players, relative to the sum of these weights.',
              }),
            },
            { additionalProperties: false, description: 'A variant with its weight.' },
          ),
          {
            minItems: 1,
            maxItems: FLAG_LIMITS.flagVariants,
            description: "Variants to serve by weights of this rule, instead of the flag's.",
          },
        ),
      ),
      value: Type.Optional(anyJson("Value to serve, of the flag's type. A boolean flag serves nothing else.")),
    },
    {
      additionalProperties: false,
      description: `${description} Exactly one of \`variant\`, \`weights\` and \`value\`.`,
    },
  );
}

export const FlagBucketBy = bucketBy('Default: `player`.');
export const DefaultServe = serve(
  'What players get whom no rule includes. Default: `default_value`, which a disabled flag serves in any case.',
);

function ruleTime(description: string) {
  return Type.Optional(timeOrNull(`${description} ISO 8601; UTC without an offset. null means no limit.`));
}

export const Variants = Type.Array(
  Type.Object(
    {
      key: Type.String({
        minLength: 1,
        maxLength: TEXT_LIMITS.definitionKeyLength,
        description:
          'Key of the variant, unique in the flag. Results name the variant by it. The first variant is the control.',
      }),
      value: anyJson("Served value, of the flag's type."),
      weight: Type.Number({
        minimum: 0,
        maximum: FLAG_LIMITS.flagWeight,
        description: 'Share of players, relative to the sum of all weights.',
      }),
    },
    { additionalProperties: false, description: 'A variant.' },
  ),
  {
    maxItems: FLAG_LIMITS.flagVariants,
    description:
      'Variants that the flag serves by weight. Empty for a boolean flag, and where rules serve values only.',
  },
);

export const Rules = Type.Array(
  Type.Object(
    {
      name: Type.Optional(Type.String({ maxLength: TEXT_LIMITS.nameLength, description: 'Display name.' })),
      segment_id: Type.Optional(
        nullable(
          Type.String({
            maxLength: TEXT_LIMITS.callerIdLength,
            description:
              'Id of a segment (`seg_…`): the rule applies to its players only. null (default) means all players.',
          }),
        ),
      ),
      conditions: Type.Optional(
        conditionsOf(
          'The rule applies only to players who meet this condition. Fields `context.…` read the context of the ' +
            'request.',
        ),
      ),
      value: Type.Optional(
        Type.Boolean({
          description: 'Whether the rule turns the flag on; false serves `default_value`. Default: true.',
        }),
      ),
      serve: Type.Optional(
        serve('What the rule serves. Default: the variants by their weights, or `true` of a boolean flag.'),
      ),
      salt: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: FLAG_LIMITS.ruleSalt,
          description:
            "Seeds the percentage and the variants of this rule instead of the flag's `salt`: rules with the same salt " +
            'include the same players.',
        }),
      ),
      bucket_by: Type.Optional(bucketBy("Default: the flag's.")),
      percentage: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 100,
          description:
            'Percentage of these players that the rule includes, 0 to 100. Raising it keeps all included players. ' +
            'Default: 100.',
        }),
      ),
      priority: Type.Optional(
        Type.Integer({
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Rules with lower numbers are evaluated first, equal ones in the order of the list. Default: 0.',
        }),
      ),
      start_at: ruleTime('When the rule starts to apply.'),
      end_at: ruleTime('When the rule stops applying.'),
    },
    {
      additionalProperties: false,
      // A rule without members would turn the flag on for everybody.
      minProperties: 1,
      description: 'A rule, with at least one member. The first rule that includes the player decides.',
    },
  ),
  { maxItems: FLAG_LIMITS.flagRules, description: 'Rules that select the players for whom the flag is on.' },
);

export const Prerequisites = Type.Array(
  Type.Object(
    {
      flag_key: Type.String({
        maxLength: TEXT_LIMITS.definitionKeyLength,
        description: 'Key of the prerequisite flag.',
      }),
      value: Type.Optional(anyJson('Value that the prerequisite flag must serve to the player.')),
      variant_key: Type.Optional(
        Type.String({
          maxLength: TEXT_LIMITS.definitionKeyLength,
          description: 'Key of the variant that it must serve, instead of `value`.',
        }),
      ),
    },
    { additionalProperties: false, description: 'A prerequisite, with either `value` or `variant_key`.' },
  ),
  {
    maxItems: FLAG_LIMITS.flagPrerequisites,
    description:
      'Flags that must serve the given values or variants to the player. If one does not, this flag acts as disabled.',
  },
);
