import { type Clock, sleep } from '../../../../src/kernel/clock.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import type { AppendOptions, Log } from '../../../log/log.ts';

export interface PersistentAppend {
  log: Log;
  clock: Clock;
  logger: Logger;
  /** Asked before every attempt; once true, the append is given up. */
  givenUp: () => boolean;
  /** Whether to wait while the stream is full. Whoever holds a record of it must not: all might wait for each other. */
  waitsWhenFull: boolean;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** A record the broker refuses for its size will be refused for ever: a bug, as data is bounded at the gateway. */
type Result = 'acked' | 'given_up' | 'too_large' | 'full';

/**
 * Appends a record to DELIVERIES however long the broker is away or the stream is full. The message id makes that safe: an
 * append that was stored and not heard of is not stored twice.
 */
export async function appendUntilAcked(
  { log, clock, logger, givenUp, waitsWhenFull }: PersistentAppend,
  subject: string,
  data: Uint8Array,
  options: AppendOptions & { messageId: string },
): Promise<Result> {
  let retryMs = FIRST_RETRY_MS;
  while (!givenUp()) {
    const outcome = await log.append(subject, data, options);
    if (outcome.kind === 'acked') return 'acked';
    if (outcome.kind === 'refused' && outcome.reason === 'too_large') {
      logger.error({ subject, sizeBytes: data.byteLength }, 'webhooks: a delivery is too large to be stored');
      return 'too_large';
    }
    if (outcome.kind === 'refused' && outcome.reason === 'full' && !waitsWhenFull) return 'full';
    if (retryMs === FIRST_RETRY_MS) logger.warn({ subject, outcome }, 'webhooks: DELIVERIES took no record; trying on');
    await sleep(clock, retryMs);
    retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
  }
  return 'given_up';
}
