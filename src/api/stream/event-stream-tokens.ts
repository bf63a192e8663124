import { Type } from 'typebox';
import { ACCESS_LIMITS } from '../../access/limits.ts';
import { LOG_LIMITS } from '../../../streams/log/limits.ts';
import { formatTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { answer } from '../route/answer.ts';
import { timeOut } from '../input/fields.ts';
import { defineRoute, forGames } from '../route/route.ts';

/* The route that creates stream tokens. */

const SECONDS = LOG_LIMITS.streamTokenMs / 1000;

export const makeStreamToken = defineRoute({
  method: 'POST',
  path: '/v1/events/stream-tokens',
  tag: 'Events',
  summary: 'Create a token that opens one event stream',
  description:
    `Use it for EventSource in browsers, which cannot send an API key. Within the token's lifetime of ${SECONDS} ` +
    'seconds, `GET /v1/events/events/stream?token=…` opens one stream for the game and environment of the key, on any ' +
    'gateway. The stream ends when the key is revoked. An EventSource that loses its connection reconnects with the ' +
    'used token and gets 401: create a new token and a new EventSource with `last_event_id` set to the last id ' +
    'received. Create tokens on your server, for people who may see all events of the game. The limit is ' +
    `${ACCESS_LIMITS.streamTokensOfKey} tokens per key, minute and gateway; above it the response is 429.`,
  auth: { keys: ['server'] },
  limitClass: 'events',
  ...forGames('read'),
  repeatCounts: true,
  errors: ['SERVICE_UNAVAILABLE'],
  input: {},
  reply: {
    statuses: [201],
    description: 'The token. Only this response shows it.',
    schema: Type.Object(
      {
        token: Type.String({
          description: 'The token. Send it as the query parameter `token`; it opens one connection.',
        }),
        expires_at: timeOut('When the token expires.'),
      },
      { description: 'A stream token.' },
    ),
    example: {
      token: 'st_019bc0de-1234-7abc-8def-0123456789abq3Xv0b2kC7m1l9w5Yt8sR4uE6iO2pA0dF3gH5jK7zN1',
      expires_at: '2026-01-15T10:31:00.000Z',
    },
  },
  action: {
    kind: 'service',
    async call(_input, { key, services }) {
      const made = await services.streamTokens.make(key);
      if (made.kind === 'failure') return made;
      const data = JSON.stringify({ token: made.token, expires_at: formatTimestamp(made.expiresAt) });
      return answer(data, { status: 201 });
    },
  },
});
