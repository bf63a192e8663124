import { Type } from 'typebox';
import { failure, type Failure, type FieldFault } from '../../kernel/errors.ts';
import { answer, type Answer } from '../answer.ts';
import { PlayerId, timeOut } from '../fields.ts';
import { Warnings, type ValidatedEvent } from './validated-event.ts';
import type { RequestContext } from '../request-context.ts';
import { defineRoute, type Success } from '../route.ts';
import { TrackBody, trackItem, trackedJson } from './track-item.ts';

const EVENT_EXAMPLE = {
  player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
  event_name: 'level_completed',
  properties: { level: 12, score: 15420 },
  timestamp: '2026-01-15T10:30:00Z',
};

const Tracked = Type.Object(
  {
    event_id: Type.String({ description: 'The event_id that you sent or the service assigned.' }),
    player_id: PlayerId,
    event_name: Type.String({ description: 'Name of the event.' }),
    timestamp: timeOut('When the event happened.'),
    received_at: timeOut('When the service received it.'),
    status: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['quarantined'],
        description: 'Present if the event violates an enforced schema and was quarantined.',
      }),
    ),
    warnings: Type.Optional(Warnings),
  },
  { description: 'The acknowledgement of a tracked event.' },
);

export const trackEvent = defineRoute({
  method: 'POST',
  path: '/v1/events/events',
  tag: 'Events',
  summary: 'Track one event',
  description:
    'A repeat of an event_id or an Idempotency-Key returns the first response and counts once. An event that ' +
    'violates the schema of its name is accepted, and the response lists `warnings`. If the schema is enforced, the ' +
    'response has `status: quarantined`: the event is stored, but has no effect until it is replayed.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ playerId: body.player_id }),
  limitClass: 'events',
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND'],
  input: { body: TrackBody },
  reply: {
    statuses: [200],
    description: 'The event is durable.',
    schema: Tracked,
    example: {
      event_id: '019bc0de-1234-7abc-8def-0123456789ab',
      player_id: EVENT_EXAMPLE.player_id,
      event_name: 'level_completed',
      timestamp: '2026-01-15T10:30:00.000Z',
      received_at: '2026-01-15T10:30:00.512Z',
    },
  },
  example: EVENT_EXAMPLE,
  action: {
    kind: 'handle',
    handle({ body }, context) {
      const read = trackItem(body, 0, 'single', context, '');
      if (read instanceof Promise) return read.then((validated) => send(validated, context));
      return 'kind' in read ? read : send(read, context);
    },
  },
});

function send(
  { item, warnings }: ValidatedEvent,
  { idempotency, origin, services }: RequestContext,
): Promise<Answer | Failure> {
  const remembered = idempotency === undefined ? {} : { idempotency };
  return services.backend
    .send(origin, item.playerId, { kind: 'TrackEvents', items: [item], ...remembered })
    .then((reply) => (reply.kind === 'failure' ? reply : answerOf(reply, warnings)));
}

function answerOf(reply: Success, warnings: readonly FieldFault[]): Answer {
  const result = reply.kind === 'tracked' ? reply.results[0] : undefined;
  if (reply.kind !== 'tracked' || result === undefined) throw new Error(`an event was answered with ${reply.kind}`);
  if (result.error !== undefined) return failure(result.error.code, result.error.message);
  const isDuplicate = result.status === 'duplicate';
  const replayed = reply.replayed === true || isDuplicate || result.repeated === true;
  return answer(trackedJson(result, isDuplicate ? [] : warnings), { replayed });
}
