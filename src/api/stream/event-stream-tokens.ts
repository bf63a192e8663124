import { Type } from 'typebox';
import { LIMITS } from '../../kernel/limits.ts';
import { formatTimestamp } from '../../kernel/timestamp.ts';
import { answer } from '../answer.ts';
import { timeOut } from '../fields.ts';
import { defineRoute } from '../route.ts';

const SECONDS = LIMITS.streamTokenMs / 1000;

export const makeStreamToken = defineRoute({
  method: 'POST',
  path: '/v1/events/stream-tokens',
  tag: 'Events',
  summary: 'Make a token that opens one event stream',
  description:
    `For browsers' EventSource, which cannot send a key: \`GET /v1/events/events/stream?token=…\` within ${SECONDS} seconds opens one ` +
    'stream of the game and environment of the key that made the token, on any gateway. The stream ends when the key is revoked. ' +
    'An EventSource that loses its connection reconnects with the used token and gets 401: make a new token and a new ' +
    'EventSource with `last_event_id` set to the last id seen. Make tokens on your server, for people who may see all events. ' +
    `429: the key has made ${LIMITS.streamTokensOfKey} tokens within a minute on this gateway.`,
  auth: { keys: ['server'] },
  limitClass: 'events',
  repeatCounts: true,
  errors: ['SERVICE_UNAVAILABLE'],
  input: {},
  reply: {
    statuses: [201],
    description: 'The token. It is shown once.',
    schema: Type.Object(
      {
        token: Type.String({ description: 'Send it as `?token=`. It opens one connection.' }),
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
    kind: 'handle',
    async handle(_input, { key, services }) {
      const made = await services.streamTokens.make(key);
      if (made.kind === 'failure') return made;
      const data = JSON.stringify({ token: made.token, expires_at: formatTimestamp(made.expiresAt) });
      return answer(data, { status: 201 });
    },
  },
});
