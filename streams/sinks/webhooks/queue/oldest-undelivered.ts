import type { Clock } from '../../../../core/kernel/clock.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { Delivery } from '../record/delivery.ts';

/**
 * The oldest undelivered delivery of each webhook that this process has handled, for the metric. It holds one per
 * webhook, so a million waiting deliveries cost nothing. A delivery that does not return when it is due was handled
 * by another process; the next one that waits takes its place.
 */
export interface OldestUndelivered {
  /** A delivery waits until `dueMs` (epoch milliseconds). */
  waits(delivery: Delivery, dueMs: number): void;
  /** A delivery was delivered, exhausted or dropped. */
  ended(delivery: Delivery): void;
  /** Age of the oldest over all webhooks, in milliseconds; 0: none waits. */
  ageMs(): number;
}

interface Oldest {
  id: string;
  owedSince: number;
  /** Past this time it counts as handled by another process, epoch milliseconds. */
  expectedMs: number;
}

export function createOldestUndelivered(clock: Pick<Clock, 'wallMs'>): OldestUndelivered {
  const oldest = new Map<string, Oldest>();
  return {
    waits({ webhook, id, owedSince }, dueMs) {
      const held = oldest.get(webhook);
      const isOlder = held === undefined || owedSince <= held.owedSince || held.expectedMs < clock.wallMs();
      if (isOlder) oldest.set(webhook, { id, owedSince, expectedMs: dueMs + QUEUE_LIMITS.deliveryOverdueMs });
    },
    ended({ webhook, id }) {
      if (oldest.get(webhook)?.id === id) oldest.delete(webhook);
    },
    ageMs() {
      const nowMs = clock.wallMs();
      for (const [webhook, { expectedMs }] of oldest) if (expectedMs < nowMs) oldest.delete(webhook);
      let ageMs = 0;
      for (const { owedSince } of oldest.values()) ageMs = Math.max(ageMs, nowMs - owedSince);
      return ageMs;
    },
  };
}
