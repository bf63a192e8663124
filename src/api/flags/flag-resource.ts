import { Type, type Static } from 'typebox';
import type { FlagDocument } from '../../../core/vocabulary/documents/documents.ts';
import { EDIT_EFFECTS } from '../../../core/vocabulary/edit-effects.ts';
import { namesOf } from '../../../core/vocabulary/metrics/metrics.ts';
import { writePrerequisite, writeRule } from '../../../actors/flags/definitions-format.ts';
import { formatTimestamp, formatTimestampOrNull } from '../../../core/kernel/text/timestamp.ts';
import {
  anyJson,
  BasedOn,
  CurrentKey,
  Description,
  keyOf,
  MADE_EXAMPLE,
  madeFields,
  madeJson,
  nameOf,
  orNull,
  ReadOnly,
} from '../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../definitions/definition-labels.ts';
import { Warnings } from '../definitions/name-warnings.ts';
import { oneOf, timeOrNull, timeOut } from '../input/fields.ts';
import { STALE_FIELDS, staleJson, type StaleFlags } from './stale-flags.ts';
import { DefaultServe, FlagBucketBy, Prerequisites, Rules, Variants } from './flag-rule-fields.ts';

/* The flag resource: schemas of its bodies and responses, its JSON text and its examples. */

const Key = keyOf('Key of the flag. It stays taken after the flag is archived.');
const Name = nameOf('Display name. Default: the key.');
const FlagTypeName = oneOf(
  ['boolean', 'multivariate', 'string', 'number', 'json'],
  'Type of the served values. A `boolean` flag serves true or its default; the others serve one of their variants, ' +
    'whose values are strings (`multivariate` and `string`), numbers or any JSON. It cannot be changed.',
);
const Enabled = Type.Boolean({
  description: 'Whether the flag is evaluated. A disabled flag serves the default to all players. Default: true.',
});
const ClientVisible = Type.Boolean({
  description:
    'Whether client keys may learn of the flag. If not, it does not exist for them: `FLAG_NOT_FOUND` by name, and ' +
    'absent where all flags are answered. Default: true.',
});
const EndsAt = timeOrNull(
  'When you expect the flag to be gone: from then on it is `stale`. Evaluations do not change. ISO 8601; null: never.',
);
const DefaultValue = anyJson(
  'Value for players that no rule includes, and of a disabled flag. Default: false for a boolean flag, else null.',
);

const STALE_SENT = { stale: ReadOnly, stale_unknown: ReadOnly };

/** The body that creates a flag. Unknown fields are refused, since a misspelt field would target the wrong players. */
export const FlagBody = Type.Object(
  {
    key: Key,
    flag_type: FlagTypeName,
    name: Type.Optional(Name),
    description: Type.Optional(Description),
    ...LABEL_FIELDS,
    enabled: Type.Optional(Enabled),
    ends_at: Type.Optional(EndsAt),
    client_visible: Type.Optional(ClientVisible),
    default_value: Type.Optional(DefaultValue),
    default_serve: orNull(DefaultServe),
    bucket_by: Type.Optional(FlagBucketBy),
    variants: Type.Optional(Variants),
    targeting_rules: Type.Optional(Rules),
    prerequisites: Type.Optional(Prerequisites),
    ...STALE_SENT,
  },
  { additionalProperties: false, description: 'A flag.' },
);

export type FlagBody = Static<typeof FlagBody>;

/** The body that replaces a flag. */
export const FlagWhole = Type.Object(
  { ...FlagBody.properties, key: CurrentKey, version: BasedOn, archived_at: ReadOnly },
  { additionalProperties: false, description: 'A flag.' },
);

/** The body that changes fields of a flag. */
export const FlagPatch = Type.Object(
  {
    version: BasedOn,
    key: CurrentKey,
    name: orNull(Name),
    description: orNull(Description),
    ...LABEL_FIELDS,
    flag_type: Type.Optional(FlagTypeName),
    enabled: orNull(Enabled),
    ends_at: Type.Optional(EndsAt),
    client_visible: orNull(ClientVisible),
    default_value: Type.Optional(DefaultValue),
    default_serve: orNull(DefaultServe),
    bucket_by: orNull(FlagBucketBy),
    variants: orNull(Variants),
    targeting_rules: orNull(Rules),
    prerequisites: orNull(Prerequisites),
    ...STALE_SENT,
  },
  { additionalProperties: false, description: 'Fields to replace. null sets a field to its default.' },
);

const EFFECTS = namesOf(EDIT_EFFECTS);

/** What an edit does to the experiment. */
export const EditEffect = oneOf(
  EFFECTS,
  'What the edit does to the players who take part in the experiment, those whose answer is drawn. ' +
    EFFECTS.map((effect) => `\`${effect}\`: ${EDIT_EFFECTS[effect]}`).join(' '),
);

/** A flag in a response. */
export const FlagShown = Type.Object(
  {
    key: Key,
    flag_type: FlagTypeName,
    name: Name,
    description: Description,
    enabled: Enabled,
    ends_at: EndsAt,
    client_visible: ClientVisible,
    default_value: DefaultValue,
    default_serve: Type.Optional(DefaultServe),
    bucket_by: FlagBucketBy,
    variants: Variants,
    targeting_rules: Rules,
    warnings: Warnings,
    prerequisites: Prerequisites,
    salt: Type.String({
      description: 'Random text. The salt, and what `bucket_by` names, determine percentage and variant of a player.',
    }),
    ...LABELS_SHOWN,
    ...madeFields('flag'),
    edit_effect: EditEffect,
    archived_at: Type.Optional(timeOut('When the flag was archived. Absent: it is not.')),
    ...STALE_FIELDS,
  },
  { description: 'A flag.' },
);

/** A flag as JSON text. @param stale absent in answers to changes */
export function flagJson(flag: FlagDocument, stale?: StaleFlags): string {
  return JSON.stringify({
    key: flag.key,
    name: flag.name,
    description: flag.description,
    flag_type: flag.flagType,
    enabled: flag.enabled,
    ends_at: formatTimestampOrNull(flag.endsAt),
    client_visible: flag.clientVisible ?? true,
    default_value: flag.defaultValue,
    ...(flag.defaultServe === undefined ? {} : { default_serve: flag.defaultServe }),
    bucket_by: flag.bucketBy ?? 'player',
    variants: flag.variants.map(({ key, value, weight }) => ({ key, value, weight })),
    targeting_rules: flag.rules.map((rule) => ({ name: rule.name, ...writeRule(rule) })),
    prerequisites: flag.prerequisites.map(writePrerequisite),
    salt: flag.salt,
    ...labelsJson(flag),
    ...madeJson(flag),
    edit_effect: flag.editEffect ?? 'none',
    ...(flag.archivedAt === null ? {} : { archived_at: formatTimestamp(flag.archivedAt) }),
    ...staleJson(flag, stale),
  });
}

export const FLAG_BODY_EXAMPLE = {
  key: 'new_shop',
  name: 'New shop',
  description: 'Two layouts against the old one.',
  flag_type: 'multivariate' as const,
  enabled: true,
  ends_at: null,
  client_visible: true,
  default_value: null,
  bucket_by: 'player',
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
      serve: { variant: 'b' },
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
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
  edit_effect: 'none',
};
