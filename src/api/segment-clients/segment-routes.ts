import { Type, type TProperties } from 'typebox';
import { SEGMENT_CLIENT_LIMITS } from './limits.ts';
import { isPlainObject } from '../../../core/kernel/validation/plain-object.ts';
import type { RequestContext } from '../route/request-context.ts';
import { defineRoute, forGames, invalid, type KeyedRoute, type Route } from '../route/route.ts';
import { ingest } from './ingest.ts';
import { segmentFailures } from './segment-failures.ts';
import type { MessageType } from './segment-message.ts';
import { segmentSettingsRoutes } from './segment-settings.ts';

/*
 * The endpoints that Segment's and RudderStack's clients send to, at their own paths, so that unmodified clients need
 * only the service's address and a key. docs/segment-clients.md describes them.
 */

const tag = 'Segment clients';
const auth = { keys: ['client', 'server'], writeKeys: true } as const;

/** Fields of requests and messages. Any value is accepted: a shipped client cannot correct a refused one. */
const any = (description: string) => Type.Optional(Type.Unknown({ description }));
const WRITE_KEY = { writeKey: any('The API key, if no header has it.') };
const MESSAGE = {
  type: any('Type of the message. The path takes precedence.'),
  messageId: any('Id of the message: the event_id. Repeats for the same player count once.'),
  userId: any("The player's external_id."),
  anonymousId: any('Id of a device or browser whose player is not known.'),
  event: any('track: name of the event.'),
  properties: any('track, page, screen: properties of the event.'),
  traits: any('identify: attributes of the player. group: traits of the group.'),
  name: any('page, screen: its name.'),
  category: any('page, screen: its category.'),
  groupId: any('group: id of the group.'),
  previousId: any('alias: the earlier id.'),
  originalTimestamp: any('When it happened, by the clock of the sender.'),
  timestamp: any('The same, if there is no `originalTimestamp`.'),
  context: any('Only `library.name`, `sessionId` and `traits` are read.'),
};
const IGNORED = {
  integrations: any('Ignored.'),
  channel: any('Ignored.'),
  version: any('Ignored.'),
  rudderId: any('Ignored.'),
  receivedAt: any('Ignored.'),
  _metadata: any('Ignored.'),
};
const SENT_AT = { sentAt: any('When it was sent, by the clock of the sender: corrects wrong clocks.') };

const Stored = Type.Object(
  { success: Type.Boolean({ description: 'Always true.' }) },
  { description: 'Nothing is left to repeat.' },
);

const MESSAGE_EXAMPLE = {
  type: 'track',
  messageId: 'ajs-next-1768473000000-6f0f5a3e',
  userId: 'player_12345',
  event: 'level_completed',
  properties: { level: 12 },
  timestamp: '2026-01-15T10:30:00Z',
};

interface Endpoint {
  paths: readonly string[];
  summary: string;
  description: string;
  fields: TProperties;
  /** Describes the body. */
  what: string;
  example: Record<string, unknown>;
  requestsOf?: (body: unknown) => number;
  handle: (body: Readonly<Record<string, unknown>>, context: RequestContext) => ReturnType<typeof ingest>;
}

function endpoints(endpoint: Endpoint): KeyedRoute[] {
  const { paths, summary, description, fields, what, example, requestsOf, handle } = endpoint;
  return paths.map((path) =>
    defineRoute({
      method: 'POST',
      path,
      tag,
      summary,
      description,
      auth,
      players: 'each item',
      limitClass: 'events',
      ...forGames('track'),
      repeatsById: true,
      lenientBody: true,
      takesFaultyItems: true,
      errors: [],
      failures: segmentFailures,
      input: {
        query: Type.Object({ writeKey: Type.Optional(Type.String({ description: 'The API key.' })) }),
        body: Type.Object(fields, { description: what }),
      },
      reply: {
        description: 'Every message is durable, was durable before, or is in quarantine.',
        mediaType: 'application/json',
        schema: Stored,
        example: { success: true },
      },
      example,
      ...(requestsOf === undefined ? {} : { requestsOf }),
      action: { kind: 'several', handle: ({ body }, context) => handle(body, context) },
    }),
  );
}

const single = (type: MessageType, description: string): KeyedRoute[] =>
  endpoints({
    paths: [`/v1/${type}`, `/v1/${type.slice(0, 1)}`],
    summary: `Send one ${type} message`,
    description: `${description} A faulty message goes to quarantine.`,
    fields: { ...MESSAGE, ...SENT_AT, ...WRITE_KEY, ...IGNORED },
    what: 'A message with its key.',
    example: { ...MESSAGE_EXAMPLE, type },
    handle: (body, context) => ingest([body], type, body['sentAt'], context),
  });

const batches = endpoints({
  paths: ['/v1/batch', '/v1/b', '/v1/import', '/beacon/v1/batch'],
  summary: `Send up to ${SEGMENT_CLIENT_LIMITS.segmentBatchMessages} messages`,
  description:
    'A faulty message goes to quarantine and affects no other. Repeat the whole request after a 429 or without an ' +
    'answer: messages with a `messageId` count once. Each ' +
    `${SEGMENT_CLIENT_LIMITS.segmentMessagesOfRequest} messages count as a request against the rate limit.`,
  fields: {
    batch: Type.Array(Type.Unknown(), {
      maxItems: SEGMENT_CLIENT_LIMITS.segmentBatchMessages,
      'x-items': Type.Object(MESSAGE, { description: 'A message.' }),
      description: `The messages, at most ${SEGMENT_CLIENT_LIMITS.segmentBatchMessages}.`,
    }),
    timestamp: any('Ignored.'),
    context: any('Ignored.'),
    ...SENT_AT,
    ...WRITE_KEY,
    ...IGNORED,
  },
  what: 'A batch of messages.',
  example: { batch: [MESSAGE_EXAMPLE], sentAt: '2026-01-15T10:30:01Z' },
  requestsOf(body) {
    const batch = isPlainObject(body) ? body['batch'] : undefined;
    if (!Array.isArray(batch) || batch.length > SEGMENT_CLIENT_LIMITS.segmentBatchMessages) return 1;
    return Math.max(1, Math.ceil(batch.length / SEGMENT_CLIENT_LIMITS.segmentMessagesOfRequest));
  },
  handle({ batch, sentAt }, context) {
    if (!Array.isArray(batch)) return Promise.resolve(invalid([{ path: '/batch', message: 'must be array' }]));
    return ingest(batch, undefined, sentAt, context);
  },
});

export const segmentRoutes: readonly Route[] = [
  ...batches,
  ...single('track', 'Tracks an event.'),
  ...single('identify', 'Registers the player and merges the traits into its attributes.'),
  ...single('page', 'Tracks an event named `page`.'),
  ...single('screen', 'Tracks an event named `screen`.'),
  ...single('group', 'Tracks an event named `group`.'),
  ...single('alias', 'Tracks an event named `alias`.'),
  ...segmentSettingsRoutes,
];
