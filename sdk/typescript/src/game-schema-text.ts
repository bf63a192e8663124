import type { Operations } from './generated/operations.ts';
import { docComment, propertyName, quoted, schemaType } from './schema-type.ts';

/* Writes the types of a game's events and flags from its definitions. */

export type EventSchema = Operations['GET /v1/events/schemas']['answer']['schemas'][number];
export type Flag = Operations['GET /v1/flags/flags']['answer']['flags'][number];

/** @param name of the interface; has to be an identifier */
export function gameSchemaText(name: string, schemas: readonly EventSchema[], flags: readonly Flag[]): string {
  const events = schemas.map(({ event_name: event, schema, description }) =>
    member(event, description, eventType(schema)),
  );
  const values = flags.map(({ key, description, variants }) =>
    member(
      key,
      description,
      variants.length === 0 ? 'boolean' : variants.map((variant) => quoted(variant.key)).join(' | '),
    ),
  );
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
