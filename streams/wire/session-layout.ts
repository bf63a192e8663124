import type { OpenSession } from '../../actors/vocabulary/player.ts';
import { laterOf, withLater } from './later-fields.ts';

/**
 * Layout of an open session in a player's state, version 1. A later field goes to the end; reading supplies its
 * default.
 */
export type SessionTuple = [
  sessionId: string,
  openedAt: number,
  lastCallAt: number,
  flagKeys: readonly string[] | null,
  flags: SeenFlagTuple[],
  eventCount: number,
  achievements: readonly string[],
  interventionsShown: number,
  interventionsClicked: number,
  ttlMs: number,
  ...later: unknown[],
];
const FIELDS = 10;

type SeenFlagTuple = [flagKey: string, enabled: boolean, variant: string | null];

export function sessionToTuple(session: OpenSession): SessionTuple {
  const tuple: SessionTuple = [
    session.sessionId,
    session.openedAt,
    session.lastCallAt,
    session.flagKeys,
    session.flags.map(({ flagKey, enabled, variant }): SeenFlagTuple => [flagKey, enabled, variant]),
    session.eventCount,
    session.achievements,
    session.interventionsShown,
    session.interventionsClicked,
    session.ttlMs,
  ];
  return withLater(tuple, FIELDS, session);
}

export function sessionFromTuple(tuple: SessionTuple): OpenSession {
  return {
    sessionId: tuple[0],
    openedAt: tuple[1],
    lastCallAt: tuple[2],
    flagKeys: tuple[3],
    flags: tuple[4].map(([flagKey, enabled, variant]) => ({ flagKey, enabled, variant })),
    eventCount: tuple[5],
    achievements: tuple[6],
    interventionsShown: tuple[7],
    interventionsClicked: tuple[8],
    ttlMs: tuple[9],
    ...laterOf(tuple, FIELDS),
  };
}
