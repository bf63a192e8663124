import { Type } from 'typebox';
import { eventSchemaKey } from '../../../streams/config/event-schema-key.ts';
import type { EventSchemaDocument } from '../../../actors/vocabulary/documents.ts';
import { failure, type Failure, type FieldFault } from '../../kernel/errors.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { LIMITS } from '../../kernel/limits.ts';
import type { Answer } from '../answer.ts';
import { definitionRoutes } from '../definitions/definition-routes.ts';
import { changeDefinition, createDefinition } from '../definitions/definition-writes.ts';
import {
  EVENT_SCHEMA_BODY_EXAMPLE,
  EVENT_SCHEMA_EXAMPLE,
  EventSchema,
  EventSchemaBody,
  EventSchemaChange,
  eventSchemaJson,
} from './event-schema-resource.ts';
import { IfMatch } from '../if-match.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute, invalid } from '../route.ts';

const missing = (): Failure => failure('NOT_FOUND', 'There is no schema of that name.');
const taken = (): Failure => failure('CONFLICT', 'Events of that name have a schema.', { field: 'event_name' });

const PATH = '/v1/events/schemas';
const schemas = definitionRoutes({
  kind: 'event_schema',
  tag: 'Event schemas',
  path: PATH,
  many: 'schemas',
  id: { parameter: 'event_name', field: 'event_name', description: 'Name of the events.' },
  schema: EventSchema,
  example: EVENT_SCHEMA_EXAMPLE,
  toJson: eventSchemaJson,
  missing,
  most: LIMITS.eventSchemasPerEnvironment,
  stored: { keyOf: eventSchemaKey, idOf: ({ eventName }) => eventName },
  limitClass: 'events',
});

const createEventSchema = defineRoute({
  ...schemas.shared,
  versioned: true,
  method: 'POST',
  path: PATH,
  summary: 'Create a schema of events',
  description:
    'In effect on this node with the answer, for events that come from then on: their `properties` are checked when they are ' +
    'tracked, alone, in a batch, by a sync or at the end of a session. Begin with the mode `observe`.',
  idempotent: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { body: EventSchemaBody },
  reply: { statuses: [201], description: 'The schema.', schema: EventSchema, example: EVENT_SCHEMA_EXAMPLE },
  example: EVENT_SCHEMA_BODY_EXAMPLE,
  action: { kind: 'handle', handle: ({ body }, context) => create(body, context) },
});

const putEventSchema = defineRoute({
  ...schemas.shared,
  versioned: true,
  method: 'PUT',
  path: schemas.itemPath,
  summary: 'Change a schema of events',
  description: 'Whole: what is left out gets its default. What is in quarantine stays there until it is replayed.',
  idempotent: true,
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: {
    params: Type.Object({ event_name: Type.String({ description: 'Name of the events.' }) }),
    headers: IfMatch,
    body: EventSchemaChange,
  },
  reply: {
    statuses: [200],
    description: 'The schema as it is now.',
    schema: EventSchema,
    example: EVENT_SCHEMA_EXAMPLE,
  },
  example: EVENT_SCHEMA_BODY_EXAMPLE,
  action: {
    kind: 'handle',
    async handle({ params, headers, body }, context) {
      const schemaFaults = await faultsOf(body.schema, context);
      const written = await changeDefinition<'event_schema'>(
        {
          address: schemas.addressOf(params.event_name, context),
          headers,
          missing: missing(),
          change(held) {
            const faults = [...schemaFaults];
            if (body.event_name !== undefined && body.event_name !== held.eventName) {
              faults.unshift({ path: '/event_name', message: 'cannot be changed' });
            }
            if (faults.length > 0) return invalid(faults);
            return { kind: 'changed', document: { ...held, ...contentOf(body) } };
          },
        },
        context,
      );
      return schemas.shown(written, 200);
    },
  },
});

export const eventSchemaRoutes = [
  schemas.listRoute({ summary: 'List the schemas of events', description: 'In the order of the names.' }),
  createEventSchema,
  schemas.getRoute({ summary: 'Get a schema of events' }),
  putEventSchema,
  schemas.deleteRoute({
    summary: 'Delete a schema of events',
    description: 'Events of that name are no longer checked. What is in quarantine can still be replayed.',
  }),
];

async function create(body: EventSchemaBody, context: RequestContext): Promise<Answer> {
  const faults = await faultsOf(body.schema, context);
  if (faults.length > 0) return invalid(faults);
  const at = context.origin.receivedAt;
  const address = schemas.addressOf(body.event_name, context);
  const document = { eventName: body.event_name, ...contentOf(body), createdAt: at, updatedAt: at, version: 1 };
  const holder = () => context.services.config.get(address);
  const full = () => schemas.noRoom(context);
  const made = await createDefinition<'event_schema'>({ address, document, holder, taken, full }, context);
  return schemas.shown(made, 201);
}

function contentOf({
  description = '',
  schema,
  mode = 'observe',
}: Pick<EventSchemaBody, 'description' | 'schema' | 'mode'>): Pick<
  EventSchemaDocument,
  'description' | 'schema' | 'mode'
> {
  return { description, schema, mode };
}

async function faultsOf(schema: JsonObject, { services }: RequestContext): Promise<FieldFault[]> {
  const compiled = await services.eventSchemas.compile(schema);
  if (compiled.kind === 'compiled') return [];
  return compiled.faults.map(({ path, message }) => ({ path: `/schema${path}`, message }));
}
