import { Type, type Static } from 'typebox';
import type { RecordSession } from '../../../core/vocabulary/commands/recorded.ts';
import type { Failure } from '../../../core/kernel/errors.ts';
import { PLAYER_API_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { parseTimestamp } from '../../../core/kernel/text/timestamp.ts';
import { answer } from '../route/answer.ts';
import { PlayerId, timeIn } from '../input/fields.ts';
import { defineRoute, forGames, invalid } from '../route/route.ts';

/* The route that records a session played elsewhere. */

const SessionId = Type.String({
  minLength: 1,
  maxLength: TEXT_LIMITS.callerIdLength,
  format: 'caller-id',
  description: 'Id of the session: your own id, unique per player, or the session_id that init returned.',
});

const Body = Type.Object(
  {
    session_id: SessionId,
    duration_seconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: PLAYER_API_LIMITS.recordedSessionSeconds,
        description: 'Playtime, seconds. Default: the whole seconds between `start_time` and `end_time`.',
      }),
    ),
    start_time: Type.Optional(timeIn('Start of the session.')),
    end_time: Type.Optional(timeIn('End of the session; not before `start_time`.')),
  },
  { description: 'A session. Send `duration_seconds` or both times.' },
);

export const recordSession = defineRoute({
  method: 'POST',
  path: '/v1/players/players/{id}/session',
  tag: 'Players',
  summary: 'Record a session',
  description:
    'A session_id counts once per player, however late a repeat arrives; the repeat returns the first response. A ' +
    'session_id from init adds nothing, since that session is already counted. The service also tracks the event ' +
    '`session_recorded`.',
  auth: { keys: ['client', 'server'] },
  players: ({ params }) => ({ playerId: params.id }),
  limitClass: 'none',
  ...forGames('track'),
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND'],
  input: { params: Type.Object({ id: PlayerId }), body: Body },
  reply: {
    description: 'The session is durable.',
    schema: Type.Object(
      {
        session_id: Type.String({ description: 'Id of the session, as sent.' }),
        player_id: PlayerId,
        session_count: Type.Integer({ description: 'Number of sessions of the player, including this one.' }),
        total_playtime_seconds: Type.Integer({
          description: 'Playtime of the player including this session, seconds.',
        }),
      },
      { description: 'A recorded session.' },
    ),
    example: {
      session_id: 'session_789',
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      session_count: 43,
      total_playtime_seconds: 151_200,
    },
  },
  example: {
    session_id: 'session_789',
    duration_seconds: 1_800,
    start_time: '2026-01-15T10:00:00Z',
    end_time: '2026-01-15T10:30:00Z',
  },
  action: {
    kind: 'command',
    toCommand({ params, body }, { origin, services, idempotency }) {
      const times = timesOf(body);
      if ('kind' in times) return times;
      const playerId = params.id.toLowerCase();
      return {
        kind: 'addressed',
        playerId: playerId,
        body: {
          kind: 'RecordSession',
          playerId,
          sessionId: body.session_id,
          ...times,
          eventId: services.ids.uuidv7(origin.receivedAt),
          ...(idempotency === undefined ? {} : { idempotency }),
        },
      };
    },
    toAnswer(reply) {
      if (reply.kind !== 'sessionRecorded') throw new Error(`a recorded session was answered with ${reply.kind}`);
      const { sessionId, playerId, sessionCount, totalPlaytimeSeconds, replayed = false } = reply;
      return answer(
        `{"session_id":${JSON.stringify(sessionId)},"player_id":"${playerId}",` +
          `"session_count":${sessionCount},"total_playtime_seconds":${Math.round(totalPlaytimeSeconds)}}`,
        { replayed },
      );
    },
  },
});

/** Times and duration of the session. A sent duration wins over the times, which may include pauses. */
function timesOf(
  body: Static<typeof Body>,
): Pick<RecordSession, 'startedAt' | 'endedAt' | 'durationSeconds'> | Failure {
  const startedAt = timeOf(body.start_time);
  const endedAt = timeOf(body.end_time);
  if (startedAt !== null && endedAt !== null && endedAt < startedAt) {
    return invalid([{ path: '/end_time', message: 'must not be before `start_time`' }]);
  }
  if (body.duration_seconds !== undefined) return { startedAt, endedAt, durationSeconds: body.duration_seconds };
  if (startedAt === null || endedAt === null) {
    return invalid([
      { path: '/duration_seconds', message: 'is required unless you send both `start_time` and `end_time`' },
    ]);
  }
  const durationSeconds = Math.floor((endedAt - startedAt) / 1_000);
  if (durationSeconds > PLAYER_API_LIMITS.recordedSessionSeconds) {
    const message =
      `must be at most ${PLAYER_API_LIMITS.recordedSessionSeconds} seconds after \`start_time\` unless you send ` +
      '`duration_seconds`';
    return invalid([{ path: '/end_time', message }]);
  }
  return { startedAt, endedAt, durationSeconds };
}

function timeOf(text: string | undefined): number | null {
  return text === undefined ? null : (parseTimestamp(text) ?? null);
}
