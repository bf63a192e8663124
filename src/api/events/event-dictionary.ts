import { Type } from 'typebox';
import type { DictionaryEvent } from '../../../clickhouse-schema/queries/events/event-dictionary.ts';
import { eventSchemaKey } from '../../../streams/config/event-schema-key.ts';
import { EVENT_QUERY_LIMITS } from '../../../clickhouse-schema/queries/events/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { answer } from '../route/answer.ts';
import { timeOut } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, readBy } from '../route/route.ts';

/* The route that lists the names of events that occur, and the properties of one of them. */

const count = (description: string) => Type.Integer({ minimum: 0, description });

const Property = Type.Object(
  {
    name: Type.String({ description: 'Key of the property.' }),
    share: Type.Number({ description: 'Share of the newest events that have it, 0 to 1.' }),
    types: Type.Array(
      Type.String({ description: '`integer`, `number`, `text`, `boolean`, `object`, `list`, `null` or `unknown`.' }),
      { description: 'Types of its values.' },
    ),
    examples: Type.Array(Type.Unknown({ description: 'A value.' }), {
      description: 'Up to 3 values of at most 64 characters. Values of erased players are not among them.',
    }),
  },
  { description: 'A property.' },
);

const DictionaryEntry = Type.Object(
  {
    event_name: Type.String({ description: 'Name of the events.' }),
    events: count('Events with this name.'),
    first_seen_at: timeOut('Receipt of the oldest one.'),
    last_seen_at: timeOut('Receipt of the newest one.'),
    senders: Type.Object(
      {
        client: count('Sent with a client key: by games, the SDK and Segment clients.'),
        server: count('Sent with a server key.'),
        service: count('Made by the service for recorded sessions and purchases.'),
        import: count('Imported history.'),
      },
      { description: 'Events by who made them.' },
    ),
    schema_faults: count('Events that violate their schema in the modes `observe` and `warn`.'),
    schema: Type.Union(
      [
        Type.Object(
          {
            version: Type.Integer({ description: 'Version of the schema.' }),
            mode: Type.String({ description: '`observe`, `warn` or `enforce`.' }),
          },
          { description: 'The schema.' },
        ),
        Type.Null({ description: 'There is none.' }),
      ],
      { description: 'The schema of events with this name.' },
    ),
    properties: Type.Optional(
      Type.Array(Property, { description: 'Top-level properties, the most frequent first. With `event_name` only.' }),
    ),
  },
  { description: 'A name of events.' },
);

export const eventDictionary = defineRoute({
  method: 'GET',
  path: '/v1/events/dictionary',
  tag: 'Events',
  summary: 'List names and properties of events',
  description:
    'Lists the names of events that occur in ClickHouse, the most frequent first, with their number, the times of the ' +
    'oldest and the newest, who sent them, and the schema. With `event_name` the answer has this name only, with the ' +
    `properties of its newest ${EVENT_QUERY_LIMITS.dictionaryEvents} events. Events appear about a second after they are accepted.`,
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
      event_name: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: TEXT_LIMITS.nameLength,
          description: 'Only this name, with its properties.',
        }),
      ),
    }),
  },
  reply: {
    description: 'The dictionary.',
    schema: Type.Object(
      {
        events: Type.Array(DictionaryEntry, { description: `At most ${EVENT_QUERY_LIMITS.dictionaryNames} names.` }),
        more: Type.Boolean({ description: 'Whether more names occur.' }),
      },
      { description: 'The dictionary.' },
    ),
    example: {
      events: [
        {
          event_name: 'level_completed',
          events: 1520,
          first_seen_at: '2026-01-15T10:30:00.512Z',
          last_seen_at: '2026-02-01T08:00:00.000Z',
          senders: { client: 1500, server: 20, service: 0, import: 0 },
          schema_faults: 3,
          schema: { version: 2, mode: 'warn' },
          properties: [{ name: 'level', share: 1, types: ['integer'], examples: [12, 13] }],
        },
      ],
      more: false,
    },
  },
  action: {
    kind: 'analytics',
    toQuestion: ({ query }, { key }) => ({
      kind: 'question',
      question: { game: key.game, environment: key.environment, eventName: query.event_name },
    }),
    read: (analytics, question) => analytics.eventDictionary(question),
    toAnswer: ({ events, more }, _, context) =>
      answer(`{"events":[${events.map((event) => entryJson(event, context)).join(',')}],"more":${String(more)}}`),
  },
});

function entryJson(event: DictionaryEvent, { key, services }: RequestContext): string {
  const { game, environment } = key;
  const schema = services.config.get({
    kind: 'event_schema',
    game,
    environment,
    key: eventSchemaKey(event.eventName),
  })?.document;
  const shown = JSON.stringify({
    event_name: event.eventName,
    events: event.events,
    first_seen_at: formatTimestamp(event.firstSeenAt),
    last_seen_at: formatTimestamp(event.lastSeenAt),
    senders: event.senders,
    schema_faults: event.schemaFaults,
    schema: schema === undefined ? null : { version: schema.version, mode: schema.mode },
  });
  if (event.properties === undefined) return shown;
  const properties = event.properties.map(({ name, share, types, examples }) => {
    // Examples are JSON texts of callers: they stay as they are.
    const head = JSON.stringify({ name, share, types });
    return `${head.slice(0, -1)},"examples":[${examples.join(',')}]}`;
  });
  return `${shown.slice(0, -1)},"properties":[${properties.join(',')}]}`;
}
