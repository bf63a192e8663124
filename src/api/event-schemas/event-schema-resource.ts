import { Type, type Static } from 'typebox';
import type { EventSchemaDocument } from '../../../core/vocabulary/documents/documents.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { BasedOn, Description, MADE_EXAMPLE, madeFields, madeJson } from '../definitions/definition-fields.ts';
import { LABEL_FIELDS, LABELS_EXAMPLE, LABELS_SHOWN, labelsJson } from '../definitions/definition-labels.ts';
import { oneOf } from '../input/fields.ts';

/* The event schema resource: schemas of its bodies and responses, its JSON text and its examples. */

const EventName = Type.String({
  minLength: 1,
  maxLength: TEXT_LIMITS.nameLength,
  // In a path they stand for folders, so that no address would reach the schema.
  not: { enum: ['.', '..'] },
  description: 'Name of the events that the schema applies to. Each event name has at most one schema.',
});
const Schema = Type.Unsafe<JsonObject>({
  type: 'object',
  description:
    'JSON Schema (draft 2020-12) for the `properties` of the events. Patterns use RE2 syntax; `$ref` may point to ' +
    '`#/$defs/` only.',
});
const Mode = oneOf(
  ['observe', 'warn', 'enforce'],
  'What happens to events that violate the schema. `observe` (default): they are counted in the metric ' +
    '`event_schema_violations_total`. `warn`: the response lists the violations too. `enforce`: they are quarantined.',
);

/** The body that creates a schema. Unknown fields are refused. */
export const EventSchemaBody = Type.Object(
  {
    event_name: EventName,
    schema: Schema,
    description: Type.Optional(Description),
    mode: Type.Optional(Mode),
    ...LABEL_FIELDS,
  },
  { additionalProperties: false, description: 'An event schema.' },
);
export type EventSchemaBody = Static<typeof EventSchemaBody>;

/** The body that replaces a schema. */
export const EventSchemaChange = Type.Object(
  {
    ...EventSchemaBody.properties,
    event_name: Type.Optional(Type.String({ description: 'The current event name; it cannot be changed.' })),
    version: BasedOn,
  },
  { additionalProperties: false, description: 'An event schema.' },
);
export type EventSchemaChange = Static<typeof EventSchemaChange>;

/** A schema in a response. */
export const EventSchema = Type.Object(
  {
    event_name: EventName,
    description: Description,
    schema: Schema,
    mode: Mode,
    ...LABELS_SHOWN,
    ...madeFields('schema'),
  },
  { description: 'An event schema.' },
);

export const EVENT_SCHEMA_BODY_EXAMPLE = {
  event_name: 'level_completed',
  description: 'Sent at the end of every level that was won.',
  schema: {
    type: 'object',
    properties: { level: { type: 'integer', minimum: 1 }, score: { type: 'number' } },
    required: ['level'],
  },
  mode: 'warn',
};

export const EVENT_SCHEMA_EXAMPLE = {
  ...EVENT_SCHEMA_BODY_EXAMPLE,
  ...LABELS_EXAMPLE,
  ...MADE_EXAMPLE,
};

/** A schema as JSON text. */
export function eventSchemaJson(document: EventSchemaDocument): string {
  const { eventName, description, schema, mode } = document;
  return JSON.stringify({
    event_name: eventName,
    description,
    schema,
    mode,
    ...labelsJson(document),
    ...madeJson(document),
  });
}
