import { Type } from 'typebox';
import { eventSchemaKey } from '../../../streams/config/event-schema-key.ts';
import type { EventSchemaDocument } from '../../../core/vocabulary/documents/documents.ts';
import { failure, type Failure, type FieldFault } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { EVENT_SCHEMA_API_LIMITS } from './limits.ts';

import { definitionRoutes } from '../definitions/definition-routes.ts';
import { changeDefinition, createDefinition, type Written } from '../definitions/definition-writes.ts';
import {
  EVENT_SCHEMA_BODY_EXAMPLE,
  EVENT_SCHEMA_EXAMPLE,
  EventSchema,
  EventSchemaBody,
  EventSchemaChange,
  eventSchemaJson,
} from './event-schema-resource.ts';
import { IfMatch } from '../input/if-match.ts';
import type { RequestContext, WriteContext } from '../route/request-context.ts';
import { defineRoute, invalid, writtenBy } from '../route/route.ts';

/* The routes that read and write event schemas. */

const missing = (): Failure => failure('NOT_FOUND', 'Events with this name have no schema.');
const taken = (): Failure =>
  failure('CONFLICT', 'Events with this name already have a schema; change it with PUT.', { field: 'event_name' });

const PATH = '/v1/events/schemas';
const schemas = definitionRoutes({
  kind: 'event_schema',
  tag: 'Event schemas',
  path: PATH,
  many: 'schemas',
  id: { parameter: 'event_name', field: 'event_name', description: 'Name of the events that the schema applies to.' },
  schema: EventSchema,
  example: EVENT_SCHEMA_EXAMPLE,
  toJson: eventSchemaJson,
  missing,
  most: EVENT_SCHEMA_API_LIMITS.eventSchemasPerEnvironment,
  stored: { keyOf: eventSchemaKey, idOf: ({ eventName }) => eventName },
  limitClass: 'events',
});

const createEventSchema = defineRoute({
  ...schemas.shared,
  ...writtenBy('editor', 'none'),
  versioned: true,
  method: 'POST',
  path: PATH,
  summary: 'Create an event schema',
  description:
    'The schema is in effect on this node when the response is sent. It validates the `properties` of events that ' +
    'arrive later, whether tracked singly, in a batch, by sync or by end-session. Start with the mode `observe`.',
  idempotent: true,
  errors: ['CONFLICT', 'SERVICE_UNAVAILABLE'],
  input: { body: EventSchemaBody },
  reply: { statuses: [201], description: 'The schema.', schema: EventSchema, example: EVENT_SCHEMA_EXAMPLE },
  example: EVENT_SCHEMA_BODY_EXAMPLE,
  action: {
    kind: 'write',
    write: ({ body }, context) => create(body, context),
    toAnswer: (written) => schemas.shown(written, 201),
  },
});

const putEventSchema = defineRoute({
  ...schemas.shared,
  ...writtenBy('editor', 'none'),
  versioned: true,
  method: 'PUT',
  path: schemas.itemPath,
  summary: 'Replace an event schema',
  description:
    'Fields that you leave out get their defaults. Quarantined events stay in quarantine until you replay them.',
  idempotent: true,
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'SERVICE_UNAVAILABLE'],
  input: {
    params: Type.Object({ event_name: Type.String({ description: 'Name of the events that the schema applies to.' }) }),
    headers: IfMatch,
    body: EventSchemaChange,
  },
  reply: {
    description: 'The updated schema.',
    schema: EventSchema,
    example: EVENT_SCHEMA_EXAMPLE,
  },
  example: EVENT_SCHEMA_BODY_EXAMPLE,
  action: {
    kind: 'write',
    async write({ params, headers, body }, context) {
      const schemaFaults = await faultsOf(body.schema, context);
      return changeDefinition<'event_schema'>(
        {
          address: schemas.addressOf(params.event_name, context),
          basis: { ...headers, version: body.version },
          missing: missing(),
          change(held) {
            const faults = [...schemaFaults];
            if (body.event_name !== undefined && body.event_name !== held.eventName) {
              faults.unshift({
                path: '/event_name',
                message: 'cannot be changed; create another schema for other events',
              });
            }
            if (faults.length > 0) return invalid(faults);
            return { kind: 'changed', document: { ...held, ...contentOf(body) } };
          },
        },
        context,
      );
    },
    toAnswer: (written) => schemas.shown(written, 200),
  },
});

export const eventSchemaRoutes = [
  schemas.listRoute({ summary: 'List the event schemas', description: 'Ordered by event name.' }),
  createEventSchema,
  schemas.getRoute({ summary: 'Get an event schema' }),
  putEventSchema,
  schemas.deleteRoute({
    summary: 'Delete an event schema',
    ...writtenBy('editor', 'none'),
    description: 'Events with this name are no longer validated. You can still replay quarantined events.',
  }),
];

async function create(body: EventSchemaBody, context: WriteContext): Promise<Written<'event_schema'> | Failure> {
  const faults = await faultsOf(body.schema, context);
  if (faults.length > 0) return invalid(faults);
  const at = context.origin.receivedAt;
  const address = schemas.addressOf(body.event_name, context);
  const document = { eventName: body.event_name, ...contentOf(body), createdAt: at, updatedAt: at, version: 1 };
  const holder = () => context.services.config.get(address);
  const overQuota = () => schemas.overQuota(context);
  return createDefinition<'event_schema'>({ address, document, holder, taken, overQuota }, context);
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
