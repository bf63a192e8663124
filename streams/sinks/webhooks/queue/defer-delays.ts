import type { Clock } from '../../../../core/kernel/clock.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { Delivery } from '../record/delivery.ts';
import type { ConcurrencyLimiter } from './concurrency-limiter.ts';

/**
 * How long a delivery without a slot is deferred: the longer of
 * 1. a delay that doubles with each deferral, with jitter, and
 * 2. its turn among the deferred deliveries of its receiver, which return about as fast as the receiver accepts them.
 *
 * The second exists because each deferral is a write to the broker's disk, and hundreds of thousands of deliveries may
 * wait. Unresponsive receivers share one rate.
 */
export interface DeferDelays {
  /** In milliseconds. */
  delayOf(delivery: Pick<Delivery, 'webhook' | 'deferrals'>): number;
}

export interface DeferDelaysOptions {
  clock: Pick<Clock, 'monotonicMs'>;
  ids: Pick<Ids, 'random'>;
  limiter: Pick<ConcurrencyLimiter, 'unresponsive' | 'isUnresponsive' | 'successesPerSecond'>;
}

/**
 * Deliveries return at twice the rate of recent successes: the receiver never runs idle, and half of them find a
 * slot.
 */
const AHEAD = 2;

export function createDeferDelays({ clock, ids, limiter }: DeferDelaysOptions): DeferDelays {
  /** Per receiver, when its last deferred delivery returns. */
  const lastReturn = new Map<string, { atMs: number; isUnresponsive: boolean }>();

  /**
   * Deliveries of a receiver that return per second. Recent successes say little about a receiver with a new queue: it
   * counts as fast at first, and as slower with each deferral.
   */
  function returnsPerSecond(webhook: string, deferrals: number, isUnresponsive: boolean): number {
    if (isUnresponsive) return QUEUE_LIMITS.deliveryDefersPerSecond / Math.max(1, limiter.unresponsive);
    const assumed = QUEUE_LIMITS.deliveryReturnsPerSecond / (1 + deferrals);
    return Math.max(QUEUE_LIMITS.deliveryDefersPerSecond, assumed, AHEAD * limiter.successesPerSecond(webhook));
  }

  return {
    delayOf({ webhook, deferrals }) {
      const nowMs = clock.monotonicMs();
      const isUnresponsive = limiter.isUnresponsive(webhook);
      const firstMs = isUnresponsive ? QUEUE_LIMITS.deliveryDeferUnresponsiveMs : QUEUE_LIMITS.deliveryDeferMs;
      const longestMs = Math.min(firstMs * 2 ** deferrals, QUEUE_LIMITS.deliveryDeferMaxMs);
      const delayMs = Math.round(longestMs * (0.5 + ids.random() / 2));
      const last = lastReturn.get(webhook);
      // The turns start over when a receiver becomes unresponsive or answers again.
      const lastMs = last?.isUnresponsive === isUnresponsive ? Math.max(last.atMs, nowMs) : nowMs;
      const turnMs = Math.min(
        lastMs + 1_000 / returnsPerSecond(webhook, deferrals, isUnresponsive) - nowMs,
        QUEUE_LIMITS.deliverySpreadMs,
      );
      if (lastReturn.size >= QUEUE_LIMITS.webhooksInMemory) lastReturn.clear();
      lastReturn.set(webhook, { atMs: nowMs + turnMs, isUnresponsive });
      return Math.max(delayMs, Math.ceil(turnMs));
    },
  };
}
