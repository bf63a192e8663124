import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { playedFrom } from '../player/attributes.ts';
import type { PlayedWith } from '../../core/vocabulary/state/device.ts';
import type { OpenSession } from '../../core/vocabulary/state/player.ts';
import type { SessionClosed } from '../../core/vocabulary/facts/session-facts.ts';

/** The end of a session and its playtime, as far as known. */
export interface SessionEnd {
  /** Epoch milliseconds. */
  endedAt: number;
  /** Whole seconds. */
  durationSeconds: number;
}

/** The fact that a session is closed. @param at the time it was closed, epoch milliseconds */
export function sessionClosed(
  state: PlayerState,
  session: OpenSession,
  reason: SessionClosed['reason'],
  at: number,
  end: SessionEnd,
): SessionClosed {
  const { id: entityId, game, environment, externalId } = state;
  const { sessionId, openedAt, eventCount, achievements, interventionsShown, interventionsClicked } = session;
  return {
    kind: 'SessionClosed',
    entityId,
    game,
    environment,
    at,
    sessionId,
    reason,
    openedAt,
    ...end,
    eventCount,
    achievements: [...achievements],
    interventionsShown,
    interventionsClicked,
    externalId,
    ...withOf(session),
    ...playedFrom(state.country),
  };
}

function withOf({ platform, appVersion, build }: OpenSession): PlayedWith {
  return {
    ...(platform === undefined ? {} : { platform }),
    ...(appVersion === undefined ? {} : { appVersion }),
    ...(build === undefined ? {} : { build }),
  };
}

/** The end of a session that no client ended: the time of its last call. */
export function inferredEnd({ openedAt, lastCallAt }: OpenSession): SessionEnd {
  return { endedAt: lastCallAt, durationSeconds: wholeSeconds(openedAt, lastCallAt) };
}

/** The end that a client reports at `at`. The playtime is at most the time since the init. */
export function reportedEnd({ openedAt }: OpenSession, durationSeconds: number, at: number): SessionEnd {
  return { endedAt: at, durationSeconds: Math.min(durationSeconds, wholeSeconds(openedAt, at)) };
}

/** Never negative: another gateway's clock may have been ahead. */
function wholeSeconds(fromMs: number, toMs: number): number {
  return Math.max(0, Math.floor((toMs - fromMs) / 1000));
}
