import { Type } from 'typebox';
import { LIMITS } from '../../kernel/limits.ts';
import { PlayerId } from '../fields.ts';
import { defineRoute } from '../route.ts';

const STREAMS_BY_TIER = Object.entries(LIMITS.streamReadersOfKey)
  .map(([tier, most]) => `${tier} ${most}`)
  .join(', ');

export const streamEvents = defineRoute({
  method: 'GET',
  path: '/v1/events/events/stream',
  tag: 'Events',
  summary: 'Stream ingested events (Server-Sent Events)',
  description:
    'Each message is a `data:` line with a JSON object whose `type` is `connected` (first), `event`, `gap` (events were ' +
    'lost to this reader; `missed` is how many, or null when nobody can tell) or `heartbeat`. Messages that stand for a ' +
    'position carry an SSE `id:`; `Last-Event-ID` resumes after it, without a hole or a repeat, for as long as the log ' +
    'holds what followed. A reader that does not keep up is disconnected, and misses nothing when it resumes. Whatever ' +
    '`Accept` says, the answer is an event stream. 429: the key has as many streams open on this gateway as its tier ' +
    `may (${STREAMS_BY_TIER}). 503: the gateway has no room for more.`,
  auth: { keys: ['server'], streamTokens: true },
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
      token: Type.Optional(
        Type.String({
          maxLength: LIMITS.streamTokenLength,
          description:
            'A token of POST /v1/events/stream-tokens instead of a key, for EventSource. It opens one connection: when that ' +
            'ends, make a new token and a new EventSource with `last_event_id`.',
        }),
      ),
      last_event_id: Type.Optional(
        Type.String({
          maxLength: LIMITS.callerIdLength,
          description: 'As the header, for clients that cannot set it; the header counts when both are there.',
        }),
      ),
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
      // Empty is no position: clients send that before they saw one.
      const lastEventId = headers['Last-Event-ID'] ?? (query.last_event_id === '' ? undefined : query.last_event_id);
      return {
        key: key.id,
        game: key.game,
        environment: key.environment,
        eventNames: query.event_name ?? [],
        ...(query.player_id === undefined ? {} : { playerId: query.player_id.toLowerCase() }),
        ...(lastEventId === undefined ? {} : { lastEventId }),
      };
    },
  },
});
