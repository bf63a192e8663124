import type { IdempotencyClaim } from '../../../core/vocabulary/commands/idempotency-claim.ts';
import { PlayerId } from '../input/fields.ts';
import type { RequestContext } from '../route/request-context.ts';
import { forGames } from '../route/route.ts';
import { GAME_TAG, GameSessionId } from './game-fields.ts';

/* The declaration that sync and end-session share: both take events of one open session. */

/** The fields of their bodies that name the session. */
export const SESSION_FIELDS = { player_id: PlayerId, session_id: GameSessionId };

interface SessionBody {
  player_id: string;
  session_id: string;
}

export const SESSION_EVENTS_ROUTE = {
  tag: GAME_TAG,
  auth: { keys: ['client', 'server'] },
  players: ({ body }: { body: SessionBody }) => ({ playerId: body.player_id }),
  limitClass: 'game',
  ...forGames('track'),
  idempotent: true,
  errors: ['PLAYER_NOT_FOUND', 'SESSION_NOT_FOUND'],
  takesFaultyItems: true,
} as const;

/** The session of a request, and its Idempotency-Key as a field of the command. */
export function sessionCall(
  body: SessionBody,
  { idempotency }: RequestContext,
): { session: { playerId: string; sessionId: string }; idempotency: { idempotency?: IdempotencyClaim } } {
  return {
    session: { playerId: body.player_id.toLowerCase(), sessionId: body.session_id },
    idempotency: idempotency === undefined ? {} : { idempotency },
  };
}
