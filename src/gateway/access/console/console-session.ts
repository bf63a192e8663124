import { timingSafeEqual } from 'node:crypto';
import type { HttpRequest } from 'uWebSockets.js';
import type { ConfigStore } from '../../../../streams/config/config-store.ts';
import { gameAddress } from '../../../../streams/config/games.ts';
import { roleIn } from '../../../../streams/config/people/user-roles.ts';
import { tokenIn, userAddress, userIdIn } from '../../../../streams/config/people/users.ts';
import type { ApiKey } from '../../../access/api-key.ts';
import type { SignedIn } from '../../../api/route/route.ts';
import { csrfOf, PLAIN_COOKIE, SECURE_COOKIE } from '../../../api/console/sign-in/session-cookie.ts';
import type { Clock } from '../../../../core/kernel/clock.ts';
import { failure, type Failure } from '../../../../core/kernel/errors.ts';
import { GATEWAY_LIMITS } from '../../limits.ts';
import { cookieValue } from '../../http/read/header-values.ts';
import { pageChannelOf } from './page-channel.ts';

/*
 * Requests of people who are signed in to the console. A session's token is in a cookie that scripts cannot read.
 *
 * Invariants
 * 1. A request that changes something counts only with the session's CSRF token and from the service's own origin.
 * 2. A session acts in the game and environment that the request names, with the user's role there.
 */

export interface ConsoleSessions {
  /** The user of a request; undefined if it has no cookie of a session. A failure names why the session is refused. */
  read(req: HttpRequest): SignedIn | Failure | undefined;
  /** The user of the browser's earlier session during a sign-in, whose request may have no CSRF token yet. */
  before(req: HttpRequest): SignedIn | undefined;
  /** The same as a caller of the API: a server key of the game and environment that the request names. */
  callerOf(req: HttpRequest): ApiKey | Failure | undefined;
  /** Whether a session is still valid and its user still has the role. True for API keys. */
  holds(key: ApiKey): boolean;
  /** The same for requests about a person. */
  holdsSession(signedIn: SignedIn): boolean;
}

export function createConsoleSessions(config: ConfigStore, clock: Pick<Clock, 'wallMs'>): ConsoleSessions {
  function find(token: string): SignedIn | undefined {
    const id = userIdIn(token, 'session');
    const user = id === undefined ? undefined : config.get(userAddress(id))?.document;
    const session = user === undefined ? undefined : tokenIn(user, 'session', token, clock);
    if (user === undefined || session === undefined) return undefined;
    return { user, session, csrf: csrfOf(token) };
  }

  function tokenOf(req: HttpRequest): string | undefined {
    const cookies = cookiesOf(req);
    const channel = pageChannelOf(req);
    // A page that was loaded without TLS may be anybody's, whatever host it names.
    if (channel === 'open') return undefined;
    // Another host of the domain could plant the other cookie, and have people work in a session of its own.
    return (
      cookieValue(cookies, SECURE_COOKIE) ?? (channel === 'local' ? cookieValue(cookies, PLAIN_COOKIE) : undefined)
    );
  }

  function read(req: HttpRequest): SignedIn | Failure | undefined {
    if (!isSameOrigin(req)) return hasSession(req) ? CROSS_SITE : undefined;
    const token = tokenOf(req);
    if (token === undefined) return undefined;
    const found = find(token);
    if (found === undefined) return SESSION_ENDED;
    return isSafe(req) || isEqual(req.getHeader('x-csrf-token'), found.csrf) ? found : NO_CSRF_TOKEN;
  }

  function isOpen(id: string, sessionHash: string): boolean {
    const sessions = config.get(userAddress(id))?.document.sessions ?? [];
    return sessions.some(({ hash, expiresAt }) => hash === sessionHash && expiresAt > clock.wallMs());
  }

  return {
    read,
    before: (req) => find(tokenOf(req) ?? ''),
    callerOf(req) {
      const signedIn = read(req);
      if (signedIn === undefined || 'code' in signedIn) return signedIn;
      const { user, session } = signedIn;
      const game = req.getHeader('x-game');
      const environment = req.getHeader('x-environment');
      if (environment !== 'live' && environment !== 'test') return NO_SCOPE;
      const held = config.get(gameAddress(game))?.document;
      const role = roleIn(user, game, environment);
      // Whether a game exists is not told to those without a role in it.
      if (held === undefined || role === undefined) return failure('FORBIDDEN', noRole(environment));
      const { tenant, namespace } = held;
      return {
        id: user.id,
        kind: 'server',
        tier: 'growth',
        game,
        environment,
        limitPerMinute: GATEWAY_LIMITS.userRequestsPerMinute,
        scopes: new Set(),
        requiresPlayerToken: false,
        tenant,
        namespace,
        user: { email: user.email, role, session: session.hash },
      };
    },
    holds({ id, user, game, environment }) {
      if (user === undefined) return true;
      const held = config.get(userAddress(id))?.document;
      return held !== undefined && roleIn(held, game, environment) === user.role && isOpen(id, user.session);
    },
    holdsSession: ({ user, session }) => isOpen(user.id, session.hash),
  };
}

/**
 * Whether no page of another origin sent a request. Browsers send at least one of both headers with requests that
 * change something; other clients may leave them out.
 */
export function isSameOrigin(req: Pick<HttpRequest, 'getHeader'>): boolean {
  const site = req.getHeader('sec-fetch-site');
  if (site !== '' && site !== 'same-origin' && site !== 'none') return false;
  const origin = req.getHeader('origin');
  return origin === '' || hostOf(origin) === req.getHeader('host').toLowerCase();
}

/** The cookies of a request; empty if they are too long. */
export function cookiesOf(req: HttpRequest): string {
  const cookies = req.getHeader('cookie');
  return cookies.length > GATEWAY_LIMITS.cookieLength ? '' : cookies;
}

const hasSession = (req: HttpRequest): boolean =>
  [SECURE_COOKIE, PLAIN_COOKIE].some((name) => cookieValue(cookiesOf(req), name) !== undefined);

function isSafe(req: HttpRequest): boolean {
  const method = req.getMethod();
  return method === 'get' || method === 'head';
}

function hostOf(origin: string): string {
  const start = origin.indexOf('://');
  return start === -1 ? '' : origin.slice(start + 3).toLowerCase();
}

function isEqual(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a, 'latin1'), Buffer.from(b, 'latin1'));
}

export const SESSION_ENDED = failure('UNAUTHORIZED', 'The session has ended. Sign in again.');
export const ACCESS_CHANGED = failure(
  'UNAUTHORIZED',
  'The session has ended, or its role has changed, while the request arrived. Send it again.',
);
const CROSS_SITE = failure('FORBIDDEN', 'Requests with a session must come from the console’s own origin.');
const NO_CSRF_TOKEN = failure(
  'FORBIDDEN',
  'Changes with a session need the header X-CSRF-Token. `GET /v1/console/me` answers its value.',
);
const NO_SCOPE = failure(
  'FORBIDDEN',
  'Requests with a session name their game in X-Game, and `live` or `test` in X-Environment.',
);
const noRole = (environment: string): string => `You have no role in this game’s ${environment} environment.`;
