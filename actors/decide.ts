import type { Clock } from '../src/kernel/clock.ts';
import type { Command, CommandBody, Query } from './vocabulary/commands.ts';
import { metered } from './conditions/steps.ts';
import { type Context, type Decision, type Draft, playerIn } from './decision.ts';
import { catchUp } from './timers.ts';
import { trackEvent } from './events/track.ts';
import { readChurnRisk } from './churn/read-churn-risk.ts';
import { evaluateFlags } from './flags/evaluate-flags.ts';
import { exposeFlag } from './flags/expose.ts';
import { overrideFlag } from './flags/override.ts';
import { serveFlags } from './flags/serve.ts';
import { once } from './idempotency/remember.ts';
import { erasePlayer, readErasure } from './player/erase.ts';
import { exportPlayer } from './player/export.ts';
import { patchPlayer } from './player/patch.ts';
import { readLifecycle } from './player/read-lifecycle.ts';
import { readPlayer, registerPlayer } from './player/register.ts';
import { recordPurchase } from './purchases/record-purchase.ts';
import type { Reply } from './vocabulary/replies.ts';
import { recordSession } from './sessions/record-session.ts';
import { endSession } from './sessions/end.ts';
import { initSession } from './sessions/init.ts';
import { syncSession } from './sessions/sync.ts';
import { settle } from './react.ts';
import type { EntityState } from './vocabulary/state.ts';
import type { Definitions } from './definitions.ts';

/**
 * Decides one command against the draft: emits the facts it leads to, with what follows from them, and answers the reply. Pure but for the draft;
 * synchronous; the same draft, command and definitions always give the same facts and reply.
 */
export function decide(draft: Draft, command: Command, definitions: Definitions): Reply {
  return metered(() => decideMetered(draft, command, definitions));
}

function decideMetered(draft: Draft, command: Command, definitions: Definitions): Reply {
  const { game, environment, receivedAt: at, by } = command;
  const context: Context = { game, environment, at, ...(by === undefined ? {} : { by }) };
  catchUp(draft, playersOf(command.body), context, definitions);
  let since = draft.facts.length;
  const settleNow = (): void => {
    settle(draft, since, definitions, context);
    since = draft.facts.length;
  };
  const reply = decideBody(draft, command, context, definitions, settleNow);
  settleNow();
  return reply;
}

/** The players that a command is about. */
function playersOf(body: CommandBody): readonly string[] {
  if (body.kind === 'ClaimIdempotencyKey') return [];
  return body.kind === 'TrackEvents' ? body.items.map(({ playerId }) => playerId) : [body.playerId];
}

function decideBody(
  draft: Draft,
  command: Command,
  context: Context,
  definitions: Definitions,
  settleNow: () => void,
): Reply {
  const { body } = command;
  const player = (id: string) => playerIn(context, draft.get(id));
  const targeting = () => definitions.of(context.game, context.environment);
  switch (body.kind) {
    case 'RegisterPlayer':
      return once(draft, body.playerId, body.idempotency, context, () =>
        emitAll(draft, registerPlayer(player(body.playerId), body, context)),
      );
    case 'PatchPlayer':
      return once(draft, body.playerId, body.idempotency, context, () =>
        emitAll(draft, patchPlayer(player(body.playerId), body, context)),
      );
    case 'ErasePlayer':
      return once(draft, body.playerId, body.idempotency, context, () =>
        emitAll(draft, erasePlayer(draft.get(body.playerId), body, context)),
      );
    case 'TrackEvents': {
      const holderId = body.ledgerId ?? body.items[0]?.playerId ?? '';
      return once(
        draft,
        holderId,
        body.idempotency,
        context,
        () => ({ kind: 'tracked', results: body.items.map((item) => trackEvent(draft, item, context, targeting)) }),
        body.ledgerId === undefined ? 'any' : 'tracked',
      );
    }
    case 'OverrideFlag':
      return once(draft, body.playerId, body.idempotency, context, () =>
        emitAll(draft, overrideFlag(player(body.playerId), body, context)),
      );
    case 'ServeFlags':
      return emitAll(draft, serveFlags(player(body.playerId), body, targeting(), context));
    case 'ExposeFlag':
      return emitAll(draft, exposeFlag(player(body.playerId), body, context));
    case 'RecordSession':
      return once(draft, body.playerId, body.idempotency, context, () =>
        recordSession(draft, body, context, targeting),
      );
    case 'RecordPurchase':
      return once(draft, body.playerId, body.idempotency, context, () =>
        recordPurchase(draft, body, context, targeting),
      );
    case 'InitSession':
      return once(draft, body.playerId, body.idempotency, context, () =>
        initSession(draft, body, context, { definitions, settle: settleNow }),
      );
    case 'SyncSession':
      return once(draft, body.playerId, body.idempotency, context, () =>
        syncSession(draft, body, context, { definitions, settle: settleNow }),
      );
    case 'EndSession':
      return once(draft, body.playerId, body.idempotency, context, () => endSession(draft, body, context, targeting));
    case 'ClaimIdempotencyKey':
      return once(draft, body.ledgerId, body.idempotency, context, () => ({ kind: 'claimed' }), 'claimed');
  }
}

/** What queries see beside the state: definitions, and a clock as flags have schedules and tell how long they took. */
export interface QueryEnvironment {
  definitions: Definitions;
  clock: Pick<Clock, 'wallMs' | 'monotonicMs'>;
}

/** Answers one query from the state of its entity. */
export function answer(state: EntityState | undefined, query: Query, environment: QueryEnvironment): Reply {
  return metered(() => answerMetered(state, query, environment));
}

function answerMetered(state: EntityState | undefined, query: Query, { definitions, clock }: QueryEnvironment): Reply {
  const player = playerIn(query, state);
  switch (query.body.kind) {
    case 'GetPlayer':
      return readPlayer(player);
    case 'GetLifecycle':
      return readLifecycle(player);
    case 'GetChurnRisk':
      return readChurnRisk(player, clock.wallMs());
    case 'GetErasure':
      return readErasure(state, query.body, query);
    case 'ExportPlayer':
      return exportPlayer(player);
    case 'EvaluateFlags':
      return evaluateFlags(player, query.body, definitions.of(query.game, query.environment), clock);
  }
}

/** The entity a query reads. */
export function queriedEntity(query: Query): string {
  switch (query.body.kind) {
    case 'GetPlayer':
    case 'GetLifecycle':
    case 'GetChurnRisk':
    case 'GetErasure':
    case 'ExportPlayer':
    case 'EvaluateFlags':
      return query.body.playerId;
  }
}

function emitAll(draft: Draft, decision: Decision): Reply {
  for (const fact of decision.facts) draft.emit(fact);
  return decision.reply;
}
