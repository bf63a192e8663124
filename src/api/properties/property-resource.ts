import { Type, type Static } from 'typebox';
import type { PropertyDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { CONDITION_LIMITS } from '../../../actors/conditions/limits.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import { PROPERTY_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import {
  BasedOn,
  CurrentKey,
  Description,
  MADE_EXAMPLE,
  madeFields,
  madeJson,
  nameOf,
  ReadOnly,
} from '../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../definitions/definition-labels.ts';
import { nullable, oneOf } from '../input/fields.ts';
import type { SegmentsProgress } from '../route/request-context.ts';
import { AGGREGATE_RULES, AGGREGATES } from '../../../core/vocabulary/state/aggregates.ts';

/* The computed property resource: schemas of its bodies and responses, its JSON text and its examples. */

const Event = Type.String({
  minLength: 1,
  maxLength: TEXT_LIMITS.nameLength,
  description: 'Name of the events that are counted.',
});
const Where = Type.Unsafe<JsonObject | null>({
  type: ['object', 'null'],
  description:
    'Condition on `properties.<path>` of the event, without regular expressions, `$elemMatch` and `$all`. ' +
    '`null` (default): all events of that name.',
});
const AggregateField = oneOf(
  AGGREGATES,
  AGGREGATES.map((name) => `\`${name}\`: ${AGGREGATE_RULES[name].description}.`).join(' '),
);
const Value = nullable(
  Type.String({
    maxLength: TEXT_LIMITS.nameLength,
    description:
      '`properties.<path>` of the event, required except for `count`. Events without a value there are not counted; ' +
      `neither are texts of more than ${STATE_LIMITS.computedTextLength} characters.`,
  }),
);
const WithinDays = nullable(
  Type.Integer({
    minimum: 1,
    maximum: CONDITION_LIMITS.computedDays,
    description: `Window in UTC days, today included, 1 to ${CONDITION_LIMITS.computedDays}. \`null\` (default): for ever.`,
  }),
);

/** The body that creates a property. Unknown fields are refused, since a misspelt one would count other events. */
export const PropertyBody = Type.Object(
  {
    key: Type.String({
      pattern: `^[A-Za-z0-9._-]{1,${PROPERTY_LIMITS.propertyKeyLength}}$`,
      description:
        'Key, unique in game and environment. Conditions read the property as `computed.<key>`. ' +
        `1 to ${PROPERTY_LIMITS.propertyKeyLength} characters: A-Z a-z 0-9 . _ -`,
    }),
    event: Event,
    aggregate: AggregateField,
    name: Type.Optional(nameOf('Display name. Default: the key.')),
    description: Type.Optional(Description),
    ...LABEL_FIELDS,
    where: Type.Optional(Where),
    value: Type.Optional(Value),
    within_days: Type.Optional(WithinDays),
    past: ReadOnly,
  },
  { additionalProperties: false, description: 'A computed property.' },
);
export type PropertyBody = Static<typeof PropertyBody>;

/** The body that replaces a property. */
export const PropertyChange = Type.Object(
  { ...PropertyBody.properties, key: CurrentKey, version: BasedOn },
  { additionalProperties: false, description: 'A computed property.' },
);
export type PropertyChange = Static<typeof PropertyChange>;

const fields = {
  key: Type.String({ description: 'Key of the property. It never changes.' }),
  name: Type.String({ description: 'Display name.' }),
  description: Description,
  event: Event,
  where: Where,
  aggregate: AggregateField,
  value: Value,
  within_days: WithinDays,
  ...LABELS_SHOWN,
  ...madeFields('property'),
};

/** A property in a list or in the response to a write. */
export const Property = Type.Object(fields, { description: 'A computed property.' });

/** A property in the response to GET. */
export const PropertyWithProgress = Type.Object(
  {
    ...fields,
    past: Type.Object(
      {
        status: oneOf(
          ['counted', 'counting'],
          '`counting` while events from before the definition are missing in the values of some players.',
        ),
        partitions_counted: Type.Integer({ description: 'Partitions of the players that are complete.' }),
        partitions_total: Type.Integer({ description: 'Partitions of the players.' }),
      },
      { description: 'Progress of counting the events from before the definition.' },
    ),
  },
  { description: 'A computed property with the progress of counting its past.' },
);

export const PROPERTY_BODY_EXAMPLE = {
  key: 'gems_spent',
  name: 'Gems spent',
  description: 'Gems spent in the shop in 30 days.',
  event: 'item_bought',
  where: { 'properties.currency': 'gems' },
  aggregate: 'sum',
  value: 'properties.amount',
  within_days: 30,
} as const;

export const PROPERTY_EXAMPLE = {
  ...PROPERTY_BODY_EXAMPLE,
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
};

/** A property as JSON text. */
export function propertyJson(document: PropertyDocument, progress?: SegmentsProgress): string {
  const { key, name, description, event, where, aggregate, value, withinDays } = document;
  return JSON.stringify({
    key,
    name,
    description,
    event,
    where,
    aggregate,
    value,
    within_days: withinDays,
    ...labelsJson(document),
    ...madeJson(document),
    ...(progress === undefined ? {} : { past: pastOf(progress) }),
  });
}

function pastOf({ filled, partitions }: SegmentsProgress) {
  const status = filled === partitions ? 'counted' : 'counting';
  return { status, partitions_counted: filled, partitions_total: partitions };
}
