import { Type, type Static } from 'typebox';
import type { QuarantinedRow, QuarantineFilter } from '../../clickhouse-schema/quarantine-query.ts';
import { failure, type Failure } from '../kernel/errors.ts';
import { LIMITS } from '../kernel/limits.ts';
import { formatTimestamp, parseTimestamp } from '../kernel/timestamp.ts';
import { answer, type Answer } from './answer.ts';
import { PlayerId, timeIn, timeOut } from './fields.ts';
import { Warnings } from './judged-event.ts';
import { NextCursor, PageQuery } from './paging.ts';
import { decodePlace, encodePlace } from './place-cursor.ts';
import type { ApiKey, RequestContext } from './request-context.ts';
import { defineRoute, invalid } from './route.ts';

/** Which quarantined events: fields of a query, and of the body of a replay. */
export const QuarantineFields = {
  event_name: Type.Optional(
    Type.String({ minLength: 1, maxLength: LIMITS.nameLength, description: 'Only events of this name.' }),
  ),
  player_id: Type.Optional(PlayerId),
  from: Type.Optional(timeIn('Only events the service received then or later.')),
  to: Type.Optional(timeIn('Only events the service received before.')),
};

const ListQuery = Type.Object({ ...QuarantineFields, ...PageQuery.properties });
type ListQuery = Static<typeof ListQuery>;

const QuarantinedEvent = Type.Object(
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
    schema_version: Type.Integer({ description: 'Version of the schema it broke.' }),
    reason: Warnings,
    released: Type.Boolean({ description: 'Whether it was replayed since, and is an event like any other now.' }),
  },
  { description: 'An event that was set aside.' },
);

export const listQuarantine = defineRoute({
  method: 'GET',
  path: '/v1/events/quarantine',
  tag: 'Event schemas',
  summary: 'List quarantined events',
  description:
    'Events that broke an enforced schema, newest first; about a second behind what was answered. `from` and `to` are of ' +
    '`received_at` and half-open. A page may hold fewer events than `limit`, as its size is bounded; a cursor belongs to its filters.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  errors: ['SERVICE_UNAVAILABLE'],
  input: { query: ListQuery },
  reply: {
    statuses: [200],
    description: 'Some of the events.',
    schema: Type.Object(
      { events: Type.Array(QuarantinedEvent, { description: 'Events of this page.' }), next_cursor: NextCursor },
      { description: 'Quarantined events.' },
    ),
    example: {
      events: [
        {
          event_id: '019bc0de-1234-7abc-8def-0123456789ab',
          event_name: 'level_completed',
          player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
          session_id: null,
          properties: { level: 'twelve' },
          timestamp: '2026-01-15T10:30:00.000Z',
          received_at: '2026-01-15T10:30:00.512Z',
          schema_version: 3,
          reason: [{ path: '/level', message: 'must be integer' }],
          released: false,
        },
      ],
      next_cursor: null,
    },
  },
  action: { kind: 'handle', handle: ({ query }, context) => list(query, context) },
});

async function list(query: ListQuery, { key, services }: RequestContext): Promise<Answer> {
  const filter = quarantineFilter(query, key);
  if ('code' in filter) return filter;
  const asked = [LIST, ...Object.values(filter)];
  const behind = query.cursor === undefined ? undefined : decodePlace(query.cursor, asked);
  if (query.cursor !== undefined && behind === undefined) {
    return invalid([{ path: 'cursor', message: 'is not a cursor of these events' }]);
  }
  const page = await services.analytics.quarantined({
    ...filter,
    order: 'newest_first',
    withReleased: true,
    behind,
    limit: query.limit ?? LIMITS.pageItemsDefault,
    bytes: LIMITS.eventPageBytes,
  });
  if (page.kind === 'unavailable') return failure('SERVICE_UNAVAILABLE', 'ClickHouse cannot answer just now.');
  const { events, next } = page.value;
  const cursor = next === undefined ? null : encodePlace(next, asked);
  return answer(`{"events":[${events.map(eventJson).join()}],"next_cursor":${JSON.stringify(cursor)}}`);
}

const LIST = 'quarantine';

/** What a caller asks for, in its own game and environment. */
export function quarantineFilter(
  wanted: Pick<ListQuery, keyof typeof QuarantineFields>,
  { game, environment }: Pick<ApiKey, 'game' | 'environment'>,
): Omit<QuarantineFilter, 'eventIds'> | Failure {
  const sinceMs = wanted.from === undefined ? undefined : parseTimestamp(wanted.from);
  const untilMs = wanted.to === undefined ? undefined : parseTimestamp(wanted.to);
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs >= untilMs) {
    return invalid([{ path: 'to', message: 'must be later than from' }]);
  }
  const playerId = wanted.player_id?.toLowerCase();
  return { game, environment, playerId, eventName: wanted.event_name, sinceMs, untilMs };
}

/** `properties` and `reason` are spliced in as the JSON text they are. */
function eventJson(event: QuarantinedRow): string {
  return (
    `{"event_id":${JSON.stringify(event.eventId)},"event_name":${JSON.stringify(event.eventName)},` +
    `"player_id":"${event.playerId}","session_id":${JSON.stringify(event.sessionId)},` +
    `"properties":${event.properties},"timestamp":"${formatTimestamp(event.timestamp)}",` +
    `"received_at":"${formatTimestamp(event.receivedAt)}","schema_version":${event.schemaVersion},` +
    `"reason":${event.reason},"released":${event.released}}`
  );
}
