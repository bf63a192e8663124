import { createHash } from 'node:crypto';
import type { Log } from '../../streams/log/log.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { failure, type Failure } from '../../core/kernel/errors.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { LOG_LIMITS } from '../../streams/log/limits.ts';
import type { ApiKey } from './api-key.ts';
import { createOneTimeEntries } from './one-time-entries.ts';

/** A new token; its text is returned only here. */
export interface StreamToken {
  kind: 'token';
  token: string;
  /** Epoch milliseconds. */
  expiresAt: number;
}

/**
 * Tokens that each open one event stream, for EventSource in browsers, which cannot send headers.
 *
 * A token contains the id of its API key and 256 random bits. The bucket STREAM_TOKENS stores its SHA-256 and its
 * expiry, so any gateway can redeem it.
 *
 * Invariants
 * 1. A token opens at most one stream over all gateways: redeeming deletes its entry at the revision that was read.
 * 2. It opens no stream after `streamTokenMs`, or after its key is revoked.
 */
export interface StreamTokens {
  make(key: ApiKey): Promise<StreamToken | Failure>;
  /** The id of the key in a text, if the text has the form of a token. */
  keyIdOf(text: string): string | undefined;
  /** Redeems a token, which is invalid afterwards. @returns undefined if it was valid */
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
  const entries = createOneTimeEntries(log, clock);
  /** Tokens made in this process in the minute since `sinceMs`, by key id. */
  const made = new Map<string, { sinceMs: number; count: number }>();
  let redeeming = 0;

  function mayMake(keyId: string): boolean {
    const nowMs = clock.monotonicMs();
    const minute = made.get(keyId);
    if (minute === undefined || nowMs - minute.sinceMs >= LOG_LIMITS.streamTokenMs) {
      made.set(keyId, { sinceMs: nowMs, count: 1 });
      return true;
    }
    minute.count += 1;
    return minute.count <= ACCESS_LIMITS.streamTokensOfKey;
  }

  return {
    async make({ id }) {
      if (!mayMake(id)) {
        return failure(
          'RATE_LIMIT_EXCEEDED',
          `This key has made ${ACCESS_LIMITS.streamTokensOfKey} stream tokens within a minute, the maximum; try again in a minute.`,
        );
      }
      const token = `${PREFIX}${id}${Buffer.from(ids.bytes(SECRET_BYTES)).toString('base64url')}`;
      const expiresAt = await entries.store(entryOf(token), LOG_LIMITS.streamTokenMs);
      return expiresAt === undefined ? UNAVAILABLE : { kind: 'token', token, expiresAt };
    },
    keyIdOf: (text) => (isToken(text) ? text.slice(PREFIX.length, PREFIX.length + ID_LENGTH) : undefined),
    async redeem(text) {
      if (redeeming >= ACCESS_LIMITS.streamTokensRedeemed) return UNAVAILABLE;
      redeeming += 1;
      try {
        const outcome = await entries.take(entryOf(text));
        if (outcome === 'unavailable') return UNAVAILABLE;
        return outcome === 'valid' ? undefined : STREAM_TOKEN_REFUSED;
      } finally {
        redeeming -= 1;
      }
    },
  };
}

/** The response to every invalid token. It gives no reason, because its sender is not authenticated. */
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

/** The bucket's key of a token: a hash, so a reader of the bucket does not learn the token. */
function entryOf(token: string): string {
  return createHash('sha256').update(token, 'utf8').digest('hex');
}
