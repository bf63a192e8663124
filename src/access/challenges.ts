import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Log } from '../../streams/log/log.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { ACCESS_LIMITS } from './limits.ts';
import { createOneTimeEntries } from './one-time-entries.ts';

/**
 * Random texts that a passkey signs, and other texts that count once.
 *
 * A challenge names the time at which it was made, and is signed with a secret that all gateways share and that changes
 * with each period. So making one stores nothing, and many requests take no room from others. The bucket
 * STREAM_TOKENS stores the secrets, and what was used.
 */
export interface Challenges {
  /** @returns undefined: the broker does not answer */
  make(purpose: string): Promise<string | undefined>;
  /** Uses a challenge up. `unavailable`: the broker does not answer. */
  take(purpose: string, challenge: string): Promise<Taken>;
  /** Marks a text of a purpose as used, for as long as the bucket keeps it. `invalid`: it was used before. */
  spend(purpose: string, text: string): Promise<Taken>;
}

type Taken = 'valid' | 'invalid' | 'unavailable';

const TIME_BYTES = 6;
const NONCE_BYTES = 16;
const HEAD_BYTES = TIME_BYTES + NONCE_BYTES;
const MAC_BYTES = 32;
const SECRET_BYTES = 32;

export function createChallenges({
  log,
  clock,
  ids,
}: {
  log: Pick<Log, 'bucket'>;
  clock: Clock;
  ids: Ids;
}): Challenges {
  const entries = createOneTimeEntries(log, clock);
  /** The secret of the newest period that was asked for. */
  let known: { period: number; secret: Uint8Array } | undefined;

  async function secretOf(atMs: number): Promise<Uint8Array | undefined> {
    const period = Math.floor(atMs / ACCESS_LIMITS.challengeSecretMs);
    if (known?.period === period) return known.secret;
    const secret = await entries.agree(entryOf('challenge secret', String(period)), ids.bytes(SECRET_BYTES));
    if (secret !== undefined && period >= (known?.period ?? 0)) known = { period, secret };
    return secret;
  }

  const spend: Challenges['spend'] = (purpose, text) => entries.spend(entryOf(purpose, text));
  return {
    spend,
    async make(purpose) {
      const atMs = clock.wallMs();
      const secret = await secretOf(atMs);
      if (secret === undefined) return undefined;
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUIntBE(atMs, 0, TIME_BYTES);
      head.set(ids.bytes(NONCE_BYTES), TIME_BYTES);
      return Buffer.concat([head, macOf(secret, purpose, head)]).toString('base64url');
    },
    async take(purpose, challenge) {
      const bytes = Buffer.from(challenge, 'base64url');
      if (bytes.length !== HEAD_BYTES + MAC_BYTES) return 'invalid';
      const madeAt = bytes.readUIntBE(0, TIME_BYTES);
      // Another gateway's clock may be a little ahead.
      if (Math.abs(clock.wallMs() - madeAt) > ACCESS_LIMITS.challengeMs) return 'invalid';
      const secret = await secretOf(madeAt);
      if (secret === undefined) return 'unavailable';
      const mac = macOf(secret, purpose, bytes.subarray(0, HEAD_BYTES));
      return timingSafeEqual(mac, bytes.subarray(HEAD_BYTES)) ? spend(purpose, challenge) : 'invalid';
    },
  };
}

const macOf = (secret: Uint8Array, purpose: string, head: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(purpose, 'utf8').update('\n').update(head).digest();

/** Apart from the entries of stream tokens, which have no line break. */
const entryOf = (purpose: string, text: string): string =>
  createHash('sha256').update(`challenge\n${purpose}\n${text}`, 'utf8').digest('hex');
