import { Type } from 'typebox';
import { eventMembers } from '../../../core/vocabulary/facts/event-json.ts';
import type { QuarantinedRow } from '../../../clickhouse-schema/queries/events/quarantine-query.ts';

import { API_LIMITS } from '../limits.ts';
import { QUERY_LIMITS } from '../../../clickhouse-schema/queries/limits.ts';
import { answer } from '../route/answer.ts';
import { ABOUT_QUERIED_PLAYER, EventFilterFields, eventFilter, FoundEventFields } from '../events/found-event.ts';
import { Warnings } from '../events/validated-event.ts';
import { NextCursor, NOT_A_CURSOR, PageQuery } from '../input/paging.ts';
import { decodePlace, encodePlace } from '../input/place-cursor.ts';

import { defineRoute, invalid } from '../route/route.ts';

/* The route that lists quarantined events. */

const ListQuery = Type.Object({ ...EventFilterFields, ...PageQuery.properties });

const QuarantinedEvent = Type.Object(
  {
    ...FoundEventFields,
    schema_version: Type.Integer({ description: 'Version of the schema that the event violates.' }),
    reason: Warnings,
    released: Type.Boolean({ description: 'Whether the event has been replayed since and counts as a normal event.' }),
  },
  { description: 'A quarantined event.' },
);

export const listQuarantine = defineRoute({
  method: 'GET',
  path: '/v1/events/quarantine',
  tag: 'Event schemas',
  summary: 'List quarantined events',
  description:
    'Lists events that violate an enforced schema, newest first. Events appear about a second after they are ' +
    'received. `from` and `to` filter by `received_at`; `from` is inclusive, `to` exclusive. A page may have fewer ' +
    'events than `limit`, because its size is bounded; continue until `next_cursor` is null. A cursor is valid only ' +
    'with the same filters.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  role: 'viewer',
  scope: 'read',
  audit: { kind: 'quarantine', action: 'read', reads: true },
  approval: 'none',
  errors: ['SERVICE_UNAVAILABLE'],
  input: { query: ListQuery },
  reply: {
    description: 'A page of quarantined events.',
    schema: Type.Object(
      { events: Type.Array(QuarantinedEvent, { description: 'Events of this page.' }), next_cursor: NextCursor },
      { description: 'A page of quarantined events.' },
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
  action: {
    kind: 'analytics',
    about: ABOUT_QUERIED_PLAYER,
    toQuestion({ query }, { key }) {
      const filter = eventFilter(query, key);
      if ('code' in filter) return filter;
      const filters = [LIST, ...Object.values(filter)];
      const behind = query.cursor === undefined ? undefined : decodePlace(query.cursor, filters);
      if (query.cursor !== undefined && behind === undefined) {
        return invalid([{ path: 'cursor', message: NOT_A_CURSOR }]);
      }
      const limit = query.limit ?? API_LIMITS.pageItemsDefault;
      return { kind: 'question', question: { filter, filters, behind, limit } };
    },
    read: (analytics, { filter, behind, limit }) =>
      analytics.quarantined({
        ...filter,
        order: 'newest_first',
        withReleased: true,
        behind,
        limit,
        bytes: QUERY_LIMITS.eventPageBytes,
      }),
    toAnswer({ events, next }, { filters }) {
      const cursor = next === undefined ? null : encodePlace(next, filters);
      return answer(`{"events":[${events.map(eventJson).join()}],"next_cursor":${JSON.stringify(cursor)}}`);
    },
  },
});

/** Separates these cursors from those of other lists with the same filters. */
const LIST = 'quarantine';

/** A quarantined event as JSON text. `reason` is JSON text already. */
function eventJson(event: QuarantinedRow): string {
  const { schemaVersion, reason, released } = event;
  return `{${eventMembers(event)},"schema_version":${schemaVersion},"reason":${reason},"released":${released}}`;
}
