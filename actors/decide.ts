import type { Clock } from '../core/kernel/clock.ts';
import type { Command, CommandBody, EvaluateFlags, Query } from '../core/vocabulary/commands/commands.ts';
import type { Scope } from '../core/vocabulary/documents/scope.ts';
import { metered } from './conditions/steps.ts';
import { playerIn, type Context, type Draft, type Step } from './decision/decision.ts';
import { catchUp } from './timers.ts';
import { readChurnRisk } from './churn/read-churn-risk.ts';
import { evaluateFlags } from './flags/evaluate/evaluate-flags.ts';
import { readErasure } from './player/erase.ts';
import { emptyPlayer } from './player/empty-player.ts';
import { exportPlayer } from './player/export.ts';
import { readLifecycle } from './player/read-lifecycle.ts';
import { readPlayer } from './player/register.ts';
import type { Reply } from '../core/vocabulary/commands/replies.ts';
import { COMMANDS, type CommandsByKind } from './kinds.ts';
import { movedReply } from './merge/moved.ts';
import { react } from './react.ts';
import type { EntityState, PlayerState } from '../core/vocabulary/state/state.ts';
import type { Definitions } from './decision/definitions.ts';

/**
 * Decides one command: emits its facts and their consequences to the draft and returns the reply. Synchronous and
 * deterministic: the same draft, command and definitions always give the same facts and reply.
 */
export function decide(draft: Draft, command: Command, definitions: Definitions): Reply {
  return metered(() => decideMetered(draft, command, definitions));
}

function decideMetered(draft: Draft, command: Command, definitions: Definitions): Reply {
  const { body, game, environment, receivedAt: at, by } = command;
  const context: Context = { game, environment, at, ...(by === undefined ? {} : { by }) };
  const moved = movedReply(context, body, (id) => draft.get(id));
  if (moved !== undefined) return moved;
  catchUp(draft, playersOf(command.body), context, definitions);
  let since = draft.facts.length;
  const reactNow = (): void => {
    react(draft, since, definitions, context);
    since = draft.facts.length;
  };
  const targeting = () => definitions.of(game, environment);
  const reply = decideKind(body.kind, body, { draft, context, definitions, targeting, react: reactNow });
  reactNow();
  return reply;
}

function decideKind<K extends keyof CommandsByKind>(kind: K, body: CommandsByKind[K], step: Step): Reply {
  return COMMANDS[kind](body, step);
}

/** The players that a command changes. */
function playersOf(body: CommandBody): readonly string[] {
  if (body.kind === 'ClaimIdempotencyKey' || body.kind === 'ReportGuardrail') return [];
  // History changes nothing that is due by time.
  if (body.kind === 'ImportHistory') return [];
  if (body.kind === 'ListPlayers') return body.playerIds;
  return body.kind === 'TrackEvents' ? body.items.map(({ playerId }) => playerId) : [body.playerId];
}

/** The inputs of a query beside the state. Flags need the clock for their schedules and to measure their evaluation. */
export interface QueryEnvironment {
  definitions: Definitions;
  clock: Pick<Clock, 'wallMs' | 'monotonicMs'>;
}

/** Returns the reply to one query from the state of its entity. */
export function answer(state: EntityState | undefined, query: Query, environment: QueryEnvironment): Reply {
  return metered(() => answerMetered(state, query, environment));
}

function answerMetered(state: EntityState | undefined, query: Query, { definitions, clock }: QueryEnvironment): Reply {
  const moved = movedReply(query, query.body, () => state);
  if (moved !== undefined) return moved;
  const player = playerIn(query, state);
  switch (query.body.kind) {
    case 'GetPlayer':
      return readPlayer(player, definitions.of(query.game, query.environment).computed, clock.wallMs());
    case 'GetLifecycle':
      return readLifecycle(player);
    case 'GetChurnRisk':
      return readChurnRisk(player, clock.wallMs());
    case 'GetErasure':
      return readErasure(state, query.body, query);
    case 'ExportPlayer':
      return exportPlayer(player);
    case 'EvaluateFlags':
      return answerFlags(player, query, query.body, { definitions, clock });
    case 'PreviewSegment':
      throw new Error('a preview reads the players of a partition, not one of them');
  }
}

function answerFlags(
  player: PlayerState | undefined,
  scope: Scope,
  body: EvaluateFlags,
  { definitions, clock }: QueryEnvironment,
): Reply {
  const targeting = definitions.of(scope.game, scope.environment);
  const { playerId, externalId } = body;
  const absent = player === undefined && externalId !== undefined;
  const evaluated = absent ? emptyPlayer({ playerId, externalId }, scope, targeting, clock.wallMs()) : player;
  return evaluateFlags(evaluated, body, targeting, clock);
}

/** The entity a query reads; empty: it reads many. */
export function queriedEntity({ body }: Query): string {
  return body.kind === 'PreviewSegment' ? '' : body.playerId;
}
