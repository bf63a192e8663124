import { createHmac, timingSafeEqual } from 'node:crypto';
import { isPlainObject } from '../../../../core/kernel/validation/plain-object.ts';
import { BROKEN_ID, isBrokenId } from '../../../../core/kernel/text/broken-id.ts';
import { KEY_LIMITS } from './limits.ts';
import { ROUTE_LIMITS } from '../../../api/route/limits.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';

/** A player token: a game server's signed statement that its bearer is a player. Times are epoch milliseconds. */
export interface PlayerToken {
  kind: 'token';
  externalId: string;
  /** Start and end of its validity, including clock skew. */
  validFromMs: number;
  validUntilMs: number;
  /** The secret that signed it. */
  secret: string;
}

/** A refused token with the reason for its sender. */
export interface BadToken {
  kind: 'bad';
  reason: string;
}

/**
 * Verifies a player token: a JWT (RFC 7519) signed with HS256, with the claims `sub` (the player's external_id) and
 * `exp`; `nbf` and `iat` are optional. The header's `alg` does not select the algorithm: the signature is always
 * checked as HS256 before any part of the text is parsed. Pure; linear in the text, whose length is bounded.
 * @param secrets the game's secrets; any of them may have signed the token
 */
export function readPlayerToken(text: string, secrets: readonly string[]): PlayerToken | BadToken {
  if (text.length > ROUTE_LIMITS.playerTokenLength) {
    return bad(`has ${text.length} characters; the maximum is ${ROUTE_LIMITS.playerTokenLength}`);
  }
  const [header = '', payload = '', signature = '', ...more] = text.split('.', 4);
  if (signature === '' || more.length > 0) return bad('must be a JWT of three parts');
  const secret = signer(`${header}.${payload}`, signature, secrets);
  if (secret === undefined)
    return bad("must be signed with the game's secret for player tokens (HS256, in base64url without padding)");
  const protectedHeader = jsonObject(header);
  if (protectedHeader?.['alg'] !== 'HS256') return bad('must have the algorithm HS256 in its header');
  // `crit` lists extensions that a reader must support (RFC 7515, section 4.1.11), and none is supported.
  if (protectedHeader['crit'] !== undefined) return bad('must not have `crit` in its header');
  const claims = jsonObject(payload);
  if (claims === undefined) return bad('must hold a JSON object');
  return readClaims(claims, secret);
}

function readClaims({ sub, exp, nbf, iat }: Record<string, unknown>, secret: string): PlayerToken | BadToken {
  if (typeof sub !== 'string' || sub === '' || sub.length > TEXT_LIMITS.externalIdLength) {
    return bad('must have `sub`: the external_id of the player');
  }
  if (isBrokenId(sub)) return bad(`has a \`sub\` that ${BROKEN_ID}`);
  if (!isTime(exp)) return bad('must have `exp`: the time of its end, seconds since 1970');
  if ((nbf !== undefined && !isTime(nbf)) || (iat !== undefined && !isTime(iat))) {
    return bad('must have times in `nbf` and `iat`, where present');
  }
  const startS = Math.max(nbf ?? 0, iat ?? 0);
  return {
    kind: 'token',
    externalId: sub,
    validFromMs: startS * 1_000 - KEY_LIMITS.playerTokenSkewMs,
    validUntilMs: exp * 1_000 + KEY_LIMITS.playerTokenSkewMs,
    secret,
  };
}

function signer(signed: string, signature: string, secrets: readonly string[]): string | undefined {
  const given = Buffer.from(signature, 'base64url');
  // The decoder ignores invalid characters and the last two bits. Tokens are cached by text, so each must have one
  // text.
  if (given.toString('base64url') !== signature) return undefined;
  return secrets.find((secret) => {
    const expected = createHmac('sha256', secret).update(signed).digest();
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

function jsonObject(base64url: string): Record<string, unknown> | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64url, 'base64url'));
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function bad(reason: string): BadToken {
  return { kind: 'bad', reason };
}
