import type { ApiKey } from '../../../access/api-key.ts';
import { isMetered } from '../../../api/route/metering.ts';
import type { OnlyPlayer } from '../../../api/route/request-context.ts';
import type { KeyedRoute } from '../../../api/route/route.ts';
import { type ErrorCode, failure, type Failure } from '../../../../core/kernel/errors.ts';
import type { Exchange } from '../../http/exchange.ts';
import type { RateLimiter } from './rate-limiter.ts';

/* Counts requests against the rate limit of their key and the share of their caller. */

interface Deps {
  readonly limiter: RateLimiter;
}

/**
 * Counts the request against the key's tier, and with a client key against its caller as well. Unmetered keys are not
 * counted and get no RateLimit headers.
 */
export function limited(
  deps: Deps,
  route: KeyedRoute,
  key: ApiKey,
  player: OnlyPlayer | undefined,
  exchange: Exchange,
  network: () => string,
): Failure | undefined {
  // Streams of changed flags are shared among the callers of any client key, requests among those of a limited one.
  const isShared = route.actionKind === 'changes' || key.limitPerMinute !== null;
  if (key.kind === 'client' && isShared) {
    // A player proven by a token is a caller; a player that a request only names could be invented.
    exchange.caller = player?.playerId ?? network();
  }
  return counted(deps, route, key, exchange);
}

/** @param requests how many requests it counts as */
export function counted(
  deps: Deps,
  route: KeyedRoute,
  key: ApiKey,
  exchange: Exchange,
  requests = 1,
): Failure | undefined {
  if (key.limitPerMinute === null || !isMetered(route, key.kind)) return undefined;
  exchange.rate = deps.limiter.take(key.id, key.limitPerMinute, exchange.caller, requests);
  return exchange.rate.allowed ? undefined : failure('RATE_LIMIT_EXCEEDED');
}

/** Failures that a caller causes on purpose or by a bug: they count twice. */
const MALFORMED: ReadonlySet<ErrorCode> = new Set(['VALIDATION_ERROR', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']);

export function countMalformed(deps: Deps, key: ApiKey, { caller }: Exchange, code: ErrorCode): void {
  if (caller !== undefined && MALFORMED.has(code)) deps.limiter.penalize(key.id, caller);
}
