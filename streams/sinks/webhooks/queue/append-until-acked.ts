import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { AppendOptions, Log } from '../../../log/log.ts';

export interface PersistentAppend {
  log: Log;
  clock: Clock;
  logger: Logger;
  /** Checked before every attempt; once true, the append is given up. */
  givenUp: () => boolean;
  /**
   * Whether to wait while the stream is full. False for a caller that holds a record of it: all could wait for each
   * other.
   */
  waitsWhenFull: boolean;
}

const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 5_000;
/** `too_large` is a bug, because the gateway bounds the data: the broker will never accept such a record. */
type Result = 'acked' | 'given_up' | 'too_large' | 'full';

/**
 * Appends a record to DELIVERIES however long the broker is unavailable or the stream is full. Repeats are safe: the
 * broker drops an append whose message id it has already stored.
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
    if (retryMs === FIRST_RETRY_MS) {
      logger.warn({ subject, outcome }, 'webhooks: an append to DELIVERIES failed; retrying');
    }
    await sleep(clock, retryMs);
    retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
  }
  return 'given_up';
}
