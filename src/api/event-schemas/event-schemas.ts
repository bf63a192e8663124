import type { Static } from 'typebox';
import { eventSchemaKey } from '../../../streams/config/event-schema-key.ts';
import type { EventSchemaDocument } from '../../../core/vocabulary/documents/documents.ts';
import { type Failure, failure, type FieldFault } from '../../../core/kernel/errors.ts';
import type { JsonObject } from '../../../core/kernel/text/json.ts';
import { EVENT_SCHEMA_API_LIMITS } from './limits.ts';
import type { States } from '../definitions/definition-list.ts';
import { definitionRoutes, firstVersion } from '../definitions/definition-routes.ts';
import {
  EVENT_SCHEMA_BODY_EXAMPLE,
  EVENT_SCHEMA_EXAMPLE,
  EventSchema,
  EventSchemaBody,
  EventSchemaChange,
  eventSchemaJson,
} from './event-schema-resource.ts';
import { remaking } from '../definitions/history/remaking.ts';
import type { RequestContext } from '../route/request-context.ts';
import { invalid, writtenBy } from '../route/route.ts';

/* The routes that read and write event schemas. */

const MODES: States<EventSchemaDocument> = {
  observe: { description: 'violations are counted', holds: ({ mode }) => mode === 'observe' },
  warn: { description: 'violations are reported to the sender', holds: ({ mode }) => mode === 'warn' },
  enforce: { description: 'violations are quarantined', holds: ({ mode }) => mode === 'enforce' },
};

const schemas = definitionRoutes({
  kind: 'event_schema',
  states: MODES,
  tag: 'Event schemas',
  path: '/v1/events/schemas',
  one: 'event schema',
  many: 'schemas',
  id: { parameter: 'event_name', field: 'event_name', description: 'Name of the events that the schema applies to.' },
  idOf: ({ eventName }) => eventName,
  storedKeyOf: eventSchemaKey,
  schema: EventSchema,
  example: EVENT_SCHEMA_EXAMPLE,
  toJson: eventSchemaJson,
  missing: () => failure('NOT_FOUND', 'Events with this name have no schema.'),
  taken: () =>
    failure('CONFLICT', 'Events with this name already have a schema; change it with PUT.', { field: 'event_name' }),
  most: EVENT_SCHEMA_API_LIMITS.eventSchemasPerEnvironment,
  limitClass: 'events',
});

const replacing = {
  body: EventSchemaChange,
  async change(body: Static<typeof EventSchemaChange>, context: RequestContext) {
    const schemaFaults = await faultsOf(body.schema, context);
    return (held: EventSchemaDocument) => {
      const isOther = body.event_name !== undefined && body.event_name !== held.eventName;
      const faults = isOther ? [OTHER_EVENTS, ...schemaFaults] : schemaFaults;
      return faults.length > 0 ? invalid(faults) : { ...held, ...eventSchemaContent(body) };
    };
  },
};

const creating = {
  body: EventSchemaBody,
  async make(body: EventSchemaBody, context: RequestContext): Promise<EventSchemaDocument | Failure> {
    const faults = await faultsOf(body.schema, context);
    if (faults.length > 0) return invalid(faults);
    return { eventName: body.event_name, ...eventSchemaContent(body), ...firstVersion(context) };
  },
};

export const eventSchemaRoutes = [
  schemas.listRoute({ description: 'Ordered by event name.' }),
  schemas.createRoute({
    ...writtenBy('editor', 'none'),
    description:
      'The schema is in effect on this node when the response is sent. It validates the `properties` of events that ' +
      'arrive later, whether tracked singly, in a batch, by sync or by end-session. Start with the mode `observe`.',
    ...creating,
    example: EVENT_SCHEMA_BODY_EXAMPLE,
  }),
  schemas.getRoute(),
  schemas.changeRoute({
    ...writtenBy('editor', 'none'),
    method: 'PUT',
    description:
      'Fields that you leave out get their defaults. Quarantined events stay in quarantine until you replay them.',
    ...replacing,
    example: EVENT_SCHEMA_BODY_EXAMPLE,
  }),
  schemas.deleteRoute({
    ...writtenBy('editor', 'none'),
    description: 'Events with this name are no longer validated. You can still replay quarantined events.',
  }),
  ...schemas.historyRoutes(),
  ...schemas.restoreRoutes({ ...writtenBy('editor', 'none'), by: replacing, again: remaking(creating) }),
];

const OTHER_EVENTS: FieldFault = {
  path: '/event_name',
  message: 'cannot be changed; create another schema for other events',
};

/** The parts of a definition that its body sets. */
export function eventSchemaContent({
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
