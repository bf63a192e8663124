import { failure } from '../../core/kernel/errors.ts';
import { SESSION_LIMITS } from './limits.ts';
import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import type { InitSession } from '../../core/vocabulary/commands/commands.ts';
import { type Context, type Draft, playerIn } from '../decision/decision.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { sessionClosed, inferredEnd } from './close.ts';
import { playerNow, type SessionContext } from './session-context.ts';
import { flagFor } from '../flags/evaluate/visible.ts';
import { evaluateSessionFlags, formsIn, reportFlags } from './flags/flag-changes.ts';
import { sentFlags } from './flags/session-flags.ts';
import type { SessionClosed } from '../../core/vocabulary/facts/session-facts.ts';

/**
 * Opens a session. Updates segments before it evaluates flags, so that changes by the init itself (the device, the
 * session count) count for both. Fails with PLAYER_NOT_FOUND.
 */
export function initSession(
  draft: Draft,
  command: InitSession,
  context: Context,
  sessionContext: SessionContext,
): Reply {
  const { playerId, sessionId, device, flagKeys, ttlMs } = command;
  const before = playerIn(context, draft.get(playerId));
  if (before === undefined) return failure('PLAYER_NOT_FOUND');
  const { game, environment, at } = context;
  const base = { entityId: playerId, game, environment, at };
  for (const closed of closeSurplus(before, context)) draft.emit(closed);
  const { externalId } = before;
  const requested = flagKeys === null ? null : [...new Set(flagKeys)];
  // Keys that are too long for any flag are not stored for later syncs.
  const storedKeys = requested?.filter((key) => key.length <= TEXT_LIMITS.definitionKeyLength) ?? null;
  draft.emit({ kind: 'SessionOpened', ...base, sessionId, device, flagKeys: storedKeys, ttlMs, externalId });
  sessionContext.react();
  const state = playerNow(draft, playerId, context);
  const targeting = sessionContext.definitions.of(game, environment);
  const evaluations = evaluateSessionFlags(state, storedKeys, targeting, context);
  const reported = evaluations.map((evaluation) => formsIn(targeting, evaluation));
  reportFlags(draft, state, sessionId, { reported, evaluations }, targeting, context);
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
    flags: sentFlags(reported),
    unknownFlags: requested?.filter((key) => flagFor(context.by, key, targeting) === undefined) ?? [],
    segmentKeys: state.segments.map(({ segmentKey }) => segmentKey),
    serverTime: at,
  };
}

/**
 * Closes the oldest sessions at the limit; `catchUp` has closed expired ones. Client keys are public, so an init by a
 * client key closes sessions without a call since their init first: repeated inits cannot close a session that syncs.
 */
function closeSurplus(state: PlayerState, { at, by }: Context): SessionClosed[] {
  const surplus = state.sessions.length + 1 - SESSION_LIMITS.openSessions;
  if (surplus <= 0) return [];
  const silent = by === 'client' ? state.sessions.filter(({ openedAt, lastCallAt }) => openedAt === lastCallAt) : [];
  const others = state.sessions.filter((session) => !silent.includes(session));
  return [...silent, ...others]
    .slice(0, surplus)
    .map((session) => sessionClosed(state, session, 'replaced', at, inferredEnd(session)));
}
