import { type Clock, sleep } from '../../../../core/kernel/clock.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import type { Logger } from '../../../../core/kernel/logger.ts';
import type { Log, WorkItem } from '../../../log/log.ts';
import { type Delivery, dueSubject, remainderSubject } from '../record/delivery.ts';
import { encodeDeliveries, type Receiver } from '../record/delivery-record.ts';
import { appendUntilAcked } from './append-until-acked.ts';

/** A record that the broker handed to this process. */
export interface RecordInWork {
  readonly item: WorkItem;
  /** Its deliveries that this process works on, and those that it leaves to others. */
  readonly open: Set<Delivery>;
  readonly returned: Set<Delivery>;
  /** Deliveries that came with it, and their webhook. */
  total: number;
  receiver: Receiver | undefined;
  /** After how long the returned ones may come again. */
  returnMs: number;
  /** When the first delivery ended since the record or its remainder was stored, monotonic milliseconds. */
  endedMs: number | undefined;
  /** The subject of the stored remainder, and when it was stored, monotonic milliseconds. */
  remainder: { subject: string; storedMs: number } | undefined;
  /** The write of a remainder that is under way. */
  storing: Promise<boolean> | undefined;
}

export interface RemaindersOptions {
  log: Log;
  clock: Clock;
  ids: Pick<Ids, 'uuidv4'>;
  logger: Logger;
  /** Once true, acknowledgements are not repeated any more. */
  isStopped: () => boolean;
}

/** Delay after which the broker hands out a returned item again. */
export const HAND_BACK_MS = 1_000;
const ACK_TRIES = 10;

/** Stores the remainders of records, one write of each record at a time. */
export interface Remainders {
  /** Stores the remainder of a record, due after `delayMs`. False: it could not be stored. */
  store(record: RecordInWork, delayMs: number): Promise<boolean>;
  /** Stores no more. */
  close(): void;
}

export function createRemainders(options: RemaindersOptions): Remainders {
  const { log, clock, ids, logger } = options;
  let closed = false;

  async function store(record: RecordInWork, delayMs: number): Promise<boolean> {
    while (record.storing !== undefined) await record.storing;
    const storing = storeRemainder(record, delayMs).catch((error: unknown) => {
      logger.error({ err: error }, 'webhooks: the remainder of a record could not be stored');
      return false;
    });
    record.storing = storing;
    const isStored = await storing;
    record.storing = undefined;
    return isStored;
  }

  async function storeRemainder(record: RecordInWork, delayMs: number): Promise<boolean> {
    const { receiver } = record;
    if (receiver === undefined) return false;
    const bytes = encodeDeliveries(receiver, [...record.open, ...record.returned]);
    // With an id of its own: a process that got the same record, after a lost acknowledgement, must not replace it.
    const subject = record.remainder?.subject ?? remainderSubject(receiver, ids.uuidv4(), bytes.byteLength);
    const storedMs = clock.monotonicMs();
    record.endedMs = undefined;
    const schedule = { atMs: clock.wallMs() + delayMs, target: dueSubject(receiver.webhook) };
    const terms = { log, clock, logger, givenUp: () => closed, waitsWhenFull: false };
    if ((await appendUntilAcked(terms, subject, bytes, { messageId: ids.uuidv4(), schedule })) !== 'acked') {
      record.endedMs ??= clock.monotonicMs();
      return false;
    }
    const isFirst = record.remainder === undefined;
    record.remainder = { subject, storedMs };
    if (isFirst) await confirmAck(record.item, options);
    return true;
  }

  return {
    store,
    close() {
      closed = true;
    },
  };
}

/** Repeats an acknowledgement that a broken connection lost: otherwise the attempts are made twice. */
export async function confirmAck(
  item: WorkItem,
  { clock, logger, isStopped }: Pick<RemaindersOptions, 'clock' | 'logger' | 'isStopped'>,
): Promise<void> {
  for (let tries = 1; !(await item.ack()); tries++) {
    if (tries === ACK_TRIES || isStopped()) {
      logger.warn({}, 'webhooks: an acknowledgement was not confirmed; its attempts may be repeated');
      return;
    }
    await sleep(clock, HAND_BACK_MS);
  }
}
