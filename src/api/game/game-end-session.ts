import { Type, type Static } from 'typebox';
import { answer } from '../route/answer.ts';
import { GameSessionId } from './game-fields.ts';
import { EventWarnings, GameEvents, Rejected, gameItems } from './game-items.ts';
import { sessionCall, SESSION_EVENTS_ROUTE, SESSION_FIELDS } from './session-events-route.ts';

import { defineRoute } from '../route/route.ts';

/* The route that ends a session and returns its summary. */

const Body = Type.Object({
  ...SESSION_FIELDS,
  session_duration_seconds: Type.Integer({
    minimum: 0,
    description: 'Playtime, seconds. At most the time since init is counted.',
  }),
  final_events: Type.Optional(GameEvents),
});

const Summary = Type.Object(
  {
    session_id: GameSessionId,
    total_events: Type.Integer({ description: 'Number of events accepted in the session, including the final ones.' }),
    duration_seconds: Type.Integer({ description: 'Counted playtime, seconds.' }),
    achievements_unlocked: Type.Array(Type.String(), {
      description:
        'Distinct achievements from `achievement_unlocked` events (property `achievement_id` or `achievement`).',
    }),
    interventions_shown: Type.Integer({
      description: 'Number of `intervention_shown` events with an `intervention_id`.',
    }),
    interventions_clicked: Type.Integer({
      description: 'Number of `intervention_clicked` events with an `intervention_id`.',
    }),
  },
  { description: 'Summary of the session.' },
);

export const gameEndSession = defineRoute({
  method: 'POST',
  path: '/v1/bff/game/end-session',
  summary: 'End a session and get its summary',
  description:
    'A session ends once. With an Idempotency-Key, a repeat returns the same summary; without one it returns 404. An ' +
    'invalid event is listed in `rejected`; the other events are accepted.',
  ...SESSION_EVENTS_ROUTE,
  input: { body: Body },
  reply: {
    description: 'The session is closed.',
    schema: Type.Object(
      { session_summary: Summary, rejected: Rejected, warnings: Type.Optional(EventWarnings) },
      { description: 'An ended session.' },
    ),
    example: {
      session_summary: {
        session_id: 'ses_019bc0de-1234-7abc-8def-0123456789ab',
        total_events: 42,
        duration_seconds: 1_800,
        achievements_unlocked: ['first_win'],
        interventions_shown: 1,
        interventions_clicked: 1,
      },
      rejected: [],
    },
  },
  example: {
    player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
    session_id: 'ses_019bc0de-1234-7abc-8def-0123456789ab',
    session_duration_seconds: 1_800,
    final_events: [{ event_name: 'achievement_unlocked', properties: { achievement_id: 'first_win' } }],
  },
  action: {
    kind: 'command',
    async toCommand({ body }, context) {
      const { session, idempotency } = sessionCall(body, context);
      const read = await gameItems('final_events', body.final_events ?? [], session, context);
      if ('kind' in read) return read;
      return {
        kind: 'addressed',
        playerId: session.playerId,
        body: {
          kind: 'EndSession',
          ...session,
          durationSeconds: body.session_duration_seconds,
          events: read.items,
          ...idempotency,
        },
        read,
      };
    },
    toAnswer(reply, _context, { read }) {
      if (reply.kind !== 'sessionEnded') throw new Error(`the end of a session was answered with ${reply.kind}`);
      const summary: Static<typeof Summary> = {
        session_id: reply.sessionId,
        total_events: reply.totalEvents,
        duration_seconds: reply.durationSeconds,
        achievements_unlocked: [...reply.achievements],
        interventions_shown: reply.interventionsShown,
        interventions_clicked: reply.interventionsClicked,
      };
      const rejected = JSON.stringify(read.rejected);
      return answer(`{"session_summary":${JSON.stringify(summary)},"rejected":${rejected}${read.warningsJson}}`, {
        replayed: reply.replayed === true,
      });
    },
  },
});
