import { Type } from 'typebox';
import { failure } from '../kernel/errors.ts';
import { answer } from './answer.ts';
import { PlayerId, timeOut } from './fields.ts';
import { defineRoute } from './route.ts';
import { TrackBody, trackItem, trackedJson } from './track-item.ts';

const EVENT_EXAMPLE = {
  player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
  event_name: 'level_completed',
  properties: { level: 12, score: 15420 },
  timestamp: '2026-01-15T10:30:00Z',
};

const Tracked = Type.Object(
  {
    event_id: Type.String({ description: "The caller's event_id, or the one assigned." }),
    player_id: PlayerId,
    event_name: Type.String({ description: 'Event type identifier.' }),
    timestamp: timeOut('When the event happened.'),
    received_at: timeOut('When the service received it.'),
    status: Type.Optional(
      Type.Unsafe<string>({
        type: 'string',
        enum: ['quarantined'],
        description: 'Present when the event broke an enforced schema and was set aside.',
      }),
    ),
  },
  { description: 'The acknowledgement of a tracked event.' },
);

export const trackEvent = defineRoute({
  method: 'POST',
  path: '/v1/events/events',
  tag: 'Events',
  summary: 'Track one event',
  description: 'A repeat of an event_id, or of an Idempotency-Key, answers as the first did and counts once.',
  auth: { keys: ['client', 'server'] },
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
    kind: 'command',
    toCommand({ body }, context) {
      const item = trackItem(body, 0, 'single', context, '');
      if ('kind' in item) return item;
      const { idempotency } = context;
      return {
        kind: 'addressed',
        entityId: item.playerId,
        body: { kind: 'TrackEvents', items: [item], ...(idempotency === undefined ? {} : { idempotency }) },
      };
    },
    toAnswer(reply) {
      const result = reply.kind === 'tracked' ? reply.results[0] : undefined;
      if (reply.kind !== 'tracked' || result === undefined) throw new Error(`an event was answered with ${reply.kind}`);
      if (result.error !== undefined) return failure(result.error.code, result.error.message);
      return answer(trackedJson(result), { replayed: reply.replayed === true || result.status === 'duplicate' });
    },
  },
});
