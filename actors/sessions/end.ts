import { failure } from '../../core/kernel/errors.ts';
import type { EndSession } from '../../core/vocabulary/commands/commands.ts';
import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { Targeting } from '../decision/targeting.ts';
import { sessionClosed, reportedEnd } from './close.ts';
import { findOpen, sessionNotFound } from './find-open.ts';
import { trackItems } from './track-items.ts';
import type { OpenSession } from '../../core/vocabulary/state/player.ts';

/**
 * Tracks a session's last events, closes it and returns its totals. Fails with PLAYER_NOT_FOUND or SESSION_NOT_FOUND.
 */
export function endSession(draft: Draft, command: EndSession, context: Context, targeting: () => Targeting): Reply {
  const { playerId, sessionId, events } = command;
  const state = playerIn(context, draft.get(playerId));
  if (state === undefined) return failure('PLAYER_NOT_FOUND');
  const session = findOpen(state, sessionId);
  if (session === undefined) return sessionNotFound(sessionId);
  const tally = trackItems(draft, events, session.achievements, context, targeting);
  const whole: OpenSession = {
    ...session,
    eventCount: session.eventCount + tally.eventCount,
    achievements: session.achievements.concat(tally.achievements),
    interventionsShown: session.interventionsShown + tally.interventionsShown,
    interventionsClicked: session.interventionsClicked + tally.interventionsClicked,
  };
  const end = reportedEnd(session, command.durationSeconds, context.at);
  draft.emit(sessionClosed(state, whole, 'ended', context.at, end));
  return {
    kind: 'sessionEnded',
    sessionId,
    totalEvents: whole.eventCount,
    durationSeconds: end.durationSeconds,
    achievements: whole.achievements,
    interventionsShown: whole.interventionsShown,
    interventionsClicked: whole.interventionsClicked,
  };
}
