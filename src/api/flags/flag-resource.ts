import { Type, type Static } from 'typebox';
import type { FlagDocument, FlagType } from '../../../actors/vocabulary/documents.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp } from '../../kernel/timestamp.ts';
import {
  anyJson,
  conditionsOf,
  Description,
  keyOf,
  nameOf,
  orNull,
  ReadOnly,
} from '../definitions/definition-fields.ts';
import { timeOut } from '../fields.ts';

const Key = keyOf('By which clients ask for it; taken for ever, even when the flag is deleted.');
const Name = nameOf('For people; the key when left out.');
const FlagTypeName = Type.Unsafe<FlagType>({
  type: 'string',
  enum: ['boolean', 'multivariate', 'string', 'number', 'json'],
  description:
    'What it serves: true or a default, or one of several variants (`multivariate` and `string`: texts). It never changes.',
});
const Enabled = Type.Boolean({
  description: 'Whether it is evaluated; off, everybody gets the default. True when left out.',
});
const DefaultValue = anyJson('What is served when no rule takes the player in; false, or null, when left out.');

function ruleTime(description: string) {
  return Type.Optional(
    Type.Unsafe<string | null>({
      type: ['string', 'null'],
      format: 'date-time',
      description: `${description} ISO 8601; without an offset it is UTC. null: open.`,
    }),
  );
}

const Variants = Type.Array(
  Type.Object(
    {
      key: Type.String({
        minLength: 1,
        maxLength: LIMITS.definitionKeyLength,
        description: 'Unique in the flag; conversions are counted by it. The first variant is the control.',
      }),
      value: anyJson("What it serves, of the flag's type."),
      weight: Type.Number({
        minimum: 0,
        maximum: LIMITS.flagWeight,
        description: 'Its share among all weights; they may sum to anything.',
      }),
    },
    { additionalProperties: false, description: 'A variant.' },
  ),
  { maxItems: LIMITS.flagVariants, description: 'What it serves by weight; none for a boolean flag.' },
);

const Rules = Type.Array(
  Type.Object(
    {
      name: Type.Optional(Type.String({ maxLength: LIMITS.nameLength, description: 'For people.' })),
      segment_id: Type.Optional(
        Type.Unsafe<string | null>({
          type: ['string', 'null'],
          maxLength: LIMITS.callerIdLength,
          description: 'Only players in this segment; null, or left out: all players.',
        }),
      ),
      conditions: Type.Optional(
        conditionsOf('Only players for whom it holds; fields named `context.…` read the context of the request.'),
      ),
      value: Type.Optional(Type.Boolean({ description: 'false serves the default; true when left out.' })),
      percentage: Type.Optional(
        Type.Number({
          minimum: 0,
          maximum: 100,
          description: 'Share of those players, 0 to 100; 100 when left out. Raising it moves nobody who is in.',
        }),
      ),
      priority: Type.Optional(
        Type.Integer({
          minimum: Number.MIN_SAFE_INTEGER,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'Lower ones are asked first, equal ones as they stand; 0 when left out.',
        }),
      ),
      start_at: ruleTime('From when it holds.'),
      end_at: ruleTime('Until when it holds.'),
    },
    { additionalProperties: false, description: 'A rule. The first that takes the player in decides.' },
  ),
  { maxItems: LIMITS.flagRules, description: 'Who gets it.' },
);

const Prerequisites = Type.Array(
  Type.Object(
    {
      flag_key: Type.String({ maxLength: LIMITS.definitionKeyLength, description: 'Key of the other flag.' }),
      value: anyJson('What the other flag must serve the player.'),
    },
    { additionalProperties: false, description: 'A prerequisite.' },
  ),
  { maxItems: LIMITS.flagPrerequisites, description: 'Other flags without which this one is as if disabled.' },
);

const optional = {
  name: Type.Optional(Name),
  description: Type.Optional(Description),
  enabled: Type.Optional(Enabled),
  default_value: Type.Optional(DefaultValue),
  variants: Type.Optional(Variants),
  targeting_rules: Type.Optional(Rules),
  prerequisites: Type.Optional(Prerequisites),
};

/** A flag as it is created. Unknown fields are refused: a misspelt one would reach the wrong players. */
export const FlagBody = Type.Object(
  { key: Key, flag_type: FlagTypeName, ...optional },
  { additionalProperties: false, description: 'A flag.' },
);

export type FlagBody = Static<typeof FlagBody>;

/** A flag as it is put: whole. */
export const FlagWhole = Type.Object(
  {
    key: Type.Optional(keyOf('As it is: a key never changes.')),
    flag_type: FlagTypeName,
    ...optional,
    salt: ReadOnly,
    version: ReadOnly,
    created_at: ReadOnly,
    updated_at: ReadOnly,
  },
  { additionalProperties: false, description: 'A flag.' },
);

/** What changes of a flag. */
export const FlagPatch = Type.Object(
  {
    name: orNull(Name),
    description: orNull(Description),
    flag_type: Type.Optional(FlagTypeName),
    enabled: orNull(Enabled),
    default_value: Type.Optional(DefaultValue),
    variants: orNull(Variants),
    targeting_rules: orNull(Rules),
    prerequisites: orNull(Prerequisites),
  },
  { additionalProperties: false, description: 'Merged over the flag field by field; null: as when left out.' },
);

/** A flag as it is shown. */
export const FlagShown = Type.Object(
  {
    key: Key,
    flag_type: FlagTypeName,
    name: Name,
    description: Description,
    enabled: Enabled,
    default_value: DefaultValue,
    variants: Variants,
    targeting_rules: Rules,
    prerequisites: Prerequisites,
    salt: Type.String({
      description: "Random; a player's place in roll-outs and variants derives from it and the player's id.",
    }),
    version: Type.Integer({ description: 'Counts changes, from 1.' }),
    created_at: timeOut('When it was created.'),
    updated_at: timeOut('When it was last changed.'),
  },
  { description: 'A flag.' },
);

/** A flag as JSON text. */
export function flagJson(flag: FlagDocument): string {
  return JSON.stringify({
    key: flag.key,
    name: flag.name,
    description: flag.description,
    flag_type: flag.flagType,
    enabled: flag.enabled,
    default_value: flag.defaultValue,
    variants: flag.variants.map(({ key, value, weight }) => ({ key, value, weight })),
    targeting_rules: flag.rules.map((rule) => ({
      name: rule.name,
      segment_id: rule.segmentId,
      ...(rule.conditions === undefined ? {} : { conditions: rule.conditions }),
      value: rule.value,
      percentage: rule.percentage,
      priority: rule.priority,
      start_at: rule.startAt === null ? null : formatTimestamp(rule.startAt),
      end_at: rule.endAt === null ? null : formatTimestamp(rule.endAt),
    })),
    prerequisites: flag.prerequisites.map(({ flagKey, value }) => ({ flag_key: flagKey, value })),
    salt: flag.salt,
    version: flag.version,
    created_at: formatTimestamp(flag.createdAt),
    updated_at: formatTimestamp(flag.updatedAt),
  });
}

export const FLAG_BODY_EXAMPLE = {
  key: 'new_shop',
  name: 'New shop',
  description: 'Two layouts against the old one.',
  flag_type: 'multivariate' as const,
  enabled: true,
  default_value: null,
  variants: [
    { key: 'control', value: 'old', weight: 50 },
    { key: 'b', value: 'layout_b', weight: 50 },
  ],
  targeting_rules: [
    {
      name: 'Spenders first',
      segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab',
      conditions: { 'context.app_version': { $vgte: '2.4.0' } },
      value: true,
      percentage: 100,
      priority: 1,
      start_at: null,
      end_at: '2026-03-01T00:00:00.000Z',
    },
    {
      name: 'Everybody else',
      segment_id: null,
      value: true,
      percentage: 10,
      priority: 2,
      start_at: null,
      end_at: null,
    },
  ],
  prerequisites: [{ flag_key: 'shop_open', value: true }],
};

export const FLAG_EXAMPLE = {
  ...FLAG_BODY_EXAMPLE,
  salt: 'Zk3vQ0b1c2d4e5f6',
  version: 1,
  created_at: '2026-01-15T10:30:00.000Z',
  updated_at: '2026-01-15T10:30:00.000Z',
};
