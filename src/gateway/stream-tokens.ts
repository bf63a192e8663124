import { createHash } from 'node:crypto';
import type { Log } from '../../streams/log/log.ts';
import type { Clock } from '../kernel/clock.ts';
import { failure, type Failure } from '../kernel/errors.ts';
import type { Ids } from '../kernel/ids.ts';
import { LIMITS } from '../kernel/limits.ts';
import type { ApiKey } from '../api/api-key.ts';

/** A token as its maker sees it, once. */
export interface StreamToken {
  kind: 'token';
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * Tokens that open one event stream each, for browsers' EventSource, which can send no headers.
 *
 * A token names the API key that made it and carries 256 random bits. The bucket STREAM_TOKENS holds its SHA-256 and the time it
 * expires, so any gateway can redeem it.
 *
 * Invariants
 * 1. A token opens one stream at most, over all gateways: redeeming deletes its entry at the revision that was read.
 * 2. It opens none after `LIMITS.streamTokenMs`, nor once its key is revoked.
 */
export interface StreamTokens {
  make(key: ApiKey): Promise<StreamToken | Failure>;
  /** The id of the key that a text names, if it has the shape of a token. */
  keyIdOf(text: string): string | undefined;
  /** Uses a token up. @returns undefined when it was valid; it is not valid afterwards */
  redeem(text: string): Promise<Failure | undefined>;
}

const PREFIX = 'st_';
const ID_LENGTH = 36;
const SECRET_BYTES = 32;
/** Base64url of the secret. */
const SECRET_LENGTH = 43;

export function createStreamTokens({
  log,
  clock,
  ids,
}: {
  log: Pick<Log, 'bucket'>;
  clock: Clock;
  ids: Ids;
}): StreamTokens {
  const bucket = log.bucket('STREAM_TOKENS');
  /** Tokens made here, by key id, in the minute that began at `sinceMs`. */
  const made = new Map<string, { sinceMs: number; count: number }>();
  let redeeming = 0;

  function mayMake(keyId: string): boolean {
    const nowMs = clock.monotonicMs();
    const minute = made.get(keyId);
    if (minute === undefined || nowMs - minute.sinceMs >= LIMITS.streamTokenMs) {
      made.set(keyId, { sinceMs: nowMs, count: 1 });
      return true;
    }
    minute.count += 1;
    return minute.count <= LIMITS.streamTokensOfKey;
  }

  async function takeEntry(name: string): Promise<Failure | undefined> {
    const entry = await bucket.get(name);
    if (entry === undefined || Number(Buffer.from(entry.value ?? []).toString()) <= clock.wallMs())
      return STREAM_TOKEN_REFUSED;
    const outcome = await bucket.delete(name, entry.revision);
    if (outcome.kind === 'unknown') return UNAVAILABLE;
    return outcome.kind === 'conflict' ? STREAM_TOKEN_REFUSED : undefined;
  }

  return {
    async make({ id }) {
      if (!mayMake(id)) {
        return failure(
          'RATE_LIMIT_EXCEEDED',
          `This key has made ${LIMITS.streamTokensOfKey} stream tokens within a minute, the maximum; try again in a minute.`,
        );
      }
      const token = `${PREFIX}${id}${Buffer.from(ids.bytes(SECRET_BYTES)).toString('base64url')}`;
      const expiresAt = clock.wallMs() + LIMITS.streamTokenMs;
      try {
        const outcome = await bucket.put(entryOf(token), Buffer.from(String(expiresAt)), 0);
        return outcome.kind === 'written' ? { kind: 'token', token, expiresAt } : UNAVAILABLE;
      } catch {
        return UNAVAILABLE;
      }
    },
    keyIdOf: (text) => (isToken(text) ? text.slice(PREFIX.length, PREFIX.length + ID_LENGTH) : undefined),
    async redeem(text) {
      if (redeeming >= LIMITS.streamTokensRedeemed) return UNAVAILABLE;
      redeeming += 1;
      try {
        return await takeEntry(entryOf(text));
      } catch {
        return UNAVAILABLE;
      } finally {
        redeeming -= 1;
      }
    },
  };
}

/** The answer to a token that opens nothing, whatever the reason: its sender has no key. */
export const STREAM_TOKEN_REFUSED = failure(
  'UNAUTHORIZED',
  'The stream token is unknown, used or expired. A server key makes a new one with `POST /v1/events/stream-tokens`.',
);
const UNAVAILABLE = failure('SERVICE_UNAVAILABLE', 'Stream tokens are not available at the moment; try again.');

/** Linear in the text: its sender is not authenticated. */
function isToken(text: string): boolean {
  if (text.length !== PREFIX.length + ID_LENGTH + SECRET_LENGTH || !text.startsWith(PREFIX)) return false;
  for (let i = PREFIX.length; i < text.length; i++) if (!CHARACTERS.has(text.charAt(i))) return false;
  return true;
}

const CHARACTERS: ReadonlySet<string> = new Set(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'.split(''),
);

/** The bucket's key of a token. A hash: a reader of the bucket cannot learn the token. */
function entryOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}
