import type { OnlyPlayer } from '../../api/route/request-context.ts';
import { STREAM_TOKEN_REFUSED } from '../../access/stream-tokens.ts';
import { ACCESS_CHANGED } from '../access/console/console-session.ts';
import { forbidden } from '../access/console/permission.ts';
import { KEY_MISSING, noKey } from '../access/keys/no-key.ts';
import { writeKeysIn, writeKeyTextOf } from '../access/keys/write-keys.ts';
import { limited } from '../access/limits/metered-request.ts';
import { keyTextOf } from '../http/read/request-head.ts';
import type { Call, WithBytes, WithKey } from './call.ts';

/* Steps that find who sends a request, and whether that caller may send it. */

/** Where the key of a request is: in its head if there is one, or a stream token, or in the body. */
export function placeOfKey(call: Call): 'head' | 'token' | 'body' {
  const { writeKeys, streamTokens } = call.route.auth;
  if ((writeKeys !== true && streamTokens !== true) || keyTextIn(call) !== '') return 'head';
  if (tokenIn(call) !== '') return 'token';
  return writeKeys === true && call.reader.takesBody ? 'body' : 'head';
}

/** The text of a key in the head of a request; empty if none was sent. */
function keyTextIn({ route, exchange, reader, req }: Call): string {
  return route.auth.writeKeys === true ? writeKeyTextOf(exchange.headers, reader, req) : keyTextOf(exchange.headers);
}

/** A stream token in the query; empty if none was sent. */
export const tokenIn = ({ route, req }: Call): string =>
  route.auth.streamTokens === true ? (req.getQuery('token') ?? '') : '';

/** The key in the head, or else the session of a person. */
export function keyInHead<C extends Call>(call: C) {
  const { deps, exchange, req } = call;
  const text = keyTextIn(call);
  const key = text === '' ? deps.consoleSessions.callerOf(req) : deps.keyRing.find(text);
  if (key === undefined) return noKey(exchange.headers, text);
  return 'code' in key ? key : Object.assign(call, { key });
}

/** The key in a received body. The body is parsed only after the key is verified. */
export function keyInBody<C extends Call & WithBytes>(call: C) {
  for (const text of writeKeysIn(call.bytes)) {
    const key = call.deps.keyRing.find(text);
    if (key !== undefined) return Object.assign(call, { key });
  }
  return KEY_MISSING;
}

/** The key that made the stream token. */
export function keyOfToken<C extends Call>(call: C) {
  const { keyRing, services } = call.deps;
  const key = keyRing.findById(services.streamTokens.keyIdOf(tokenIn(call)) ?? '');
  return key === undefined ? STREAM_TOKEN_REFUSED : Object.assign(call, { key });
}

/** The permission of whoever has a stream token, for all players. */
export function permitted<C extends Call & WithKey>(call: C) {
  return forbidden(call.route, call.key) ?? Object.assign(call, { player: undefined });
}

/**
 * Player token, permission and rate limit. The token is checked before the limit, because a proven player counts as a
 * separate caller; a bad token is refused after the limit.
 */
export function admitted<C extends Call & WithKey>(call: C) {
  const { deps, route, key, exchange, network } = call;
  const playerToken = key.kind === 'client' ? exchange.headers.playerToken : '';
  // A sender of many bad tokens is rate limited before the signature is checked, which takes 11 to 35 µs.
  const countedFirst = deps.playerTokens.isSuspect(playerToken, network);
  const refused = (player?: OnlyPlayer) =>
    forbidden(route, key) ?? limited(deps, route, key, player, exchange, network);
  const early = countedFirst ? refused() : undefined;
  if (early !== undefined) return early;
  const checked = deps.playerTokens.check(key, playerToken);
  const bad = checked !== undefined && 'code' in checked ? checked : undefined;
  const player = checked !== undefined && 'code' in checked ? undefined : checked;
  // A request with a bad token counts against the limit before it is refused.
  const denied = countedFirst ? undefined : refused(player);
  if (bad !== undefined && playerToken !== '' && exchange.caller !== undefined)
    deps.playerTokens.noteBad(exchange.caller);
  return denied ?? bad ?? Object.assign(call, { player });
}

/** Whether a person still has access: the body may have taken its time. */
export function stillAllowed<C extends Call & WithKey>(call: C) {
  return call.deps.consoleSessions.holds(call.key) ? call : ACCESS_CHANGED;
}
