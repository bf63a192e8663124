import { type Clock, sleep } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import type { SinkMetrics } from '../../../../src/kernel/metrics.ts';
import type { Log, WorkItem } from '../../../log/log.ts';
import { appendUntilAcked } from '../matching/append-until-acked.ts';
import { type Delivery, dueSubject, encodeDelivery, messageIdOf, scheduledSubject } from '../delivery/delivery.ts';

/**
 * What a worker was handed out, and how it lets go of it.
 *
 * Invariants
 * 1. An attempt leaves the queue only after its end is certain: delivered, given up, or the next one stored. So a crash
 *    repeats an attempt under the same id, and loses none.
 * 2. An item that is held is this process's, and the broker is told so until it is let go; then it is touched no more.
 */
export interface DeliveryQueue {
  hold(item: WorkItem): void;
  /** Lets an item go for good. */
  finish(item: WorkItem, outcome: string): Promise<void>;
  /** Stores what follows an item, due after `delayMs`, and only then lets the item go. */
  replace(item: WorkItem, next: Delivery, delayMs: number, outcome: string): Promise<void>;
  /** Lets an item go that somebody else, or this process later, has to see to. */
  handBack(item: WorkItem): void;
  /** Hands back whatever is held. */
  close(): void;
}

export interface DeliveryQueueOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  metrics: SinkMetrics;
  /** After how long without a sign of life the broker hands an item out again. */
  ackWaitMs: number;
  /** Nothing is waited for any more. */
  isStopped: () => boolean;
}

/** When an item that this process can't see to is handed out again. */
export const HAND_BACK_MS = 1_000;
const ACK_TRIES = 10;
/** Signs of life within the time one may be missing: three may be lost. */
const BEATS = 4;

export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  const { log, clock, logger, metrics, isStopped } = options;
  const held = new Set<WorkItem>();
  const beatMs = options.ackWaitMs / BEATS;
  let cancelBeat = clock.timer(beatMs, beat);

  function beat(): void {
    for (const item of held) item.working();
    cancelBeat = clock.timer(beatMs, beat);
  }

  function handBack(item: WorkItem): void {
    held.delete(item);
    item.retryIn(HAND_BACK_MS);
  }

  /** DELIVERIES has no room for the next attempt: then this record, which has its room, is the next one, uncounted. */
  function keepForLater(item: WorkItem, delayMs: number): void {
    logger.warn({ subject: item.record.subject }, 'webhooks: DELIVERIES is full; an attempt is repeated uncounted');
    held.delete(item);
    item.retryIn(Math.max(HAND_BACK_MS, Math.min(delayMs, LIMITS.deliveryDeferMaxMs)));
  }

  /** An acknowledgement that a broken connection swallowed is sent again: it saves a repeat. */
  async function finish(item: WorkItem, outcome: string): Promise<void> {
    metrics.deliveries.inc({ outcome });
    held.delete(item);
    for (let tries = 1; !(await item.ack()); tries++) {
      if (tries === ACK_TRIES || isStopped()) {
        logger.warn({ outcome }, 'webhooks: an acknowledgement was not confirmed; the attempt may come again');
        return;
      }
      await sleep(clock, HAND_BACK_MS);
    }
  }

  return {
    hold: (item) => void held.add(item),
    finish,
    async replace(item, next, delayMs, outcome) {
      const target = dueSubject(next.webhook);
      const schedule = { atMs: clock.wallMs() + delayMs, target };
      const messageId = messageIdOf(next);
      const terms = { log, clock, logger, givenUp: isStopped, waitsWhenFull: false };
      const bytes = encodeDelivery(next);
      const stored = await (delayMs === 0
        ? appendUntilAcked(terms, target, bytes, { messageId })
        : appendUntilAcked(terms, scheduledSubject(next, bytes.byteLength), bytes, { messageId, schedule }));
      if (stored === 'given_up') handBack(item);
      else if (stored === 'full') keepForLater(item, delayMs);
      else await finish(item, outcome);
    },
    handBack,
    close() {
      for (const item of held) handBack(item);
      cancelBeat();
    },
  };
}
