import type { HttpRequest, HttpResponse } from 'uWebSockets.js';
import { boundedTexts } from '../../streams/audit/bounded-texts.ts';
import { type ConsoleContext, type ConsoleRoute, invalid } from '../api/route/route.ts';
import { cookieValue } from './http/read/header-values.ts';
import { GATEWAY_LIMITS } from './limits.ts';
import { failure } from '../../core/kernel/errors.ts';
import { isSameOrigin, SESSION_ENDED } from './access/console/console-session.ts';
import { pageChannelOf } from './access/console/page-channel.ts';
import { type Exchange, respond } from './http/exchange.ts';
import { readHead, type RouteReader } from './http/read/request-head.ts';
import { addBody, type OwnContext, wholeBody } from './read-body.ts';
import { networkOf } from './access/limits/network-of.ts';
import { complete, faultOf, type PipelineDeps } from './request-pipeline.ts';

/**
 * The steps of a request about a person, in order: session, origin, headers and parameters, body, validation, route.
 * Without a session only sign-ins go on. `req` is valid only until this returns.
 */
export function runConsoleRoute(
  deps: PipelineDeps,
  reader: RouteReader<ConsoleRoute>,
  exchange: Exchange,
  res: HttpResponse,
  req: HttpRequest,
): void {
  const { route } = reader;
  // A page of another origin could sign a visitor in as another user.
  if (!isSameOrigin(req)) return respond(exchange, CROSS_SITE);
  const channel = pageChannelOf(req);
  if (channel === 'open') return respond(exchange, NOT_SECURE);
  const found = route.auth === 'none' ? deps.consoleSessions.before(req) : deps.consoleSessions.read(req);
  if (found !== undefined && 'code' in found) return respond(exchange, found);
  const head = readHead(reader, exchange.headers, req, exchange.ignored);
  const fault = faultOf(head, exchange, route);
  if (fault !== undefined) return respond(exchange, fault);
  const { limiter, services, trail } = deps;
  const network = networkOf(deps.callers, res, req);
  const cookies = req.getHeader('cookie');
  const context: ConsoleContext = {
    services,
    network,
    configAs: ({ id, email }) => deps.audited.writesAs({ actor: { kind: 'user', id, name: email }, network }),
    auditAs({ id, email }, { kind, action, shows }) {
      const { after } = boundedTexts(undefined, shows);
      const place = { game: '_', environment: '_', kind, key: '', action, playerId: '' } as const;
      return trail.begin({ actor: { kind: 'user', id, name: email }, network }, [{ ...place, before: '', after }]);
    },
    cookie: (name) => (cookies.length > GATEWAY_LIMITS.cookieLength ? undefined : cookieValue(cookies, name)),
    origin: exchange.headers.origin,
    secure: channel === 'tls',
    mayTry: (...bounds) => limiter.takeAll(bounds),
    failures: {
      isOver: (bounds) => limiter.isOver(bounds),
      add: (bounds) => limiter.count(bounds.map(([name]) => name)),
    },
    whenGone(callback) {
      if (exchange.gone) callback();
      else exchange.onGone = callback;
    },
  };
  if (route.input.body === undefined) {
    complete(deps, exchange, undefined, () => route.run(head.input, context, found));
    return;
  }
  // Anybody can send these bodies.
  exchange.release = deps.bodies.read(res, { game: '', caller: network }, (outcome) => {
    if (!exchange.open) return;
    complete(deps, exchange, undefined, () => {
      const body = wholeBody(route, head, outcome, exchange);
      if (body?.kind !== 'whole') return body;
      // The body may have taken its time.
      const isLost = route.auth !== 'none' && found !== undefined && !deps.consoleSessions.holdsSession(found);
      if (isLost) return SESSION_ENDED;
      const parsed: Pick<OwnContext, 'idempotency' | 'faults'> = { idempotency: undefined, faults: [] };
      const bad = addBody(route, head, parsed, body.bytes);
      if (bad !== undefined) return bad;
      return parsed.faults.length > 0 ? invalid([...parsed.faults]) : route.run(head.input, context, found);
    });
  });
}

const NOT_SECURE = failure(
  'FORBIDDEN',
  'This page was loaded without TLS, so others on the network could read the session. Open the console over https, or ' +
    'on the machine of the service as http://localhost.',
);
const CROSS_SITE = failure('FORBIDDEN', 'Sign in on the console’s own page; this request came from another origin.');
