import { Type } from 'typebox';
import { LIMITS } from '../kernel/limits.ts';
import { PlayerId } from './fields.ts';
import { defineRoute } from './route.ts';

export const streamEvents = defineRoute({
  method: 'GET',
  path: '/v1/events/events/stream',
  tag: 'Events',
  summary: 'Stream ingested events (Server-Sent Events)',
  description:
    'Each message is a `data:` line with a JSON object whose `type` is `connected` (first), `event`, `gap` (events were ' +
    'missed) or `heartbeat`. Event messages carry an SSE `id:`; `Last-Event-ID` resumes after it.',
  auth: { keys: ['server'] },
  limitClass: 'events',
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
      event_name: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: LIMITS.nameLength }), {
          maxItems: LIMITS.streamEventNames,
          description: 'Only events of these names; may be repeated.',
        }),
      ),
      player_id: Type.Optional(PlayerId),
    }),
    headers: Type.Object({
      'Last-Event-ID': Type.Optional(
        Type.String({ maxLength: LIMITS.callerIdLength, description: 'The last SSE id seen: resume after it.' }),
      ),
    }),
  },
  reply: {
    statuses: [200],
    description: 'The stream; it stays open.',
    mediaType: 'text/event-stream',
    schema: Type.String({ description: 'Server-Sent Events.' }),
    example: 'data: {"type":"connected","game_id":"demo"}\n\n',
  },
  action: {
    kind: 'stream',
    toLiveRequest({ query, headers }, { key }) {
      const lastEventId = headers['Last-Event-ID'];
      return {
        game: key.game,
        environment: key.environment,
        eventNames: query.event_name ?? [],
        ...(query.player_id === undefined ? {} : { playerId: query.player_id.toLowerCase() }),
        ...(lastEventId === undefined ? {} : { lastEventId }),
      };
    },
  },
});
