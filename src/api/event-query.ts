import { Type, type Static } from 'typebox';
import type { EventFilter, FoundEvent } from '../../clickhouse-schema/event-query.ts';
import { failure, type Failure } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { formatTimestamp, parseTimestamp } from '../kernel/timestamp.ts';
import { answer, type Answer } from './answer.ts';
import { PlayerId, timeIn, timeOut } from './fields.ts';
import { NextCursor, PageQuery } from './paging.ts';
import { decodePlace, encodePlace } from './place-cursor.ts';
import type { RequestContext } from './request-context.ts';
import { defineRoute, invalid } from './route.ts';

const EventsQuery = Type.Object({
  player_id: Type.Optional(PlayerId),
  event_name: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.nameLength, description: 'Only events of this name.' }),
  ),
  session_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.callerIdLength, description: 'Only events of this session.' }),
  ),
  from: Type.Optional(timeIn('Only events the service received then or later.')),
  to: Type.Optional(timeIn('Only events the service received before.')),
  ...PageQuery.properties,
});

type EventsQuery = Static<typeof EventsQuery>;

const FoundEventShape = Type.Object(
  {
    event_id: Type.String({ description: "The caller's event_id, or the one assigned." }),
    event_name: Type.String({ description: 'Event type identifier.' }),
    player_id: PlayerId,
    session_id: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The session the event was sent with; null without one.',
    }),
    properties: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      description: 'The properties, as they were sent.',
    }),
    timestamp: timeOut('When the event happened, as its sender says.'),
    received_at: timeOut('When the service received it.'),
  },
  { description: 'An event, as in the messages of the stream.' },
);

export const queryEvents = defineRoute({
  method: 'GET',
  path: '/v1/events/events',
  tag: 'Events',
  summary: 'Query events',
  description:
    'Newest first, by `received_at` and, within a millisecond, by the order in which they were decided; events that come in ' +
    'meanwhile move nothing behind a cursor. About a second behind what is accepted. `from` and `to` are of `received_at`, the ' +
    "server's clock, and half-open: an event at `from` is in, one at `to` is not. A page may hold fewer events than `limit`, as its " +
    'size is bounded, and still have a `next_cursor`; a cursor belongs to its filters. Properties are answered as they were sent.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  errors: ['SERVICE_UNAVAILABLE'],
  input: { query: EventsQuery },
  reply: {
    statuses: [200],
    description: 'Some of the events.',
    schema: Type.Object(
      { events: Type.Array(FoundEventShape, { description: 'Events of this page.' }), next_cursor: NextCursor },
      { description: 'Events that were asked for.' },
    ),
    example: {
      events: [
        {
          event_id: '019bc0de-1234-7abc-8def-0123456789ab',
          event_name: 'level_completed',
          player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
          session_id: null,
          properties: { level: 12, score: 15420 },
          timestamp: '2026-01-15T10:30:00.000Z',
          received_at: '2026-01-15T10:30:00.512Z',
        },
      ],
      next_cursor: null,
    },
  },
  action: { kind: 'handle', handle: ({ query }, context) => find(query, context) },
});

async function find(query: EventsQuery, { key, services }: RequestContext): Promise<Answer> {
  const filter = filterOf(query, key);
  if ('code' in filter) return filter;
  const behind = query.cursor === undefined ? undefined : decodePlace(query.cursor, listOf(filter));
  if (query.cursor !== undefined && behind === undefined) {
    return invalid([{ path: 'cursor', message: 'is not a cursor of these events' }]);
  }
  const limit = query.limit ?? LIMITS.pageItemsDefault;
  const asked = await services.analytics.events({ ...filter, behind, limit });
  if (asked.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE', 'ClickHouse cannot answer just now.');
  const { events, next } = asked.value;
  const cursor = next === undefined ? null : encodePlace(next, listOf(filter));
  return answer(`{"events":[${events.map(eventJson).join(',')}],"next_cursor":${JSON.stringify(cursor)}}`);
}

function filterOf(query: EventsQuery, { game, environment }: RequestContext['key']): EventFilter | Failure {
  const sinceMs = query.from === undefined ? undefined : parseTimestamp(query.from);
  const untilMs = query.to === undefined ? undefined : parseTimestamp(query.to);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    return invalid([{ path: 'to', message: 'must be later than from' }]);
  }
  const playerId = query.player_id?.toLowerCase();
  return { game, environment, playerId, eventName: query.event_name, sessionId: query.session_id, sinceMs, untilMs };
}

/** `properties` is spliced in as the JSON text it is. */
function eventJson(event: FoundEvent): string {
  return (
    `{"event_id":${JSON.stringify(event.eventId)},"event_name":${JSON.stringify(event.eventName)},` +
    `"player_id":${JSON.stringify(event.playerId)},"session_id":${JSON.stringify(event.sessionId)},` +
    `"properties":${event.properties},"timestamp":"${formatTimestamp(event.timestamp)}",` +
    `"received_at":"${formatTimestamp(event.receivedAt)}"}`
  );
}

/** What tells one of a caller's lists from another, for its cursors. */
function listOf({ game, environment, playerId, eventName, sessionId, sinceMs, untilMs }: EventFilter): unknown[] {
  return [game, environment, playerId, eventName, sessionId, sinceMs, untilMs];
}
