import { createHash } from 'node:crypto';
import type { Log } from '../../../streams/log/log.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/ids.ts';
import { LIMITS } from '../../kernel/limits.ts';
import { createOneTimeEntries } from './one-time-entries.ts';

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
  const entries = createOneTimeEntries(log, clock);
  return {
    async make(purpose) {
      const challenge = Buffer.from(ids.bytes(BYTES)).toString('base64url');
      const expiresAt = await entries.store(entryOf(purpose, challenge), LIMITS.challengeMs);
      return expiresAt === undefined ? undefined : challenge;
    },
    take: (purpose, challenge) => entries.take(entryOf(purpose, challenge)),
  };
}

/** Apart from the entries of stream tokens, which have no line break. */
const entryOf = (purpose: string, challenge: string): string =>
  createHash('sha256').update(`challenge\n${purpose}\n${challenge}`, 'utf8').digest('hex');
