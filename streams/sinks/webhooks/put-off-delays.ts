import type { Clock } from '../../../src/kernel/clock.ts';
import type { Ids } from '../../../src/kernel/ids.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { Delivery } from './delivery.ts';
import type { Lanes } from './lanes.ts';

/**
 * How long a delivery that found no place is put off: longer each time, and at random, so that they don't come back together.
 *
 * Those of receivers that give no answer are put off one after the other besides, so that all of them together come back, to be put
 * off again, only so often: each time is a write to the broker's disk, and tens of thousands may wait for a receiver that is away.
 */
export interface PutOffDelays {
  /** In milliseconds. */
  delayOf(delivery: Pick<Delivery, 'webhook' | 'deferrals'>): number;
}

export interface PutOffDelaysOptions {
  clock: Pick<Clock, 'monotonicMs'>;
  ids: Pick<Ids, 'random'>;
  lanes: Pick<Lanes, 'hanging' | 'isHanging'>;
}

export function createPutOffDelays({ clock, ids, lanes }: PutOffDelaysOptions): PutOffDelays {
  /** When the last one of a receiver without an answer comes back. */
  const lastBack = new Map<string, number>();
  return {
    delayOf({ webhook, deferrals }) {
      const nowMs = clock.monotonicMs();
      const longestMs = Math.min(LIMITS.deliveryDeferMs * 2 ** deferrals, LIMITS.deliveryDeferMaxMs);
      const delayMs = Math.round(longestMs * (0.5 + ids.random() / 2));
      if (!lanes.isHanging(webhook)) {
        lastBack.delete(webhook);
        return delayMs;
      }
      const betweenMs = (1_000 / LIMITS.deliveryPutOffsPerSecond) * Math.max(1, lanes.hanging);
      const inTurnMs = Math.ceil(Math.max(lastBack.get(webhook) ?? 0, nowMs) + betweenMs - nowMs);
      const spreadMs = Math.min(Math.max(delayMs, inTurnMs), LIMITS.deliverySpreadMs);
      if (lastBack.size >= LIMITS.deliveryLanes) lastBack.clear();
      lastBack.set(webhook, nowMs + Math.min(inTurnMs, LIMITS.deliverySpreadMs));
      return spreadMs;
    },
  };
}
