import type { Clock } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import type { Delivery } from '../delivery/delivery.ts';

/** Says in the log which webhooks overflow, one line a minute for each: what is passed over comes by the thousand. */
export interface OverflowNotes {
  note(delivery: Delivery): void;
}

const LINE_EVERY_MS = 60_000;

export function createOverflowNotes(clock: Clock, logger: Logger): OverflowNotes {
  const notes = new Map<string, { nextMs: number; passedOver: number }>();
  return {
    note({ webhook, owedSince }) {
      const nowMs = clock.monotonicMs();
      const known = notes.get(webhook) ?? { nextMs: nowMs, passedOver: 0 };
      known.passedOver += 1;
      if (notes.size >= LIMITS.webhooksInMemory) notes.clear();
      notes.set(webhook, known);
      if (nowMs < known.nextMs) return;
      logger.error(
        { webhook, passedOver: known.passedOver, since: new Date(owedSince).toISOString() },
        'webhooks: too many deliveries wait for a webhook; what is new is left to a recovery',
      );
      notes.set(webhook, { nextMs: nowMs + LINE_EVERY_MS, passedOver: 0 });
    },
  };
}
