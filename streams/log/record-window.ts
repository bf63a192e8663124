import { isSameRecord, type LogRecord } from './log.ts';

/**
 * A stretch of a stream's records in order. A record's place counts all records that the window ever held, so it stays
 * the same while earlier records are dropped.
 */
export interface RecordWindow {
  /** The place of the first record that it holds. */
  readonly first: number;
  /** The place after the last record. */
  readonly end: number;
  readonly length: number;
  /** Bytes of the records' data. */
  readonly bytes: number;
  push(records: readonly LogRecord[]): void;
  /** The place of a record; `undefined`: the window does not hold it, byte for byte. */
  placeOf(wanted: LogRecord | undefined): number | undefined;
  /** The records from a place on: at most `maxRecords`, and `maxBytes` except for the first. */
  from(place: number, maxRecords?: number, maxBytes?: number): LogRecord[];
  /** Removes the first records and returns them, bounded in the same way. */
  take(maxRecords?: number, maxBytes?: number): LogRecord[];
  /** Drops the first records. */
  drop(count: number): void;
  /** Drops the first records until the others keep these bounds. */
  dropTo(mostRecords: number, mostBytes: number): void;
  /** Drops every record, and skips a place: so those who have taken every record are behind `first` too. */
  forget(): void;
}

export function createRecordWindow(): RecordWindow {
  const records: LogRecord[] = [];
  let bytes = 0;
  let first = 0;

  function from(place: number, maxRecords = Infinity, maxBytes = Infinity): LogRecord[] {
    const begin = place - first;
    let end = begin;
    let takenBytes = 0;
    for (; end < records.length && end - begin < maxRecords; end++) {
      takenBytes += records[end]?.data.length ?? 0;
      if (end > begin && takenBytes > maxBytes) break;
    }
    return records.slice(begin, end);
  }

  function drop(count: number): void {
    for (const { data } of records.splice(0, count)) bytes -= data.length;
    first += count;
  }

  return {
    get first() {
      return first;
    },
    get end() {
      return first + records.length;
    },
    get length() {
      return records.length;
    },
    get bytes() {
      return bytes;
    },
    push(more) {
      for (const record of more) {
        records.push(record);
        bytes += record.data.length;
      }
    },
    placeOf(wanted) {
      if (wanted === undefined) return undefined;
      const index = records.findLastIndex(({ sequence }) => sequence <= wanted.sequence);
      const found = records[index];
      return found !== undefined && isSameRecord(found, wanted) ? first + index : undefined;
    },
    from,
    take(maxRecords, maxBytes) {
      const taken = from(first, maxRecords, maxBytes);
      drop(taken.length);
      return taken;
    },
    drop,
    dropTo(mostRecords, mostBytes) {
      let count = 0;
      let left = bytes;
      while (count < records.length && (records.length - count > mostRecords || left > mostBytes)) {
        left -= records[count]?.data.length ?? 0;
        count += 1;
      }
      drop(count);
    },
    forget() {
      drop(records.length);
      first += 1;
    },
  };
}
