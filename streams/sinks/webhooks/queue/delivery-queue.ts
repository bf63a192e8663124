import type { Clock } from '../../../../core/kernel/clock.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { WebhookMetrics } from '../record/metrics.ts';
import type { Log, WorkItem } from '../../../log/log.ts';
import { type Delivery, dueSubject, messageIdOf, scheduledSubject, unreadableSubject } from '../record/delivery.ts';
import { encodeDelivery } from '../record/delivery-record.ts';
import { appendUntilAcked } from './append-until-acked.ts';
import { createRecordsInWork } from './records-in-work.ts';
import { HAND_BACK_MS, type RecordInWork } from './remainders.ts';

/** A delivery that this process works on, and the record in which it came. */
export interface DeliveryInWork {
  readonly delivery: Delivery;
  readonly record: RecordInWork;
}

/**
 * What becomes of the deliveries that this process took from DELIVERIES. Their records are in `records-in-work.ts`.
 *
 * Invariant: a delivery leaves the queue only after its attempt is complete: delivered, given up, or its successor
 * stored. So a crash repeats an attempt under the same id, and loses none.
 */
export interface DeliveryQueue {
  /** Starts the heartbeats of an item. */
  hold(item: WorkItem): RecordInWork;
  /** The deliveries of a held record. */
  open(record: RecordInWork, deliveries: readonly Delivery[]): Promise<readonly DeliveryInWork[]>;
  /** Removes a delivery from the queue. */
  finish(held: DeliveryInWork, outcome: string): Promise<void>;
  /** Stores the successor of a delivery, due after `delayMs`, and only then finishes the delivery. */
  replace(held: DeliveryInWork, next: Delivery, delayMs: number, outcome: string): Promise<void>;
  /** Leaves a delivery to this or another process, soon. */
  giveBack(held: DeliveryInWork): Promise<void>;
  /** Stores a record that cannot be read again, byte for byte, for a later time. */
  postpone(record: RecordInWork, delayMs: number): Promise<void>;
  /** Returns a record to the broker, which hands it out again soon, to this process or another. */
  handBack(record: RecordInWork): void;
  /** Gives back all that is held. */
  close(): Promise<void>;
}

export interface DeliveryQueueOptions {
  log: Log;
  clock: Clock;
  ids: Pick<Ids, 'uuidv4'>;
  logger: Logger;
  metrics: WebhookMetrics;
  /** The broker hands an item out again after this long without a heartbeat. */
  ackWaitMs: number;
  /** Once true, nothing is retried any more. */
  isStopped: () => boolean;
}

export function createDeliveryQueue(options: DeliveryQueueOptions): DeliveryQueue {
  const { log, clock, logger, metrics, isStopped } = options;
  const records = createRecordsInWork(options);
  const terms = { log, clock, logger, givenUp: isStopped, waitsWhenFull: false };

  async function finish({ record, delivery }: DeliveryInWork, outcome: string): Promise<void> {
    metrics.deliveries.inc({ outcome });
    await records.ended(record, delivery);
  }

  /** DELIVERIES cannot store the next attempt: it keeps this one instead, and the attempt is not counted. */
  async function retryUncounted({ record, delivery }: DeliveryInWork, delayMs: number): Promise<void> {
    logger.warn({ subject: record.item.record.subject }, 'webhooks: DELIVERIES is full; an attempt is repeated');
    await records.giveBack(
      record,
      delivery,
      Math.max(HAND_BACK_MS, Math.min(delayMs, QUEUE_LIMITS.deliveryDeferMaxMs)),
    );
  }

  return {
    hold: (item) => records.hold(item),
    async open(record, deliveries) {
      await records.opened(record, deliveries);
      return deliveries.map((delivery) => ({ delivery, record }));
    },
    finish,
    async replace(held, next, delayMs, outcome) {
      const target = dueSubject(next.webhook);
      const schedule = { atMs: clock.wallMs() + delayMs, target };
      const messageId = messageIdOf(next);
      const bytes = encodeDelivery(next);
      const stored = await (delayMs === 0
        ? appendUntilAcked(terms, target, bytes, { messageId })
        : appendUntilAcked(terms, scheduledSubject(next, bytes.byteLength), bytes, { messageId, schedule }));
      if (stored === 'given_up') await records.giveBack(held.record, held.delivery, HAND_BACK_MS);
      else if (stored === 'full') await retryUncounted(held, delayMs);
      else await finish(held, outcome);
    },
    giveBack: ({ record, delivery }) => records.giveBack(record, delivery, HAND_BACK_MS),
    async postpone(record, delayMs) {
      const { subject, data, sequence } = record.item.record;
      const schedule = { atMs: clock.wallMs() + delayMs, target: subject };
      const messageId = `unreadable-${sequence}`;
      const target = unreadableSubject(subject, sequence);
      const stored = await appendUntilAcked(terms, target, data, { messageId, schedule });
      if (stored === 'acked') {
        metrics.deliveries.inc({ outcome: 'unreadable' });
        await records.acknowledge(record);
      } else records.handBack(record);
    },
    handBack: (record) => records.handBack(record),
    close: () => records.close(),
  };
}
