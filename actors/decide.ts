import type { Command, Query } from './commands.ts';
import { playerIn, type Context, type Decision, type Draft } from './decision.ts';
import { trackEvent } from './events/track.ts';
import { once } from './idempotency/remember.ts';
import { patchPlayer } from './player/patch.ts';
import { readPlayer, registerPlayer } from './player/register.ts';
import type { Reply } from './replies.ts';
import type { EntityState } from './state.ts';

/**
 * Decides one command against the draft: emits the facts it leads to and answers the reply. Pure but for the draft;
 * synchronous; the same draft and command always give the same facts and reply.
 */
export function decide(draft: Draft, command: Command): Reply {
  const { body } = command;
  const context: Context = { game: command.game, environment: command.environment, at: command.receivedAt };
  const player = (id: string) => playerIn(context, draft.get(id));
  switch (body.kind) {
    case 'RegisterPlayer':
      return once(draft, body.playerId, body.idempotency, context, () =>
        emitAll(draft, registerPlayer(player(body.playerId), body, context)),
      );
    case 'PatchPlayer':
      return once(draft, body.playerId, body.idempotency, context, () =>
        emitAll(draft, patchPlayer(player(body.playerId), body, context)),
      );
    case 'TrackEvents': {
      const holderId = body.ledgerId ?? body.items[0]?.playerId ?? '';
      return once(
        draft,
        holderId,
        body.idempotency,
        context,
        () => ({ kind: 'tracked', results: body.items.map((item) => trackEvent(draft, item, context)) }),
        body.ledgerId === undefined ? 'any' : 'tracked',
      );
    }
    case 'ClaimIdempotencyKey':
      return once(draft, body.ledgerId, body.idempotency, context, () => ({ kind: 'claimed' }), 'claimed');
  }
}

/** Answers one query from the state of its entity. */
export function answer(state: EntityState | undefined, query: Query): Reply {
  switch (query.body.kind) {
    case 'GetPlayer':
      return readPlayer(playerIn(query, state));
  }
}

/** The entity a query reads. */
export function queriedEntity(query: Query): string {
  switch (query.body.kind) {
    case 'GetPlayer':
      return query.body.playerId;
  }
}

function emitAll(draft: Draft, decision: Decision): Reply {
  for (const fact of decision.facts) draft.emit(fact);
  return decision.reply;
}
