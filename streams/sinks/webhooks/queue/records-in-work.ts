import { type Cancel, within } from '../../../../core/kernel/clock.ts';
import { QUEUE_LIMITS } from './limits.ts';
import type { WorkItem } from '../../../log/log.ts';
import type { Delivery } from '../record/delivery.ts';
import { confirmAck, createRemainders, HAND_BACK_MS, type RecordInWork, type RemaindersOptions } from './remainders.ts';

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

export interface RecordsInWorkOptions extends RemaindersOptions {
  /** The broker hands an item out again after this long without a heartbeat. */
  ackWaitMs: number;
}

/** Heartbeats per `ackWaitMs`: three in a row may be lost. */
const BEATS = 4;
/** Moves of a remainder per `ackWaitMs`: each is a write to disk. */
const MOVES = 2;

export function createRecordsInWork(options: RecordsInWorkOptions): RecordsInWork {
  const { clock, ackWaitMs } = options;
  const remainders = createRemainders(options);
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
      if (open.size > 0 && storing === undefined && (isDue || mustMove)) void remainders.store(record, ackWaitMs);
      if (record.total > 1) sweepSoon();
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
      const isStored = await remainders.store(record, returned.size === 0 ? 0 : record.returnMs);
      held.delete(record);
      // Repeats those that have ended; the alternative is to lose the others.
      if (!isStored && record.remainder === undefined) item.retryIn(record.returnMs);
    }
  }

  async function acknowledge(record: RecordInWork): Promise<void> {
    held.delete(record);
    await confirmAck(record.item, options);
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
      remainders.close();
      held.clear();
      cancelBeat();
      cancelSweep?.();
    },
  };
}
