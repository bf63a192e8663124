import type { CommandBody, QueryBody } from '../../../core/vocabulary/commands/commands.ts';
import type { Reply } from '../../../core/vocabulary/commands/replies.ts';
import type { QueryResult } from '../../../clickhouse-schema/query-result.ts';
import type { LiveRequest } from '../../../streams/live-feed.ts';
import { isFailure, type Failure } from '../../../core/kernel/errors.ts';
import type { Answer, Outcome } from './answer.ts';
import { clickHouseUnavailable } from './clickhouse-unavailable.ts';
import type { WarnedConditions } from '../definitions/name-warnings.ts';
import type { ChangesRequest } from '../flags/evaluate/changes-request.ts';
import type { DecideContext, RequestContext, Services, WriteContext } from './request-context.ts';

/*
 * The actions of routes: what a route does with valid input, by kind.
 *
 * Invariants
 * 1. An action translates. It never decides: owners of players, the CONFIG bucket and ClickHouse do.
 * 2. A failure ends the action; only successes reach `toAnswer`.
 */

/** A reply that is no failure. */
export type Success = Exclude<Reply, Failure>;

/** A command or query for the owner of a player. May have further fields, for `toAnswer`. */
export interface Addressed<Body> {
  kind: 'addressed';
  playerId: string;
  body: Body;
}

export type MaybePromise<T> = T | Promise<T>;

/**
 * The kinds of actions. `toAnswer` gets what the preceding step returned.
 *
 * `T` is the input, `Prepared` the value that the first step hands on, and `Result` the outcome of a read or write.
 */
export type Action<T, Prepared, Result> =
  | CommandAction<T, Prepared>
  | QueryAction<T, Prepared>
  | AnalyticsAction<T, Prepared, Result>
  | WriteAction<T, Result>
  | ConfigAction<T>
  | ServiceAction<T>
  | DecideAction<T>
  | SeveralAction<T>
  | StreamAction<T>
  | ChangesAction<T>;

export type ActionKind = Action<never, never, never>['kind'];

/** Sends one command to the owner of a player. */
interface CommandAction<T, Prepared> {
  kind: 'command';
  toCommand: (input: T, context: RequestContext) => MaybePromise<(Prepared & Addressed<CommandBody>) | Failure>;
  toAnswer: (reply: Success, context: RequestContext, prepared: Prepared) => MaybePromise<Answer>;
}

/** Sends one query to the owner of a player. */
interface QueryAction<T, Prepared> {
  kind: 'query';
  toQuery: (input: T, context: RequestContext) => (Prepared & Addressed<QueryBody>) | Failure;
  toAnswer: (reply: Success, context: RequestContext, prepared: Prepared) => MaybePromise<Answer>;
}

/** Where an input names the player whose rows are read. */
export interface PlayerPlace<T> {
  of: (input: T) => string | undefined;
  put: (input: T, playerId: string) => T;
}

/** Runs one query on ClickHouse. Without an answer it is SERVICE_UNAVAILABLE. */
interface AnalyticsAction<T, Prepared, Result> {
  kind: 'analytics';
  /** The player that the question is about, if the input names one: rows of a guest are its account's. */
  about?: PlayerPlace<T>;
  /** The question, wrapped so that it differs from a failure. */
  toQuestion: (input: T, context: RequestContext) => { kind: 'question'; question: Prepared } | Failure;
  read: (analytics: Services['analytics'], question: Prepared) => Promise<QueryResult<Result>>;
  /** The stream whose rows are read; default: FACTS. */
  rowsOf?: 'RECORDS' | 'AUDIT';
  toAnswer: (result: Result, question: Prepared, context: RequestContext) => Answer;
}

/** Writes one definition to the CONFIG bucket (definition-writes.ts). */
export interface WriteAction<T, Result> {
  kind: 'write';
  write: (input: T, context: WriteContext) => MaybePromise<Result | Failure>;
  toAnswer: (written: Result, context: RequestContext, input: T) => Answer;
  /** The conditions in the body, for warnings about unknown names in the response. */
  warned?: ((input: T) => readonly WarnedConditions[]) | undefined;
}

/** Answers from the definitions that this node holds in memory. */
interface ConfigAction<T> {
  kind: 'config';
  read: (input: T, context: RequestContext) => Answer;
}

/** Calls another port of the service: the scorer, webhook operations, stream tokens, the progress of segments. */
interface ServiceAction<T> {
  kind: 'service';
  call: (input: T, context: RequestContext) => MaybePromise<Answer>;
}

/** Decides about a change that another route makes. */
interface DecideAction<T> {
  kind: 'decide';
  decide: (input: T, context: DecideContext) => Promise<Answer>;
}

/** Sends several commands or queries, because one request is about several players or pages. */
interface SeveralAction<T> {
  kind: 'several';
  handle: (input: T, context: RequestContext) => Promise<Answer>;
}

/** Opens an event stream. */
interface StreamAction<T> {
  kind: 'stream';
  toLiveRequest: (input: T, context: RequestContext) => Promise<LiveRequest | Failure>;
}

/** Opens a stream of changed flags. */
interface ChangesAction<T> {
  kind: 'changes';
  toChangesRequest: (input: T, context: RequestContext) => ChangesRequest;
}

/** Performs an action. Rejects or throws only for a bug. */
export function act<T, Prepared, Result>(
  action: Action<T, Prepared, Result>,
  input: T,
  context: RequestContext,
): MaybePromise<Outcome> {
  switch (action.kind) {
    case 'command': {
      const prepared = action.toCommand(input, context);
      if (prepared instanceof Promise) return prepared.then((command) => send(action, command, context));
      return send(action, prepared, context);
    }
    case 'query':
      return runQuery(action, action.toQuery(input, context), context);
    case 'analytics':
      return analyse(action, input, context);
    case 'write':
      return write(action, input, context);
    case 'config':
      return action.read(input, context);
    case 'service':
      return action.call(input, context);
    case 'decide': {
      const { writes, perform } = context;
      if (writes === undefined || perform === undefined) throw new Error('the gateway gave no way to decide');
      return action.decide(input, { ...context, writes, perform });
    }
    case 'several':
      return action.handle(input, context);
    case 'stream': {
      return action
        .toLiveRequest(input, context)
        .then((request) => ('kind' in request ? request : { kind: 'stream', request }));
    }
    case 'changes':
      return { kind: 'changes', request: action.toChangesRequest(input, context) };
  }
}

function send<T, Prepared>(
  action: CommandAction<T, Prepared>,
  command: (Prepared & Addressed<CommandBody>) | Failure,
  context: RequestContext,
): MaybePromise<Answer> {
  if (command.kind === 'failure') return command;
  return context.services.backend
    .send(context.origin, command.playerId, command.body)
    .then((reply) => (reply.kind === 'failure' ? reply : action.toAnswer(reply, context, command)));
}

function runQuery<T, Prepared>(
  action: QueryAction<T, Prepared>,
  query: (Prepared & Addressed<QueryBody>) | Failure,
  context: RequestContext,
): MaybePromise<Answer> {
  if (query.kind === 'failure') return query;
  return context.services.backend
    .query(context.origin, query.playerId, query.body)
    .then((reply) => (reply.kind === 'failure' ? reply : action.toAnswer(reply, context, query)));
}

async function analyse<T, Prepared, Result>(
  action: AnalyticsAction<T, Prepared, Result>,
  input: T,
  context: RequestContext,
): Promise<Answer> {
  const asked = action.about === undefined ? input : await aboutAccount(action.about, input, context);
  if (isFailure(asked)) return asked;
  const prepared = action.toQuestion(asked, context);
  if (prepared.kind === 'failure') return prepared;
  const { question } = prepared;
  // Read before the rows: what is inserted meanwhile may be in the answer or not.
  const asOf = await context.services.freshness.rowsAsOf(action.rowsOf ?? 'FACTS');
  const found = await action.read(context.services.analytics, question);
  if (found.kind === 'unavailable') return clickHouseUnavailable();
  const shown = action.toAnswer(found.value, question, context);
  return shown.kind === 'json' ? { ...shown, freshAsOf: asOf?.asOfMs } : shown;
}

/** The input about the account that its player was merged into. */
async function aboutAccount<T>(
  { of, put }: PlayerPlace<T>,
  input: T,
  { origin, services }: RequestContext,
): Promise<T | Failure> {
  const named = of(input)?.toLowerCase();
  if (named === undefined) return input;
  const account = await services.merges.accountOf(origin, named);
  if (account.kind === 'failure') return account;
  return account.playerId === named ? input : put(input, account.playerId);
}

async function write<T, Result>(action: WriteAction<T, Result>, input: T, context: RequestContext): Promise<Answer> {
  const { writes } = context;
  if (writes === undefined) throw new Error('the gateway gave no way to write');
  const written = context.services.writeRefusal() ?? (await action.write(input, { ...context, writes }));
  if (isFailure(written)) return written;
  const shown = action.toAnswer(written, context, input);
  const { game, environment } = context.key;
  const warnings =
    action.warned === undefined
      ? []
      : await context.services.nameWarnings.of({ game, environment }, action.warned(input));
  if (warnings.length === 0 || shown.kind !== 'json') return shown;
  return { ...shown, data: `${shown.data.slice(0, -1)},"warnings":${JSON.stringify(warnings)}}` };
}
