import { failure } from '../../src/kernel/errors.ts';
import type { SyncSession } from '../vocabulary/commands.ts';
import { playerIn, type Context, type Draft } from '../decision.ts';
import { offerInterventions } from '../campaigns/offer.ts';
import { mergeAttributes } from '../player/attributes.ts';
import { attributesReplaced, attributesTooLarge } from '../player/change.ts';
import type { Reply } from '../vocabulary/replies.ts';
import { findOpen, sessionNotFound } from './find-open.ts';
import { playerNow, type SessionContext } from './session-context.ts';
import { asSeen, changedFlags, lookAtFlags, reportFlags } from './flag-changes.ts';
import { trackItems } from './track-items.ts';

/**
 * Takes in what happened in a session: its events first, as they came before the state that the client tells now. What
 * all of it leads to is settled before the answer, so that an intervention triggered by this very sync is delivered by it.
 * Fails with PLAYER_NOT_FOUND, SESSION_NOT_FOUND, or VALIDATION_ERROR when the attributes would grow too large.
 */
export function syncSession(draft: Draft, command: SyncSession, context: Context, around: SessionContext): Reply {
  const { playerId, sessionId, events, stateUpdates } = command;
  const { game, environment, at } = context;
  const base = { entityId: playerId, game, environment, at };
  const held = playerIn(context, draft.get(playerId));
  if (held === undefined) return failure('PLAYER_NOT_FOUND');
  const session = findOpen(held, sessionId);
  if (session === undefined) return sessionNotFound(sessionId);
  const attributes = stateUpdates === null ? held.attributes : mergeAttributes(held.attributes, stateUpdates);
  if (attributes === undefined) return attributesTooLarge('/state_updates');

  const { definitions } = around;
  const targeting = () => definitions.of(game, environment);
  const tally = trackItems(draft, events, session.achievements, context, targeting);
  draft.emit({ kind: 'SessionSynced', ...base, sessionId, ...tally });
  if (attributes !== held.attributes)
    draft.emit(attributesReplaced(playerNow(draft, playerId, context), attributes, context));
  around.react();

  const state = playerNow(draft, playerId, context);
  const evaluations = lookAtFlags(state, session.flagKeys, targeting(), at);
  const flags = changedFlags(session.flags, evaluations.map(asSeen), targeting());
  reportFlags(draft, state, sessionId, { told: flags, evaluations }, targeting(), context);
  const interventions = offerInterventions(draft, state, sessionId, definitions.campaigns(game, environment), at);
  return { kind: 'sessionSynced', eventsAccepted: tally.eventCount, interventions, flags };
}
