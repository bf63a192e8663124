import type { Operations } from '../generated/operations.ts';
import { docComment, propertyName, quoted, schemaType } from './schema-type.ts';

/* Writes the types of a game's events and flags from its definitions. */

export type EventSchema = Operations['GET /v1/events/schemas']['answer']['schemas'][number];
export type Flag = Operations['GET /v1/flags/flags']['answer']['flags'][number];

/** @param name of the interface; has to be an identifier */
export function gameSchemaText(name: string, schemas: readonly EventSchema[], flags: readonly Flag[]): string {
  const events = schemas.map(({ event_name: event, schema, description }) =>
    member(event, description, eventType(schema)),
  );
  const values = flags.map((flag) => member(flag.key, flag.description, flagType(flag)));
  return `/* Written by \`npx @player-analytics/sdk types\`. Do not edit. */

export interface ${name} {
  events: {
${indented(events)}
  };
  flags: {
${indented(values)}
  };
}
`;
}

function member(name: string, description: string, type: string): string {
  const comment = description.trim() === '' ? '' : `${docComment(description)}\n`;
  return `${comment}${propertyName(name)}: ${type};`;
}

/** The values of the variants and the default; for JSON their shape, because an edit usually keeps it. */
function flagType({ flag_type: type, variants, default_value: byDefault }: Flag): string {
  if (type === 'boolean') return 'boolean';
  const values = [...variants.map(({ value }) => value), byDefault].filter((value) => value !== null);
  const types = values.map(type === 'json' ? shape : literal);
  return [...new Set(types)].join(' | ') || 'unknown';
}

function literal(value: unknown): string {
  return typeof value === 'string' ? quoted(value) : String(value);
}

/** The type of a JSON value, with the types of its parts. */
function shape(value: unknown): string {
  if (Array.isArray(value)) {
    const items = new Set(value.map(shape).sort());
    return items.size === 0 ? 'readonly unknown[]' : `readonly (${[...items].join(' | ')})[]`;
  }
  if (typeof value !== 'object' || value === null) return value === null ? 'null' : typeof value;
  const members = Object.entries(value).map(([name, item]) => `readonly ${propertyName(name)}: ${shape(item)};`);
  return members.length === 0 ? 'Readonly<Record<string, unknown>>' : `{ ${members.join(' ')} }`;
}

/** What a schema allows besides objects cannot be the properties of an event. */
function eventType(schema: Readonly<Record<string, unknown>>): string {
  const { $defs } = schema;
  const definitions = Object.entries(Object($defs)).map(([name, each]) => [`#/$defs/${name}`, each]);
  return schemaType({ ...schema, type: 'object' }, Object.fromEntries(definitions));
}

function indented(members: readonly string[]): string {
  return members
    .flatMap((each) => each.split('\n'))
    .map((line) => (line === '' ? '' : `    ${line}`))
    .join('\n');
}
