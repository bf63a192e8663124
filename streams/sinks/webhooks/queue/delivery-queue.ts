import { type Clock, sleep } from '../../../../src/kernel/clock.ts';
import { LIMITS } from '../../../../src/kernel/limits.ts';
import type { Logger } from '../../../../src/kernel/logger.ts';
import type { SinkMetrics } from '../../../../src/kernel/metrics.ts';
import type { Log, WorkItem } from '../../../log/log.ts';
import { appendUntilAcked } from './append-until-acked.ts';
import {
  type Delivery,
  dueSubject,
  encodeDelivery,
  messageIdOf,
  scheduledSubject,
  unreadableSubject,
} from '../delivery/delivery.ts';

/**
 * Owns the items of DELIVERIES that this process works on, and acknowledges them.
 *
 * Invariants
 * 1. An item is acknowledged only after its attempt is complete: delivered, given up, or its successor stored. So a
 *    crash repeats an attempt under the same id, and loses none.
 * 2. Held items belong to this process: it sends the broker heartbeats for them until it releases them, and never
 *    after.
 */
export interface DeliveryQueue {
  /** Starts the heartbeats of an item. */
  hold(item: WorkItem): void;
  /** Acknowledges an item, which removes it from the queue. */
  finish(item: WorkItem, outcome: string): Promise<void>;
  /** Stores the successor of an item, due after `delayMs`, and only then finishes the item. */
  replace(item: WorkItem, next: Delivery, delayMs: number, outcome: string): Promise<void>;
  /** Stores an item that cannot be read again, byte for byte, for a later time. */
  postpone(item: WorkItem, delayMs: number): Promise<void>;
  /** Returns an item to the broker, which hands it out again soon, to this process or another. */
  handBack(item: WorkItem): void;
  /** Hands back all held items. */
  close(): void;
}

export interface DeliveryQueueOptions {
  log: Log;
  clock: Clock;
  logger: Logger;
  metrics: SinkMetrics;
  /** The broker hands an item out again after this long without a heartbeat. */
  ackWaitMs: number;
  /** Once true, nothing is retried any more. */
  isStopped: () => boolean;
}

/** Delay after which the broker hands out a returned item again. */
export const HAND_BACK_MS = 1_000;
const ACK_TRIES = 10;
/** Heartbeats per `ackWaitMs`: three in a row may be lost. */
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

  /** DELIVERIES cannot store the next attempt: the broker keeps this record instead, and the attempt is not counted. */
  function retryUncounted(item: WorkItem, delayMs: number): void {
    logger.warn({ subject: item.record.subject }, 'webhooks: DELIVERIES is full; an attempt is repeated uncounted');
    held.delete(item);
    item.retryIn(Math.max(HAND_BACK_MS, Math.min(delayMs, LIMITS.deliveryDeferMaxMs)));
  }

  /** Repeats an acknowledgement that a broken connection lost: otherwise the attempt is made twice. */
  async function finish(item: WorkItem, outcome: string): Promise<void> {
    metrics.deliveries.inc({ outcome });
    held.delete(item);
    for (let tries = 1; !(await item.ack()); tries++) {
      if (tries === ACK_TRIES || isStopped()) {
        logger.warn({ outcome }, 'webhooks: an acknowledgement was not confirmed; the attempt may be repeated');
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
      else if (stored === 'full') retryUncounted(item, delayMs);
      else await finish(item, outcome);
    },
    async postpone(item, delayMs) {
      const { subject, data, sequence } = item.record;
      const schedule = { atMs: clock.wallMs() + delayMs, target: subject };
      const terms = { log, clock, logger, givenUp: isStopped, waitsWhenFull: false };
      const messageId = `unreadable-${sequence}`;
      const target = unreadableSubject(subject, sequence);
      const stored = await appendUntilAcked(terms, target, data, { messageId, schedule });
      if (stored === 'acked') await finish(item, 'unreadable');
      else handBack(item);
    },
    handBack,
    close() {
      for (const item of held) handBack(item);
      cancelBeat();
    },
  };
}
