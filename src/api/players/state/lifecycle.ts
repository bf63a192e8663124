import { Type } from 'typebox';
import { NEVER_SEEN } from '../../../../core/vocabulary/state/player.ts';
import { formatTimestamp } from '../../../../core/kernel/text/timestamp.ts';
import { jsonAnswer } from '../../route/answer.ts';
import { PlayerId } from '../../input/fields.ts';
import { LIFECYCLE_STAGE_SCHEMA } from './player-resource.ts';
import { defineRoute, readBy } from '../../route/route.ts';

/* The route that returns the lifecycle summary of a player. */

export const getLifecycle = defineRoute({
  method: 'GET',
  path: '/v1/players/players/{id}/lifecycle',
  tag: 'Players',
  summary: "Get a player's lifecycle stage",
  description:
    'A player is `new` until its second session or the end of its first day, then `active`. Without activity it ' +
    'becomes `at_risk` after 7 days and `churned` after 30. Activity makes an at-risk player `active` and a churned ' +
    'player `reactivated`; a reactivated player becomes `active` after 3 further sessions. Activity is a session, an ' +
    'init, sync or end-session call, a tracked event or a purchase. The thresholds can be set per game. The webhook ' +
    'kind `player.lifecycle_changed` reports every change.',
  auth: { keys: ['server'] },
  limitClass: 'none',
  ...readBy('viewer'),
  errors: ['PLAYER_NOT_FOUND'],
  input: { params: Type.Object({ id: PlayerId }) },
  reply: {
    description: 'The lifecycle summary.',
    schema: Type.Object(
      {
        player_id: PlayerId,
        lifecycle_stage: Type.Unsafe<string>(LIFECYCLE_STAGE_SCHEMA),
        lifecycle_changed_at: offsetTime('When the stage last changed.'),
        first_seen_at: offsetTime('When the player was first registered.'),
        last_seen_at: Type.Unsafe<string | null>({
          ...offsetTime('When the player was last active; null: never.'),
          type: ['string', 'null'],
        }),
        session_count: Type.Integer({ description: 'Number of sessions opened or recorded.' }),
        total_playtime_seconds: Type.Integer({ description: 'Playtime in closed sessions, seconds.' }),
      },
      { description: 'Lifecycle summary.' },
    ),
    example: {
      player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11',
      lifecycle_stage: 'active',
      lifecycle_changed_at: '2026-01-02T09:15:00.000+00:00',
      first_seen_at: '2026-01-01T09:15:00.000+00:00',
      last_seen_at: '2026-01-15T10:30:00.000+00:00',
      session_count: 42,
      total_playtime_seconds: 86_400,
    },
  },
  action: {
    kind: 'query',
    toQuery({ params }) {
      const playerId = params.id.toLowerCase();
      return { kind: 'addressed', playerId: playerId, body: { kind: 'GetLifecycle', playerId } };
    },
    toAnswer(reply) {
      if (reply.kind !== 'lifecycle') throw new Error(`a lifecycle query was answered with ${reply.kind}`);
      return jsonAnswer({
        player_id: reply.playerId,
        lifecycle_stage: reply.stage,
        lifecycle_changed_at: withOffset(reply.changedAt),
        first_seen_at: withOffset(reply.firstSeenAt),
        last_seen_at: reply.lastSeenAt === NEVER_SEEN ? null : withOffset(reply.lastSeenAt),
        session_count: reply.sessionCount,
        total_playtime_seconds: reply.totalPlaytimeSeconds,
      });
    },
  },
});

function offsetTime(description: string) {
  return Type.String({ format: 'date-time', description: `${description} ISO 8601, offset +00:00, milliseconds.` });
}

/** Only this response has times with the offset `+00:00` instead of `Z`. Clients rely on it. */
function withOffset(epochMs: number): string {
  return `${formatTimestamp(epochMs).slice(0, -1)}+00:00`;
}
