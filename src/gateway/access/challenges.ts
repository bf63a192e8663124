import { createHash } from 'node:crypto';
import type { Log } from '../../../streams/log/log.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import { LIMITS } from '../../kernel/limits.ts';

/**
 * Random texts that a passkey signs. The bucket STREAM_TOKENS stores their hash with the purpose, so any gateway takes
 * a challenge, at most once and for its purpose only.
 */
export interface Challenges {
  /** @returns undefined: the broker does not answer */
  make(purpose: string): Promise<string | undefined>;
  /** Uses a challenge up. `unavailable`: the broker does not answer. */
  take(purpose: string, challenge: string): Promise<'valid' | 'invalid' | 'unavailable'>;
}

const BYTES = 32;

export function createChallenges({
  log,
  clock,
  ids,
}: {
  log: Pick<Log, 'bucket'>;
  clock: Clock;
  ids: Ids;
}): Challenges {
  const bucket = log.bucket('STREAM_TOKENS');
  return {
    async make(purpose) {
      const challenge = Buffer.from(ids.bytes(BYTES)).toString('base64url');
      const expiresAt = clock.wallMs() + LIMITS.challengeMs;
      try {
        const outcome = await bucket.put(entryOf(purpose, challenge), Buffer.from(String(expiresAt)), 0);
        return outcome.kind === 'written' ? challenge : undefined;
      } catch {
        return undefined;
      }
    },
    async take(purpose, challenge) {
      const name = entryOf(purpose, challenge);
      try {
        const entry = await bucket.get(name);
        if (entry === undefined || Number(Buffer.from(entry.value ?? []).toString()) <= clock.wallMs())
          return 'invalid';
        const outcome = await bucket.delete(name, entry.revision);
        if (outcome.kind === 'unknown') return 'unavailable';
        return outcome.kind === 'written' ? 'valid' : 'invalid';
      } catch {
        return 'unavailable';
      }
    },
  };
}

/** Apart from the entries of stream tokens, which have no line break. */
const entryOf = (purpose: string, challenge: string): string =>
  createHash('sha256').update(`challenge\n${purpose}\n${challenge}`, 'utf8').digest('hex');
