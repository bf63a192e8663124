import { failure } from '../../core/kernel/errors.ts';
import type { SyncSession } from '../../core/vocabulary/commands/commands.ts';
import { playerIn, type Context, type Draft } from '../decision/decision.ts';
import { offerInterventions } from '../campaigns/offer.ts';
import { mergeAttributes } from '../player/attributes.ts';
import { attributesReplaced, attributesTooLarge } from '../player/change.ts';
import type { Reply } from '../../core/vocabulary/commands/replies.ts';
import { findOpen, sessionNotFound } from './find-open.ts';
import { playerNow, type SessionContext } from './session-context.ts';
import { changedFlags, evaluateSessionFlags, reportFlags } from './flags/flag-changes.ts';
import { sentFlags } from './flags/session-flags.ts';
import { trackItems } from './track-items.ts';

/**
 * Tracks a session's events, then merges its state updates, which are newer. Reactions run before the reply, so that a
 * sync delivers the interventions it triggers. Fails with PLAYER_NOT_FOUND, SESSION_NOT_FOUND, or VALIDATION_ERROR if
 * the attributes would grow too large.
 */
export function syncSession(
  draft: Draft,
  command: SyncSession,
  context: Context,
  sessionContext: SessionContext,
): Reply {
  const { playerId, sessionId, events, stateUpdates } = command;
  const { game, environment, at } = context;
  const base = { entityId: playerId, game, environment, at };
  const before = playerIn(context, draft.get(playerId));
  if (before === undefined) return failure('PLAYER_NOT_FOUND');
  const session = findOpen(before, sessionId);
  if (session === undefined) return sessionNotFound(sessionId);
  const attributes = stateUpdates === null ? before.attributes : mergeAttributes(before.attributes, stateUpdates);
  if (attributes === undefined) return attributesTooLarge('/state_updates');

  const { definitions } = sessionContext;
  const targeting = () => definitions.of(game, environment);
  const tally = trackItems(draft, events, session.achievements, context, targeting);
  draft.emit({ kind: 'SessionSynced', ...base, sessionId, ...tally });
  if (attributes !== before.attributes)
    draft.emit(attributesReplaced(playerNow(draft, playerId, context), attributes, context));
  sessionContext.react();

  const state = playerNow(draft, playerId, context);
  const evaluations = evaluateSessionFlags(state, session.flagKeys, targeting(), context);
  const changed = changedFlags(session.flags, evaluations, targeting(), context.by);
  reportFlags(draft, state, sessionId, { reported: changed, evaluations }, targeting(), context);
  const interventions = offerInterventions(draft, state, sessionId, definitions.campaigns(game, environment), at);
  return { kind: 'sessionSynced', eventsAccepted: tally.eventCount, interventions, flags: sentFlags(changed) };
}
