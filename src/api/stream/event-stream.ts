import { Type } from 'typebox';
import { STREAM_API_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { PlayerId } from '../input/fields.ts';
import { defineRoute, readBy } from '../route/route.ts';

/* The route that opens an event stream. */

const STREAMS_BY_TIER = Object.entries(STREAM_API_LIMITS.streamReadersOfKey)
  .map(([tier, most]) => `${tier} ${most}`)
  .join(', ');

export const streamEvents = defineRoute({
  method: 'GET',
  path: '/v1/events/events/stream',
  tag: 'Events',
  summary: 'Stream events (Server-Sent Events)',
  description:
    'Each message is a `data:` line with a JSON object. Its `type` is `connected` (the first message), `event`, ' +
    '`heartbeat` or `gap`. `gap`: events after this id can no longer be replayed; `missed` is their number, ' +
    '`available_since` the time from which the log still has events; each is null if it is unknown. Messages with a ' +
    'position have an SSE `id:`. Send the last one as `Last-Event-ID` to resume after it without gaps or repeats, as ' +
    'far back as the log reaches. A stream with the `player_id` of a guest that was merged into an account has the ' +
    'events of the account; one that is open during the merge ends, and you resume it. Slow readers are ' +
    'disconnected; they resume with `Last-Event-ID` and miss nothing. ' +
    'The service ignores `Accept`. 429: the key has ' +
    `reached the number of open streams of its tier on this gateway (${STREAMS_BY_TIER}). 503: the gateway has ` +
    'reached its maximum number of streams.',
  auth: { keys: ['server'], streamTokens: true },
  limitClass: 'events',
  ...readBy('viewer'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
      event_name: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength }), {
          maxItems: STREAM_API_LIMITS.streamEventNames,
          description: 'Only events with these names. Repeat the parameter for several names.',
        }),
      ),
      player_id: Type.Optional(PlayerId),
      token: Type.Optional(
        Type.String({
          maxLength: STREAM_API_LIMITS.streamTokenLength,
          description:
            'Stream token from `POST /v1/events/stream-tokens`, instead of an API key. It opens one connection. When ' +
            'the connection ends, create a new token and a new EventSource with `last_event_id`.',
        }),
      ),
      last_event_id: Type.Optional(
        Type.String({
          maxLength: TEXT_LIMITS.callerIdLength,
          description:
            'Same as the header `Last-Event-ID`, for clients that cannot set it. The header takes precedence.',
        }),
      ),
    }),
    headers: Type.Object({
      'Last-Event-ID': Type.Optional(
        Type.String({
          maxLength: TEXT_LIMITS.callerIdLength,
          description: 'The last SSE id received. The stream resumes after it.',
        }),
      ),
    }),
  },
  reply: {
    description: 'The stream. It stays open.',
    mediaType: 'text/event-stream',
    schema: Type.String({ description: 'Server-Sent Events.' }),
    example: 'data: {"type":"connected","game_id":"demo"}\n\n',
  },
  action: {
    kind: 'stream',
    async toLiveRequest({ query, headers }, { key, origin, services }) {
      const named = query.player_id?.toLowerCase();
      const account = named === undefined ? undefined : await services.merges.accountOf(origin, named);
      if (account?.kind === 'failure') return account;
      // Clients send an empty id before they have received one.
      const lastEventId = headers['Last-Event-ID'] ?? (query.last_event_id === '' ? undefined : query.last_event_id);
      return {
        key: key.id,
        game: key.game,
        environment: key.environment,
        eventNames: query.event_name ?? [],
        ...(account === undefined ? {} : { playerId: account.playerId }),
        ...(account === undefined || account.guestIds.length === 0 ? {} : { guestIds: account.guestIds }),
        ...(lastEventId === undefined ? {} : { lastEventId }),
      };
    },
  },
});
