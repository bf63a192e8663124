import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import type { AuditTrail } from '../../streams/audit/audit-trail.ts';
import type { LiveRequest } from '../../streams/live-feed.ts';
import type { OnlyPlayer, RequestContext, Services } from '../api/route/request-context.ts';
import type { Outcome } from '../api/route/answer.ts';
import type { ChangesRequest } from '../api/flags/evaluate/changes-request.ts';
import { invalid, type KeyedRoute, type OpenRoute } from '../api/route/route.ts';
import { failure, type Failure, type FieldFault } from '../../core/kernel/errors.ts';
import type { Logger } from '../../core/kernel/logger.ts';
import { type AuditedRequests, NO_DUTIES } from './access/audited-request.ts';
import type { CallerAddresses } from '../../core/kernel/caller-address.ts';
import { networkOf } from './access/limits/network-of.ts';
import { ACCESS_CHANGED, type ConsoleSessions } from './access/console/console-session.ts';
import { type Exchange, respond } from './http/exchange.ts';
import type { KeyRing } from './access/keys/key-ring.ts';
import { readQuery } from './http/read/query-string.ts';
import { counted, countMalformed, limited } from './access/limits/metered-request.ts';
import { KEY_MISSING, noKey } from './access/keys/no-key.ts';
import { forbidden } from './access/console/permission.ts';
import type { PlayerTokens } from './access/keys/player-tokens.ts';
import type { RateLimiter } from './access/limits/rate-limiter.ts';
import { senderOf } from './http/fair-memory.ts';
import type { BodyOutcome, BodyReader } from './http/read/request-body.ts';
import {
  type BodyRoute,
  decodeParams,
  keyTextOf,
  rawParams,
  readHead,
  type RequestHead,
  type RouteReader,
} from './http/read/request-head.ts';
import { openStream, type StreamKind, type StreamRegistry } from './sse/stream-registry.ts';
import type { ApiKey } from '../access/api-key.ts';
import { openBodyStream } from '../api/input/body-stream.ts';
import { addBody, mostBytesOf, type OwnContext, tooLarge, wholeBody } from './read-body.ts';
import { writeKeysIn, writeKeyTextOf } from './access/keys/write-keys.ts';
import { STREAM_TOKEN_REFUSED } from '../access/stream-tokens.ts';

export interface PipelineDeps {
  services: Services;
  keyRing: KeyRing;
  consoleSessions: ConsoleSessions;
  playerTokens: PlayerTokens;
  limiter: RateLimiter;
  audited: AuditedRequests;
  /** For what people do to themselves and to each other. */
  trail: AuditTrail;
  callers: CallerAddresses;
  bodies: BodyReader;
  /** Bodies that are read while they arrive. */
  uploads: Pick<StreamRegistry, 'add'>;
  eventStreams: StreamKind<LiveRequest>;
  changeStreams: StreamKind<ChangesRequest>;
  logger: Logger;
}

/** Runs a route that needs no key. */
export function runOpenRoute(deps: PipelineDeps, route: OpenRoute, exchange: Exchange, req: HttpRequest): void {
  // These are public documents and probes: monitoring adds parameters of its own.
  const query = readQuery(req.getQuery() ?? '', route.input.query?.properties ?? {}, () => {});
  const negotiation = {
    acceptEncoding: req.getHeader('accept-encoding'),
    ifNoneMatch: req.getHeader('if-none-match'),
  };
  complete(deps, exchange, undefined, () => route.respond(deps.services, query, negotiation));
}

/**
 * The steps of a keyed request, in order: key, player token, permission, rate limit, headers and parameters, body,
 * validation, route. The token is checked before the limit, because a proven player counts as a separate caller; a bad
 * token is refused after the limit. Each step may respond and end the request. `req` is valid only until this returns.
 */
export function runKeyedRoute(
  deps: PipelineDeps,
  route: KeyedRoute,
  reader: RouteReader,
  exchange: Exchange,
  res: HttpResponse,
  req: HttpRequest,
): void {
  const { failures } = route;
  exchange.invalidStatus = route.invalidStatus;
  if (failures !== undefined) {
    const raw = rawParams(reader.params, req);
    exchange.failureShape = (failure) => failures.toAnswer(failure, decodeParams(reader.params, raw, []));
  }
  const { headers } = exchange;
  const text = route.auth.writeKeys === true ? writeKeyTextOf(headers, reader, req) : keyTextOf(headers);
  const token = text === '' && route.auth.streamTokens === true ? (req.getQuery('token') ?? '') : '';
  if (token !== '') return runWithToken(deps, reader, exchange, req, token);
  if (text === '' && route.auth.writeKeys === true && reader.takesBody) {
    return runWithKeyInBody(deps, reader, exchange, res, req);
  }
  const key = text === '' ? deps.consoleSessions.callerOf(req) : deps.keyRing.find(text);
  if (key === undefined) return respond(exchange, noKey(headers, text));
  if ('code' in key) return respond(exchange, key);
  const admitted = admit(deps, route, key, exchange, () => networkOf(deps.callers, res, req));
  if (admitted.kind === 'failure') return respond(exchange, admitted);
  // Everything except the key is parsed only after the key is verified.
  const head = readHead(reader, exchange.headers, req, exchange.ignored);
  const fault = faultOf(head, exchange, route);
  if (fault !== undefined) {
    countMalformed(deps, key, exchange, fault.code);
    return respond(exchange, fault);
  }
  const context = contextOf(deps, key, admitted.player, exchange);
  deps.audited.attach(route, context, () => networkOf(deps.callers, res, req));
  if (route.streamedBody !== undefined) {
    runWithStream(deps, route, head, context, exchange, res);
    return;
  }
  if (route.input.body === undefined && head.idempotencyKey === '') {
    complete(deps, exchange, key, () => route.run(head.input, context));
    return;
  }
  exchange.release = deps.bodies.read(res, senderOf(key, exchange.caller), (outcome) => {
    if (exchange.open) complete(deps, exchange, key, () => onBody(deps, route, head, context, outcome, exchange));
  });
}

/** Runs a route that reads its body while it arrives. A body that was not read to its end ends the connection. */
function runWithStream(
  deps: PipelineDeps,
  route: KeyedRoute,
  head: RequestHead,
  context: OwnContext,
  exchange: Exchange,
  res: HttpResponse,
): void {
  const body = openBodyStream(res, deps.services.clock, route.streamedBody?.mostBytes ?? 0);
  // A body that arrives for minutes ends with the access of its sender.
  const forget = deps.uploads.add(context.key, undefined, () => {
    if (!exchange.gone) res.close();
  });
  exchange.release = () => {
    forget();
    body.release();
  };
  context.body = body;
  complete(deps, exchange, context.key, async () => {
    const outcome = await route.run(head.input, context);
    await body.discard();
    if (!body.complete) exchange.lastOnConnection = true;
    return body.tooLarge ? tooLarge(route) : outcome;
  });
}

/**
 * The steps of a request whose key is in its body. The body is received and inflated without a key, within a
 * bound of its own for all of them; it is parsed only after the key is verified.
 */
function runWithKeyInBody(
  deps: PipelineDeps,
  reader: RouteReader,
  exchange: Exchange,
  res: HttpResponse,
  req: HttpRequest,
): void {
  const { route } = reader;
  const network = networkOf(deps.callers, res, req);
  const head = readHead(reader, exchange.headers, req, exchange.ignored);
  const fault = faultOf(head, exchange, reader.route);
  if (fault !== undefined) return respond(exchange, fault);
  let found: ApiKey | undefined;
  const step = (outcome: BodyOutcome): Outcome | Promise<Outcome> | undefined => {
    const body = wholeBody(route, head, outcome, exchange);
    if (body?.kind !== 'whole') return body;
    for (const text of writeKeysIn(body.bytes)) found ??= deps.keyRing.find(text);
    if (found === undefined) return KEY_MISSING;
    const admitted = admit(deps, route, found, exchange, () => network);
    if (admitted.kind === 'failure') return admitted;
    const context = contextOf(deps, found, admitted.player, exchange);
    return runWithBody(deps, route, head, context, body.bytes, exchange);
  };
  exchange.release = deps.bodies.read(res, { game: '', caller: network }, (outcome) => {
    if (exchange.open)
      complete(
        deps,
        exchange,
        () => found,
        () => step(outcome),
      );
  });
}

/**
 * Checks player token, permission and rate limit of a request with a known key.
 * @param network the caller's network
 */
function admit(
  deps: PipelineDeps,
  route: KeyedRoute,
  key: ApiKey,
  exchange: Exchange,
  network: () => string,
): { kind: 'admitted'; player: OnlyPlayer | undefined } | Failure {
  const playerToken = key.kind === 'client' ? exchange.headers.playerToken : '';
  // A sender of many bad tokens is rate limited before the signature is checked, which takes 11 to 35 µs.
  const countedFirst = deps.playerTokens.isSuspect(playerToken, network);
  const admitted = (player?: OnlyPlayer) =>
    forbidden(route, key) ?? limited(deps, route, key, player, exchange, network);
  const early = countedFirst ? admitted() : undefined;
  if (early !== undefined) return early;
  const checked = deps.playerTokens.check(key, playerToken);
  const bad = failureIn(checked);
  const player = checked !== undefined && 'code' in checked ? undefined : checked;
  // A request with a bad token counts against the limit before it is refused.
  const denied = (countedFirst ? undefined : admitted(player)) ?? bad;
  if (bad !== undefined && playerToken !== '' && exchange.caller !== undefined)
    deps.playerTokens.noteBad(exchange.caller);
  return denied ?? { kind: 'admitted', player };
}

/**
 * The steps of a request with a stream token. An invalid request does not use up the token. Only valid tokens count
 * against the key's rate limit, because everyone who sees a token also sees the id of its key.
 */
function runWithToken(
  deps: PipelineDeps,
  reader: RouteReader,
  exchange: Exchange,
  req: HttpRequest,
  token: string,
): void {
  const { route } = reader;
  const { services, keyRing } = deps;
  const key = keyRing.findById(services.streamTokens.keyIdOf(token) ?? '');
  if (key === undefined) return respond(exchange, STREAM_TOKEN_REFUSED);
  const head = readHead(reader, exchange.headers, req, exchange.ignored);
  const fault = forbidden(route, key) ?? faultOf(head, exchange, route);
  if (fault !== undefined) return respond(exchange, fault);
  complete(deps, exchange, key, async () => {
    const outcome = await route.run(head.input, contextOf(deps, key, undefined, exchange));
    // A request with a fault does not use up the token.
    if (outcome.kind !== 'stream') return outcome;
    const refused = await services.streamTokens.redeem(token);
    if (refused !== undefined) return refused;
    if (keyRing.findById(key.id) === undefined) return STREAM_TOKEN_REFUSED;
    return counted(deps, route, key, exchange) ?? outcome;
  });
}

function contextOf(
  { services }: PipelineDeps,
  key: ApiKey,
  player: RequestContext['player'],
  exchange: Exchange,
): OwnContext {
  return {
    services,
    key,
    player,
    origin: { game: key.game, environment: key.environment, receivedAt: services.clock.wallMs(), by: key.kind },
    idempotency: undefined,
    body: undefined,
    faults: NO_FAULTS,
    ignored: exchange.ignored,
    ...NO_DUTIES,
  };
}

const NO_FAULTS: readonly FieldFault[] = [];

function failureIn(checked: OnlyPlayer | Failure | undefined): Failure | undefined {
  return checked !== undefined && 'code' in checked ? checked : undefined;
}

export function faultOf(head: RequestHead, { headers }: Exchange, route: BodyRoute): Failure | undefined {
  if (head.faults.length > 0) return invalid(head.faults);
  if (headers.framing.contentLength > mostBytesOf(route)) return tooLarge(route);
  if (head.refused === undefined) return undefined;
  if (head.refused === 'type') return failure('UNSUPPORTED_MEDIA_TYPE');
  return failure('UNSUPPORTED_MEDIA_TYPE', route.streamedBody === undefined ? WRONG_ENCODING : STREAMED_ENCODING);
}

const WRONG_ENCODING = 'Content-Encoding must be gzip or identity.';
const STREAMED_ENCODING = 'This body must have no Content-Encoding: unpack it first.';

function onBody(
  deps: PipelineDeps,
  route: KeyedRoute,
  head: RequestHead,
  context: OwnContext,
  outcome: BodyOutcome,
  exchange: Exchange,
): Outcome | Promise<Outcome> | undefined {
  const body = wholeBody(route, head, outcome, exchange);
  if (body?.kind !== 'whole') return body;
  return runWithBody(deps, route, head, context, body.bytes, exchange);
}

/** Parses the body and runs the route. A body that counts as several requests is counted before it is validated. */
function runWithBody(
  deps: PipelineDeps,
  route: KeyedRoute,
  head: RequestHead,
  context: OwnContext,
  bytes: Buffer,
  exchange: Exchange,
): Outcome | Promise<Outcome> {
  // The body may have taken its time.
  if (!deps.consoleSessions.holds(context.key)) return ACCESS_CHANGED;
  const fault = addBody(route, head, context, bytes);
  if (fault !== undefined) return fault;
  const requests = route.requestsOf?.(head.input.body) ?? 1;
  const refused = requests > 1 ? counted(deps, route, context.key, exchange, requests - 1) : undefined;
  return refused ?? route.run(head.input, context);
}

/**
 * Runs the last step and writes its outcome. An exception is a bug: 500, logged with the request id.
 * @param key a function if the step finds it
 */
export function complete(
  deps: PipelineDeps,
  exchange: Exchange,
  key: ApiKey | undefined | (() => ApiKey | undefined),
  step: () => Outcome | Promise<Outcome> | undefined,
): void {
  const onBug = (error: unknown): void => {
    deps.logger.error({ err: error, request_id: exchange.requestId }, 'a request failed because of a bug');
    respond(exchange, failure('INTERNAL_ERROR'));
  };
  const onOutcome = (outcome: Outcome | undefined): void => {
    try {
      conclude(deps, exchange, typeof key === 'function' ? key() : key, outcome);
    } catch (error) {
      onBug(error);
    }
  };
  try {
    const outcome = step();
    if (outcome instanceof Promise) outcome.then(onOutcome, onBug);
    else onOutcome(outcome);
  } catch (error) {
    onBug(error);
  }
}

function conclude(deps: PipelineDeps, exchange: Exchange, key: ApiKey | undefined, outcome: Outcome | undefined): void {
  if (outcome === undefined || !exchange.open) return;
  if (outcome.kind === 'failure' && key !== undefined) countMalformed(deps, key, exchange, outcome.code);
  if (outcome.kind !== 'stream' && outcome.kind !== 'changes') respond(exchange, outcome);
  else if (key === undefined) return;
  else if (!deps.consoleSessions.holds(key)) respond(exchange, ACCESS_CHANGED);
  else if (outcome.kind === 'stream') openStream(deps.eventStreams, exchange, key, outcome.request);
  else openStream(deps.changeStreams, exchange, key, outcome.request);
}
