import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { Log } from '../../../log/log.ts';

export interface DeliveriesQuotaOptions {
  log: Pick<Log, 'info'>;
  clock: Clock;
  logger: Logger;
  /** Bytes DELIVERIES may hold. */
  limitBytes: number;
}

/**
 * Bounds the bytes of DELIVERIES, far below the size at which the stream drops its oldest records: a stream with
 * message schedules cannot refuse new records instead. The matcher and the recoverer add records, each in one process
 * at a time; a retry replaces the record that it follows and needs no quota.
 */
export interface DeliveriesQuota {
  /** Takes `sizeBytes` of the quota; false: the quota known from the last check is used up. */
  take(sizeBytes: number): boolean;
  /** Resolves once the quota has `sizeBytes`, or once `givenUp` returns true. */
  waitFor(sizeBytes: number, givenUp: () => boolean): Promise<void>;
}

const CHECK_AGAIN_MS = 1_000;

export function createDeliveriesQuota({ log, clock, logger, limitBytes }: DeliveriesQuotaOptions): DeliveriesQuota {
  /** Bytes that may be added before the size of the stream is checked again. */
  let allowanceBytes = 0;
  return {
    take(sizeBytes) {
      if (allowanceBytes < sizeBytes) return false;
      allowanceBytes -= sizeBytes;
      return true;
    },
    async waitFor(sizeBytes, givenUp) {
      let reported = false;
      while (allowanceBytes < sizeBytes && !givenUp()) {
        const { sizeBytes: heldBytes } = await log.info('DELIVERIES');
        allowanceBytes = Math.min(limitBytes - heldBytes, Math.max(QUEUE_LIMITS.deliveriesCheckBytes, sizeBytes));
        if (allowanceBytes >= sizeBytes) break;
        if (!reported) logger.error({ heldBytes, limitBytes }, 'webhooks: DELIVERIES is full; matching waits');
        reported = true;
        await sleep(clock, CHECK_AGAIN_MS);
      }
    },
  };
}
