import type { FedRecord } from './fed-record.ts';

/**
 * The records that were fanned out last, shared by readers that are slightly behind: slow for a moment, or back after a
 * short disconnection. Bounded by bytes; the oldest are dropped.
 */
export interface RecentRecords {
  /** Sequence of the last record fanned out. */
  readonly lastSequence: number;
  push(record: FedRecord): void;
  /**
   * The first record at or after `sequence`. `gone`: it may have been dropped; read the log. `none`: no such record was
   * fanned out yet.
   */
  at(sequence: number): FedRecord | 'gone' | 'none';
}

/** @param lastSequence the sequence before the first record */
export function createRecentRecords(lastSequence: number, limitBytes: number): RecentRecords {
  let records: FedRecord[] = [];
  /** Records before this index are dropped; the array is cut from time to time. */
  let head = 0;
  let heldBytes = 0;
  let heldFrom = lastSequence + 1;
  let last = lastSequence;

  function drop(): void {
    const oldest = records[head];
    if (oldest === undefined) return;
    heldBytes -= oldest.sizeBytes;
    heldFrom = oldest.sequence + 1;
    head += 1;
    if (head >= 1024 && head * 2 >= records.length) {
      records = records.slice(head);
      head = 0;
    }
  }

  /** Index of the first record at or after `sequence`: records are in order. */
  function search(sequence: number): number {
    let low = head;
    let high = records.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((records[middle]?.sequence ?? 0) < sequence) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  return {
    get lastSequence() {
      return last;
    },
    push(record) {
      records.push(record);
      heldBytes += record.sizeBytes;
      last = record.sequence;
      while (heldBytes > limitBytes && records.length - head > 1) drop();
    },
    at(sequence) {
      if (sequence > last) return 'none';
      if (sequence < heldFrom) return 'gone';
      return records[search(sequence)] ?? 'none';
    },
  };
}
