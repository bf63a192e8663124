import { Type } from 'typebox';
import type { TrackEvents } from '../../../core/vocabulary/commands/commands.ts';
import { failure, type Failure } from '../../../core/kernel/errors.ts';
import { answer } from '../route/answer.ts';
import { oneOf, PlayerId, timeOut } from '../input/fields.ts';
import { Warnings, type ValidatedEvent } from './validated-event.ts';
import type { RequestContext } from '../route/request-context.ts';
import type { Addressed } from '../route/action.ts';
import { defineRoute, forGames } from '../route/route.ts';
import { TrackBody, trackItem, trackedJson } from './track-item.ts';

/* The route that tracks one event, the hottest path of the service. */

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
      oneOf(['quarantined'], 'Present if the event violates an enforced schema and was quarantined.'),
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
    'violates its schema in the mode `warn` is accepted, and the response lists `warnings`. In the mode `enforce`, the ' +
    'response has `status: quarantined`: the event is stored, but has no effect until it is replayed.',
  auth: { keys: ['client', 'server'] },
  players: ({ body }) => ({ playerId: body.player_id }),
  limitClass: 'events',
  ...forGames('track'),
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND'],
  input: { body: TrackBody },
  reply: {
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
    kind: 'command',
    toCommand({ body }, context) {
      const validated = trackItem(body, 0, 'single', context, '');
      return validated instanceof Promise
        ? validated.then((event) => commandOf(event, context))
        : commandOf(validated, context);
    },
    toAnswer(reply, _context, { warnings }) {
      const result = reply.kind === 'tracked' ? reply.results[0] : undefined;
      if (reply.kind !== 'tracked' || result === undefined) throw new Error(`an event was answered with ${reply.kind}`);
      if (result.error !== undefined) return failure(result.error.code, result.error.message);
      const isDuplicate = result.status === 'duplicate';
      const replayed = reply.replayed === true || isDuplicate || result.repeated === true;
      return answer(trackedJson(result, isDuplicate ? [] : warnings), { replayed });
    },
  },
});

function commandOf(
  event: ValidatedEvent | Failure,
  { idempotency }: RequestContext,
): (Addressed<TrackEvents> & Pick<ValidatedEvent, 'warnings'>) | Failure {
  if ('kind' in event) return event;
  const { item, warnings } = event;
  const items = [item];
  const body: TrackEvents =
    idempotency === undefined ? { kind: 'TrackEvents', items } : { kind: 'TrackEvents', items, idempotency };
  return { kind: 'addressed', playerId: item.playerId, body, warnings };
}
