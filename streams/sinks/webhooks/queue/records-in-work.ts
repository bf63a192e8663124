import { type Cancel, type Clock, sleep, within } from '../../../../core/kernel/clock.ts';
import type { Ids } from '../../../../core/kernel/ids.ts';
import { QUEUE_LIMITS } from './limits.ts';
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

/**
 * Owns the records of DELIVERIES that this process works on.
 *
 * States of a record: in work, until it is acknowledged; apart, when its remainder (the deliveries that have not ended)
 * is stored as a scheduled record and the record itself is acknowledged; settled. A remainder is moved on while this
 * process works on it, and replaced with an empty record in the end.
 *
 * Invariants
 * 1. A delivery that has not ended is in DELIVERIES, in its record or in the remainder: a crash loses none.
 * 2. A record is set apart soon after its first delivery ended: a crash repeats only what is under way, and what ended
 *    moments ago, however long one delivery of the record takes.
 * 3. The broker gets heartbeats for a record in work until it is acknowledged or handed back, and never after.
 */
export interface RecordsInWork {
  /** Starts the heartbeats of an item. */
  hold(item: WorkItem): RecordInWork;
  /** States the deliveries of a record in work; without any it is acknowledged. */
  opened(record: RecordInWork, deliveries: readonly Delivery[]): Promise<void>;
  /** Ends a delivery. Once none is open, resolves when the record is settled. */
  ended(record: RecordInWork, delivery: Delivery): Promise<void>;
  /** Leaves a delivery to this or another process. The record is settled once none is open. */
  giveBack(record: RecordInWork, delivery: Delivery, delayMs: number): Promise<void>;
  /** Acknowledges a whole record. */
  acknowledge(record: RecordInWork): Promise<void>;
  /** Returns a whole record to the broker, which hands it out again after `HAND_BACK_MS`. */
  handBack(record: RecordInWork): void;
  /** Gives back everything, within a bound. */
  close(): Promise<void>;
}

export interface RecordsInWorkOptions {
  log: Log;
  clock: Clock;
  ids: Pick<Ids, 'uuidv4'>;
  logger: Logger;
  /** The broker hands an item out again after this long without a heartbeat. */
  ackWaitMs: number;
  /** Once true, acknowledgements are not repeated any more. */
  isStopped: () => boolean;
}

/** Delay after which the broker hands out a returned item again. */
export const HAND_BACK_MS = 1_000;
const ACK_TRIES = 10;
/** Heartbeats per `ackWaitMs`: three in a row may be lost. */
const BEATS = 4;
/** Moves of a remainder per `ackWaitMs`: each is a write to disk. */
const MOVES = 2;

export function createRecordsInWork(options: RecordsInWorkOptions): RecordsInWork {
  const { log, clock, ids, logger, ackWaitMs, isStopped } = options;
  const held = new Set<RecordInWork>();
  let closed = false;
  let cancelBeat = clock.timer(ackWaitMs / BEATS, beat);
  /** While a record of several deliveries is in work. */
  let cancelSweep: Cancel | undefined;

  function beat(): void {
    for (const { item, remainder } of held) if (remainder === undefined) item.working();
    cancelBeat = clock.timer(ackWaitMs / BEATS, beat);
  }

  function sweepSoon(): void {
    if (!closed) cancelSweep ??= clock.timer(QUEUE_LIMITS.deliveryRemainderMs, sweep);
  }

  function sweep(): void {
    cancelSweep = undefined;
    const nowMs = clock.monotonicMs();
    for (const record of held) {
      const { open, endedMs = Infinity, remainder, storing } = record;
      const isDue = nowMs - endedMs >= QUEUE_LIMITS.deliveryRemainderMs;
      const mustMove = nowMs - (remainder?.storedMs ?? Infinity) >= ackWaitMs / MOVES;
      if (open.size > 0 && storing === undefined && (isDue || mustMove)) void store(record, ackWaitMs);
      if (record.total > 1) sweepSoon();
    }
  }

  /** Stores the remainder of a record, due after `delayMs`. False: it could not be stored. */
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
    if (isFirst) await confirm(record.item);
    return true;
  }

  /** Repeats an acknowledgement that a broken connection lost: otherwise the attempts are made twice. */
  async function confirm(item: WorkItem): Promise<void> {
    for (let tries = 1; !(await item.ack()); tries++) {
      if (tries === ACK_TRIES || isStopped()) {
        logger.warn({}, 'webhooks: an acknowledgement was not confirmed; its attempts may be repeated');
        return;
      }
      await sleep(clock, HAND_BACK_MS);
    }
  }

  /** Ends the work on a record without open deliveries. */
  async function settle(record: RecordInWork): Promise<void> {
    const { item, returned, total } = record;
    while (record.storing !== undefined) await record.storing;
    const isApart = record.remainder !== undefined;
    if (!isApart && returned.size === 0) {
      await acknowledge(record);
    } else if (!isApart && returned.size === total) {
      held.delete(record);
      item.retryIn(record.returnMs);
    } else {
      const isStored = await store(record, returned.size === 0 ? 0 : record.returnMs);
      held.delete(record);
      // Repeats those that have ended; the alternative is to lose the others.
      if (!isStored && record.remainder === undefined) item.retryIn(record.returnMs);
    }
  }

  async function acknowledge(record: RecordInWork): Promise<void> {
    held.delete(record);
    await confirm(record.item);
  }

  async function giveBack(record: RecordInWork, delivery: Delivery, delayMs: number): Promise<void> {
    if (!record.open.delete(delivery)) return;
    record.returned.add(delivery);
    record.returnMs = Math.max(record.returnMs, delayMs);
    if (record.open.size === 0) await settle(record);
  }

  return {
    hold(item) {
      const record: RecordInWork = {
        item,
        open: new Set(),
        returned: new Set(),
        total: 0,
        receiver: undefined,
        returnMs: HAND_BACK_MS,
        endedMs: undefined,
        remainder: undefined,
        storing: undefined,
      };
      held.add(record);
      return record;
    },
    async opened(record, deliveries) {
      record.total = deliveries.length;
      [record.receiver] = deliveries;
      for (const delivery of deliveries) record.open.add(delivery);
      if (record.total > 1) sweepSoon();
      if (record.total === 0) await settle(record);
    },
    async ended(record, delivery) {
      if (!record.open.delete(delivery)) return;
      record.endedMs ??= clock.monotonicMs();
      if (record.open.size === 0) await settle(record);
    },
    giveBack,
    acknowledge,
    handBack(record) {
      held.delete(record);
      record.item.retryIn(HAND_BACK_MS);
    },
    async close() {
      const work = [...held].map(async (record) => {
        // A record that is being settled, or was not read, has no open deliveries.
        if (record.total === 0) record.item.retryIn(HAND_BACK_MS);
        for (const delivery of record.open) await giveBack(record, delivery, HAND_BACK_MS);
      });
      await within(clock, HAND_BACK_MS, Promise.allSettled(work));
      closed = true;
      held.clear();
      cancelBeat();
      cancelSweep?.();
    },
  };
}
