import type { OpenSession } from '../../vocabulary/state/player.ts';

/** Layout of an open session in the rest of a player's state. The head has `lastCallAt` and `ttlMs`. */
export type SessionTuple = [
  sessionId: string,
  openedAt: number,
  flagKeys: readonly string[] | null,
  flags: readonly SeenFlagTuple[],
  eventCount: number,
  achievements: readonly string[],
  interventionsShown: number,
  interventionsClicked: number,
  platform: string | null,
  appVersion: string | null,
  build: string | null,
];

type SeenFlagTuple = [flagKey: string, enabled: boolean, variant: string | null, mark: string];

export function sessionToTuple(session: OpenSession): SessionTuple {
  return [
    session.sessionId,
    session.openedAt,
    session.flagKeys,
    session.flags.map(({ flagKey, enabled, variant, mark }): SeenFlagTuple => [flagKey, enabled, variant, mark]),
    session.eventCount,
    session.achievements,
    session.interventionsShown,
    session.interventionsClicked,
    session.platform ?? null,
    session.appVersion ?? null,
    session.build ?? null,
  ];
}

export function sessionFromTuple(tuple: SessionTuple, lastCallAt: number, ttlMs: number): OpenSession {
  const [platform, appVersion, build] = [tuple[8], tuple[9], tuple[10]];
  return {
    sessionId: tuple[0],
    openedAt: tuple[1],
    lastCallAt,
    flagKeys: tuple[2],
    flags: tuple[3].map(([flagKey, enabled, variant, mark]) => ({ flagKey, enabled, variant, mark })),
    eventCount: tuple[4],
    achievements: tuple[5],
    interventionsShown: tuple[6],
    interventionsClicked: tuple[7],
    ttlMs,
    ...(platform === null ? {} : { platform }),
    ...(appVersion === null ? {} : { appVersion }),
    ...(build === null ? {} : { build }),
  };
}
