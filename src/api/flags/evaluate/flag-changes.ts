import { Type } from 'typebox';
import { FLAG_API_LIMITS } from '../limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import { defineRoute, readBy } from '../../route/route.ts';

/* The route that opens a stream of changed flags. */

const STREAMS_BY_TIER = Object.entries(FLAG_API_LIMITS.changesReadersOfKey)
  .map(([tier, most]) => `${tier} ${most}`)
  .join(', ');

export const streamFlagChanges = defineRoute({
  method: 'GET',
  path: '/v1/flags/changes',
  tag: 'Feature flags',
  summary: 'Learn that flags changed (Server-Sent Events)',
  description:
    'Says that a flag or segment of the game and environment changed, without its content: evaluate the flags again. ' +
    'Events: `connected` (first; each later change follows), `flags_changed`, for server keys also ' +
    '`definitions_changed`, and `heartbeat`. The first three have `revision` in their data and as SSE `id:`. Changes ' +
    `within ${FLAG_API_LIMITS.changesGatherMs} ms make one event. Wait a random time up to \`spread_ms\` before you evaluate ` +
    'again, so that not all clients do so at once. With `Last-Event-ID` you get `flags_changed` at once if anything ' +
    'changed since. Overrides of single players make no event. The service ignores `Accept`. 429: the key or the ' +
    `caller has reached its number of open streams on this gateway (${STREAMS_BY_TIER}; a tenth of it for one caller ` +
    'of a limited client key). 503: the gateway has reached its maximum.',
  auth: { keys: ['client', 'server'] },
  players: 'none',
  limitClass: 'events',
  ...readBy('viewer', 'evaluate'),
  errors: ['SERVICE_UNAVAILABLE'],
  input: {
    query: Type.Object({
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
          description: 'The last SSE id received.',
        }),
      ),
    }),
  },
  reply: {
    description: 'The stream. It stays open.',
    mediaType: 'text/event-stream',
    schema: Type.String({ description: 'Server-Sent Events.' }),
    example: 'id: 57\nevent: flags_changed\ndata: {"revision":57,"spread_ms":20}\n\n',
  },
  action: {
    kind: 'changes',
    toChangesRequest({ query, headers }, { key: { game, environment, kind } }) {
      // Clients send an empty id before they have received one.
      const lastEventId = headers['Last-Event-ID'] ?? (query.last_event_id === '' ? undefined : query.last_event_id);
      return { game, environment, kind, ...(lastEventId === undefined ? {} : { lastEventId }) };
    },
  },
});
