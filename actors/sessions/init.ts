import { failure } from '../../src/kernel/errors.ts';
import { LIMITS } from '../../src/kernel/limits.ts';
import type { InitSession } from '../vocabulary/commands.ts';
import { type Context, type Draft, playerIn } from '../decision.ts';
import type { Reply } from '../vocabulary/replies.ts';
import type { PlayerState } from '../vocabulary/state.ts';
import { sessionClosed, unseenEnd } from './close.ts';
import { playerNow, type SessionContext } from './session-context.ts';
import { asSeen, lookAtFlags, reportFlags } from './flag-changes.ts';
import type { SessionClosed } from '../vocabulary/session-facts.ts';

/**
 * Opens a session. Segments are settled before flags are looked at: what the init itself changed (a first session, the
 * device) counts for both. Fails with PLAYER_NOT_FOUND.
 */
export function initSession(draft: Draft, command: InitSession, context: Context, around: SessionContext): Reply {
  const { playerId, sessionId, device, flagKeys, ttlMs } = command;
  const held = playerIn(context, draft.get(playerId));
  if (held === undefined) return failure('PLAYER_NOT_FOUND');
  const { game, environment, at } = context;
  const base = { entityId: playerId, game, environment, at };
  for (const closed of makeRoom(held, context)) draft.emit(closed);
  const { externalId } = held;
  const asked = flagKeys === null ? null : [...new Set(flagKeys)];
  // What can be no flag's key need not be asked for again.
  const kept = asked?.filter((key) => key.length <= LIMITS.definitionKeyLength) ?? null;
  draft.emit({ kind: 'SessionOpened', ...base, sessionId, device, flagKeys: kept, ttlMs, externalId });
  around.react();
  const state = playerNow(draft, playerId, context);
  const targeting = around.definitions.of(game, environment);
  const evaluations = lookAtFlags(state, kept, targeting, at);
  const flags = evaluations.map(asSeen);
  reportFlags(draft, state, sessionId, { told: flags, evaluations }, targeting, context);
  return {
    kind: 'sessionOpened',
    sessionId,
    player: {
      id: state.id,
      externalId,
      firstSeenAt: state.firstSeenAt,
      lastSeenAt: state.lastSeenAt,
      attributes: state.attributes,
    },
    flags,
    unknownFlags: asked?.filter((key) => !targeting.flags.has(key)) ?? [],
    segmentKeys: state.segments.map(({ segmentKey }) => segmentKey),
    serverTime: at,
  };
}

/**
 * Closes the oldest if there are as many as may be. Those whose time is over are closed already (`catchUp`). Anybody with a client
 * key can open sessions in a player's name, so one that a client key opens closes sessions first in which nothing came since
 * their init: a player whose game syncs is not thrown out by inits alone.
 */
function makeRoom(state: PlayerState, { at, by }: Context): SessionClosed[] {
  const surplus = state.sessions.length + 1 - LIMITS.openSessions;
  if (surplus <= 0) return [];
  const silent = by === 'client' ? state.sessions.filter(({ openedAt, lastCallAt }) => openedAt === lastCallAt) : [];
  const others = state.sessions.filter((session) => !silent.includes(session));
  return [...silent, ...others]
    .slice(0, surplus)
    .map((session) => sessionClosed(state, session, 'replaced', at, unseenEnd(session)));
}
