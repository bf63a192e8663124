import { Type } from 'typebox';
import { eventMembers } from '../../../core/vocabulary/facts/event-json.ts';
import type { EventFilter } from '../../../clickhouse-schema/queries/events/event-query.ts';

import { API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { answer } from '../route/answer.ts';
import { ABOUT_QUERIED_PLAYER, EventFilterFields, eventFilter, FoundEventFields } from './found-event.ts';
import { NextCursor, NOT_A_CURSOR, PageQuery } from '../input/paging.ts';
import { decodePlace, encodePlace } from '../input/place-cursor.ts';

import { defineRoute, invalid, readBy } from '../route/route.ts';

/* The route that lists events from ClickHouse. */

const EventsQuery = Type.Object({
  ...EventFilterFields,
  session_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: TEXT_LIMITS.callerIdLength,
      description: 'Only events with this session_id.',
    }),
  ),
  ...PageQuery.properties,
});

const FoundEventShape = Type.Object(FoundEventFields, {
  description: 'An event with the same fields as in the stream.',
});

export const queryEvents = defineRoute({
  method: 'GET',
  path: '/v1/events/events',
  tag: 'Events',
  summary: 'Query events',
  description:
    'Lists events by `received_at`, newest first. Of events in the same millisecond, the one accepted last comes ' +
    'first. Pagination is stable while new events arrive. Events appear about a second after they are accepted. ' +
    '`from` and `to` filter by `received_at`; `from` is inclusive, `to` exclusive. A page may have fewer events than ' +
    '`limit`, because its size is bounded; continue until `next_cursor` is null. A cursor is valid only with the ' +
    'same filters.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: { query: EventsQuery },
  reply: {
    description: 'A page of events.',
    schema: Type.Object(
      { events: Type.Array(FoundEventShape, { description: 'Events of this page.' }), next_cursor: NextCursor },
      { description: 'A page of events.' },
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
  action: {
    kind: 'analytics',
    about: ABOUT_QUERIED_PLAYER,
    toQuestion({ query }, { key }) {
      const common = eventFilter(query, key);
      if ('code' in common) return common;
      const filter: EventFilter = { ...common, sessionId: query.session_id };
      const behind = query.cursor === undefined ? undefined : decodePlace(query.cursor, listOf(filter));
      if (query.cursor !== undefined && behind === undefined) {
        return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
      }
      return { kind: 'question', question: { ...filter, behind, limit: query.limit ?? API_LIMITS.pageItemsDefault } };
    },
    read: (analytics, question) => analytics.events(question),
    toAnswer({ events, next }, question) {
      const cursor = JSON.stringify(next === undefined ? null : encodePlace(next, listOf(question)));
      const members = events.map((event) => `{${eventMembers(event)}}`);
      return answer(`{"events":[${members.join(',')}],"next_cursor":${cursor}}`);
    },
  },
});

/** The filters that a cursor is bound to. */
function listOf({ game, environment, playerId, eventName, sessionId, sinceMs, untilMs }: EventFilter): unknown[] {
  return [game, environment, playerId, eventName, sessionId, sinceMs, untilMs];
}
