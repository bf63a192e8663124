import { RESPONSE_HEADERS } from '../../api/route/response-headers.ts';
import type { Route } from '../../api/route/route.ts';
import { HTTP_LIMITS } from './limits.ts';

/** Decides which origins may read responses in a browser. */
export interface Cors {
  /** The value of Access-Control-Allow-Origin for a request of this origin; undefined: none. */
  allowOrigin(origin: string): string | undefined;
  /** Whether responses depend on the origin and need `Vary: Origin`. */
  readonly varies: boolean;
}

/** @param origins allowed origins; `*` allows all */
export function createCors(origins: readonly string[]): Cors {
  const any = origins.includes('*');
  const allowed = new Set(origins);
  return {
    allowOrigin: (origin) => (any ? '*' : allowed.has(origin) ? origin : undefined),
    varies: !any,
  };
}

/** Whether browsers may call a route. One with keys must allow a client key or a stream token. */
export function isForBrowsers(route: Route): boolean {
  if (route.kind === 'open') return route.forBrowsers === true;
  // The console is of the service's own origin.
  if (route.kind === 'console') return false;
  return route.auth.keys.includes('client') || route.auth.streamTokens === true;
}

export const EXPOSED_HEADERS = Object.keys(RESPONSE_HEADERS).join(', ');

/** Request headers that a browser may send. Browsers may cache a preflight for a day. */
const PREFLIGHT_HEADERS =
  'Content-Type, Content-Encoding, X-API-Key, Authorization, X-Player-Token, Idempotency-Key, If-None-Match, ' +
  'If-Match, Last-Event-ID';

/**
 * The request headers that a preflight allows. Third-party clients send headers of their own, which differ by version
 * and are ignored, so their routes allow what the browser asks for.
 * @param asked Access-Control-Request-Headers
 */
export function preflightHeaders(routes: readonly Route[], asked: string): string {
  const isOpen = routes.some((route) => route.lenientBody === true);
  return isOpen && asked !== '' && asked.length <= HTTP_LIMITS.preflightHeadersLength ? asked : PREFLIGHT_HEADERS;
}

export const PREFLIGHT_SECONDS = 86_400;
