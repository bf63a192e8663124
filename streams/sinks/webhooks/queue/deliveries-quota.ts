import { type Clock, sleep } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import type { Log } from '../../../log/log.ts';

export interface DeliveriesQuotaOptions {
  log: Pick<Log, 'info'>;
  clock: Clock;
  logger: Logger;
  /** Bytes DELIVERIES may hold. */
  limitBytes: number;
}

/**
 * Keeps DELIVERIES far below the size at which it drops its oldest records: a stream with schedules can't refuse new ones
 * instead. Matching adds to it, in one process, and recoveries, in one; a retry replaces the record it follows.
 */
export interface DeliveriesQuota {
  /** Takes room for so many bytes; false: there is none that is known of. */
  take(sizeBytes: number): boolean;
  /** Resolves once there is room for `sizeBytes` more, or `givenUp` says so. */
  waitFor(sizeBytes: number, givenUp: () => boolean): Promise<void>;
}

const LOOK_AGAIN_MS = 1_000;

export function createDeliveriesQuota({ log, clock, logger, limitBytes }: DeliveriesQuotaOptions): DeliveriesQuota {
  /** What may be added before the next look. */
  let allowanceBytes = 0;
  return {
    take(sizeBytes) {
      if (allowanceBytes < sizeBytes) return false;
      allowanceBytes -= sizeBytes;
      return true;
    },
    async waitFor(sizeBytes, givenUp) {
      let told = false;
      while (allowanceBytes < sizeBytes && !givenUp()) {
        const { sizeBytes: heldBytes } = await log.info('DELIVERIES');
        allowanceBytes = Math.min(limitBytes - heldBytes, Math.max(LIMITS.deliveriesCheckBytes, sizeBytes));
        if (allowanceBytes >= sizeBytes) break;
        if (!told) logger.error({ heldBytes, limitBytes }, 'webhooks: DELIVERIES is full; matching waits for room');
        told = true;
        await sleep(clock, LOOK_AGAIN_MS);
      }
    },
  };
}
