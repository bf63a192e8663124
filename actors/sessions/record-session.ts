import { SESSION_EVENT } from '../../core/vocabulary/service-events.ts';
import { failure } from '../../core/kernel/errors.ts';
import { formatTimestamp } from '../../core/kernel/text/timestamp.ts';
import type { RecordSession } from '../../core/vocabulary/commands/recorded.ts';
import { playerIn, type Context, type Draft } from '../decision/decision.ts';
import { digestOf } from '../../core/kernel/secrets/digest.ts';
import { trackServiceEvent } from '../events/track.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { Targeting } from '../decision/targeting.ts';
import { playedFrom } from '../player/attributes.ts';
import { knownOf } from '../../core/vocabulary/state/device.ts';
import { isOwnSessionId } from './session-id.ts';

/**
 * Records a played session: counts it and adds its playtime, once per `session_id` within the remembered ones. A
 * session that an init opened adds nothing: it counted when it opened, and its playtime when it closed.
 * @param targeting called only if the event names a flag
 */
export function recordSession(
  draft: Draft,
  command: RecordSession,
  context: Context,
  targeting: () => Targeting,
): Reply {
  const { playerId, sessionId, startedAt, endedAt, durationSeconds } = command;
  const state = playerIn(context, draft.get(playerId));
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  const replyOf = (totals: { sessionCount: number; totalPlaytimeSeconds: number }) => {
    const { sessionCount, totalPlaytimeSeconds } = totals;
    return { kind: 'sessionRecorded', playerId, sessionId, sessionCount, totalPlaytimeSeconds } as const;
  };
  if (isOwnSessionId(playerId, sessionId)) return { ...replyOf(state), replayed: true };
  const digest = digestOf(sessionId);
  const earlier = state.recordedSessions.find((session) => session.digest === digest);
  if (earlier !== undefined) return { ...replyOf(earlier), replayed: true };

  const { game, environment, at } = context;
  draft.emit({
    kind: 'SessionRecorded',
    entityId: playerId,
    game,
    environment,
    at,
    sessionId,
    digest,
    startedAt,
    endedAt,
    durationSeconds,
    externalId: state.externalId,
    ...knownOf(state.device),
    ...playedFrom(state.country),
  });
  const sessionCount = state.sessionCount + 1;
  const totalPlaytimeSeconds = state.totalPlaytimeSeconds + durationSeconds;
  trackServiceEvent(
    draft,
    {
      playerId,
      eventId: command.eventId,
      eventName: SESSION_EVENT,
      // JSON.stringify omits undefined times.
      properties: JSON.stringify({
        session_id: sessionId,
        duration_seconds: durationSeconds,
        start_time: timeText(startedAt),
        end_time: timeText(endedAt),
      }),
      sessionId,
      timestamp: endedAt ?? at,
    },
    context,
    targeting,
  );
  return replyOf({ sessionCount, totalPlaytimeSeconds });
}

function timeText(epochMs: number | null): string | undefined {
  return epochMs === null ? undefined : formatTimestamp(epochMs);
}
