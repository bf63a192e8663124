import { type Clock, within } from '../../core/kernel/clock.ts';
import type { Ids } from '../../core/kernel/ids.ts';
import { hash } from 'node:crypto';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';
import type { Log } from '../../streams/log/log.ts';
import { RECEIPT_LIMITS } from './limits.ts';
import { dueReceipts, encodeJob, laterReceipts, type ReceiptJob } from './receipt-job.ts';

/**
 * Takes receipts for verification. One that is taken is on the disks of the broker, in the work queue RECEIPTS, until
 * it is decided. The same receipt again is taken once within the broker's window; later it is verified again, which
 * changes nothing. The numbers that wait are bounded, of a game and in all.
 */
export interface ReceiptQueue {
  add(receipt: Omit<ReceiptJob, 'id' | 'queuedAt' | 'attempts'>): Promise<'taken' | 'full' | 'unavailable'>;
}

interface Options {
  log: Pick<Log, 'append' | 'info' | 'countSubjects' | 'countBySubject'>;
  clock: Clock;
  ids: Pick<Ids, 'uuidv4'>;
}

interface Known {
  at: number;
  room: number;
}

export function createReceiptQueue({ log, clock, ids }: Options): ReceiptQueue {
  const known = new Map<string, Known>();

  async function roomOf(scope: Scope, nowMs: number): Promise<Known | undefined> {
    const due = dueReceipts(scope);
    const held = known.get(due);
    if (held !== undefined && nowMs - held.at < RECEIPT_LIMITS.waitingKnownMs) return held;
    // The log repeats a read until the broker answers.
    const read = await within(
      clock,
      RECEIPT_LIMITS.logReadMs,
      Promise.all([
        log.info('RECEIPTS'),
        log.countBySubject('RECEIPTS', due),
        log.countSubjects('RECEIPTS', laterReceipts(scope)),
      ]),
    );
    if (read === undefined) return undefined;
    const [{ sizeBytes }, counts, later] = read;
    const room =
      sizeBytes >= RECEIPT_LIMITS.waitingBytes ? 0 : RECEIPT_LIMITS.waitingOfGame - (counts.get(due) ?? 0) - later;
    const found = { at: nowMs, room };
    if (known.size >= RECEIPT_LIMITS.verifiers) known.clear();
    known.set(due, found);
    return found;
  }

  return {
    async add(receipt) {
      const nowMs = clock.monotonicMs();
      const room = await roomOf(receipt, nowMs);
      if (room === undefined) return 'unavailable';
      if (room.room <= 0) return 'full';
      room.room -= 1;
      const job = { ...receipt, id: ids.uuidv4(), queuedAt: clock.wallMs(), attempts: 0 };
      const { playerId, transactionId, payload } = receipt;
      const messageId = hash('sha256', JSON.stringify([playerId, transactionId, payload]), 'base64url');
      const stored = await log.append(dueReceipts(receipt), encodeJob(job), { messageId });
      return stored.kind === 'acked' ? 'taken' : 'unavailable';
    },
  };
}
