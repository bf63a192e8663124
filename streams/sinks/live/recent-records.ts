import type { FedRecord } from './fed-record.ts';

/**
 * The last records that were fanned out, shared by everybody who is a little behind: a reader whose connection is slow for
 * a moment, or one that comes back after a short cut. Bounded by bytes; the oldest goes first.
 */
export interface RecentRecords {
  /** Sequence of the last record fanned out. */
  readonly lastSequence: number;
  push(record: FedRecord): void;
  /**
   * The first record at or after `sequence`. `gone`: it may have been dropped from here, ask the log. `none`: nothing at
   * or after it was fanned out yet.
   */
  at(sequence: number): FedRecord | 'gone' | 'none';
}

/** @param lastSequence what had been fanned out, or stored before anybody was here to read it. */
export function createRecentRecords(lastSequence: number, limitBytes: number): RecentRecords {
  let records: FedRecord[] = [];
  /** Records before this index of the array are dropped; the array is cut now and then, not at each drop. */
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
