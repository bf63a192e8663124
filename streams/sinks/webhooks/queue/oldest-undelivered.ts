import type { Clock } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Delivery } from '../delivery/delivery.ts';

/**
 * The oldest delivery of each webhook that was due here and could not be made yet: one per webhook, so that a million that wait cost
 * nothing. One that does not show up again when it is due was seen to by another process, and the next takes its place.
 */
export interface OldestUndelivered {
  /** A delivery waits, and will be due again at `dueMs` (epoch milliseconds). */
  waits(delivery: Delivery, dueMs: number): void;
  /** It came to its end. */
  ended(delivery: Delivery): void;
  /** Age of the oldest of all webhooks, in milliseconds; 0: none waits. */
  ageMs(): number;
}

interface Oldest {
  id: string;
  owedSince: number;
  expectedMs: number;
}

export function createOldestUndelivered(clock: Pick<Clock, 'wallMs'>): OldestUndelivered {
  const oldest = new Map<string, Oldest>();
  return {
    waits({ webhook, id, owedSince }, dueMs) {
      const held = oldest.get(webhook);
      const isOlder = held === undefined || owedSince <= held.owedSince || held.expectedMs < clock.wallMs();
      if (isOlder) oldest.set(webhook, { id, owedSince, expectedMs: dueMs + LIMITS.deliveryOverdueMs });
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
