import type { OpenSession, SeenFlag } from '../../vocabulary/state/player.ts';
import { laterOf, withLater } from '../later-fields.ts';

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
  /** Both are left out if neither is known, and in sessions of older versions. */
  platform?: string | null,
  appVersion?: string | null,
  ...later: unknown[],
];
const FIELDS = 12;

/** The mark is left out in sessions of older versions. */
type SeenFlagTuple = [flagKey: string, enabled: boolean, variant: string | null, mark?: string];

export function sessionToTuple(session: OpenSession): SessionTuple {
  const tuple: SessionTuple = [
    session.sessionId,
    session.openedAt,
    session.lastCallAt,
    session.flagKeys,
    session.flags.map(seenToTuple),
    session.eventCount,
    session.achievements,
    session.interventionsShown,
    session.interventionsClicked,
    session.ttlMs,
  ];
  const { platform = null, appVersion = null } = session;
  if (platform !== null || appVersion !== null) tuple.push(platform, appVersion);
  return withLater(tuple, FIELDS, session);
}

export function sessionFromTuple(tuple: SessionTuple): OpenSession {
  const [platform, appVersion] = [tuple[10] ?? null, tuple[11] ?? null];
  return {
    sessionId: tuple[0],
    openedAt: tuple[1],
    lastCallAt: tuple[2],
    flagKeys: tuple[3],
    flags: tuple[4].map(seenFromTuple),
    eventCount: tuple[5],
    achievements: tuple[6],
    interventionsShown: tuple[7],
    interventionsClicked: tuple[8],
    ttlMs: tuple[9],
    ...(platform === null ? {} : { platform }),
    ...(appVersion === null ? {} : { appVersion }),
    ...laterOf(tuple, FIELDS),
  };
}

function seenToTuple({ flagKey, enabled, variant, mark }: SeenFlag): SeenFlagTuple {
  return mark === undefined ? [flagKey, enabled, variant] : [flagKey, enabled, variant, mark];
}

function seenFromTuple([flagKey, enabled, variant, mark]: SeenFlagTuple): SeenFlag {
  return mark === undefined ? { flagKey, enabled, variant } : { flagKey, enabled, variant, mark };
}
