import type { Clock } from '../../../../src/kernel/clock.ts';
import type { Ids } from '../../../../src/kernel/ids.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Delivery } from '../delivery/delivery.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';

/**
 * How long a delivery that found no place is put off: longer each time, and at random, so that they don't come back together.
 *
 * Those of one receiver come back one after the other besides, about as fast as it takes them: each that comes too early is put off
 * again, which is a write to the broker's disk, and hundreds of thousands may wait. Receivers that give no answer share a pace.
 */
export interface DeferDelays {
  /** In milliseconds. */
  delayOf(delivery: Pick<Delivery, 'webhook' | 'deferrals'>): number;
}

export interface DeferDelaysOptions {
  clock: Pick<Clock, 'monotonicMs'>;
  ids: Pick<Ids, 'random'>;
  lanes: Pick<ConcurrencyLimiter, 'hanging' | 'isHanging' | 'paceOf'>;
}

/** Twice as many as it took lately: so it is never short of work, and half of what comes back finds a place. */
const AHEAD = 2;

export function createDeferDelays({ clock, ids, lanes }: DeferDelaysOptions): DeferDelays {
  /** When the last one of a receiver comes back. */
  const lastBack = new Map<string, { atMs: number; hanging: boolean }>();

  /**
   * How many come back in a second. What a receiver took lately says little while its queue is new: then it is taken for a fast
   * one, and for a slower one the more often it had no place.
   */
  function perSecond(webhook: string, deferrals: number, hanging: boolean): number {
    if (hanging) return LIMITS.deliveryDefersPerSecond / Math.max(1, lanes.hanging);
    const hoped = LIMITS.deliveryReturnsPerSecond / (1 + deferrals);
    return Math.max(LIMITS.deliveryDefersPerSecond, hoped, AHEAD * lanes.paceOf(webhook));
  }

  return {
    delayOf({ webhook, deferrals }) {
      const nowMs = clock.monotonicMs();
      const hanging = lanes.isHanging(webhook);
      const firstMs = hanging ? LIMITS.deliveryDeferHangingMs : LIMITS.deliveryDeferMs;
      const longestMs = Math.min(firstMs * 2 ** deferrals, LIMITS.deliveryDeferMaxMs);
      const delayMs = Math.round(longestMs * (0.5 + ids.random() / 2));
      const last = lastBack.get(webhook);
      // A receiver that answers again, or no more, begins anew.
      const lastMs = last?.hanging === hanging ? Math.max(last.atMs, nowMs) : nowMs;
      const inTurnMs = Math.min(
        lastMs + 1_000 / perSecond(webhook, deferrals, hanging) - nowMs,
        LIMITS.deliverySpreadMs,
      );
      if (lastBack.size >= LIMITS.deliveryLanes) lastBack.clear();
      lastBack.set(webhook, { atMs: nowMs + inTurnMs, hanging });
      return Math.max(delayMs, Math.ceil(inTurnMs));
    },
  };
}
