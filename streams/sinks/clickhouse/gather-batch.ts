import type { SnapshotMark } from '../../../core/vocabulary/facts/facts.ts';
import type { Signal } from '../../../core/kernel/flow/signal.ts';
import type { RowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { sleep, untilTickMs, type Clock } from '../../../core/kernel/clock.ts';
import { EVENT_QUERY_LIMITS } from '../../../clickhouse-schema/queries/events/limits.ts';
import { SINK_LIMITS } from './limits.ts';
import type { LogRecord, Reader } from '../../log/log.ts';
import { UnknownVersionError } from '../../../core/codec/unknown-version.ts';
import type { BatchUnderWay } from './batch-source.ts';

/** Records that are inserted together. */
export interface GatheredBatch {
  from: number;
  to: number;
  rows: RowBatch;
  /** Partition → the snapshot mark inside with the highest `coveredTo`. */
  marks: ReadonlyMap<number, SnapshotMark>;
  /** Why the record after the batch cannot be read: a newer version wrote it. */
  unreadable?: UnknownVersionError;
}

export interface GatherOptions {
  reader: Reader;
  /** Collects the rows; cleared first. */
  rows: RowBatch;
  /** Adds the rows of one record. */
  add: (record: LogRecord, into: Pick<BatchUnderWay, 'rows' | 'marks'>) => void;
  clock: Clock;
  signal: Signal;
  /** When the next insert may begin, by the monotonic clock. */
  notBeforeMs: number;
  /** Gather exactly up to this sequence, regardless of limits. */
  exactlyTo?: number;
  /** Whether to return the gathered records at once. */
  hurry: () => boolean;
  /** Whether to stop; the result is then `undefined`. */
  abandoned: () => boolean;
}

/**
 * Gathers the next batch until it is full, it is time for the next insert, or the next record cannot be read.
 * `undefined`: abandoned, the reader ended, or in a hurry without records. Rejects if the first record cannot be read,
 * or one of a batch that must be repeated exactly.
 */
export async function gatherBatch(options: GatherOptions): Promise<GatheredBatch | undefined> {
  const { reader, rows, clock, signal, exactlyTo } = options;
  rows.clear();
  const marks = new Map<number, SnapshotMark>();
  let from = 0;
  let to = 0;
  let sizeBytes = 0;
  let firstMs = 0;
  /** The number of rows at which other work gets the event loop. */
  let yieldAtRows: number = SINK_LIMITS.sinkRowsAtOnce;

  function add(record: LogRecord): void {
    options.add(record, { rows, marks });
    if (from === 0) {
      from = record.sequence;
      firstMs = clock.monotonicMs();
    }
    to = record.sequence;
    sizeBytes += record.data.length;
  }

  /** A record is decoded before any of its rows is added, so an unreadable one adds nothing. */
  function tryToAdd(record: LogRecord): UnknownVersionError | undefined {
    try {
      add(record);
      return undefined;
    } catch (error) {
      if (error instanceof UnknownVersionError) return error;
      throw error;
    }
  }

  const full = () => rows.rows >= EVENT_QUERY_LIMITS.sinkBatchRows || sizeBytes >= SINK_LIMITS.sinkBatchBytes;
  const dueMs = () => Math.max(firstMs + SINK_LIMITS.sinkLingerMs, options.notBeforeMs);
  const complete = () => (exactlyTo === undefined ? full() : to >= exactlyTo);

  while (!options.abandoned() && reader.ended === undefined) {
    const record = complete() ? undefined : reader.take(1)[0];
    if (record !== undefined) {
      const unreadable = tryToAdd(record);
      if (unreadable === undefined) {
        // What came during an insert may be seconds of events, and the webhooks share this thread.
        if (rows.rows >= yieldAtRows) {
          await sleep(clock, 0);
          yieldAtRows = rows.rows + SINK_LIMITS.sinkRowsAtOnce;
        }
        continue;
      }
      if (from === 0 || exactlyTo !== undefined) throw unreadable;
      return { from, to, rows, marks, unreadable };
    }
    const isDue = from > 0 && clock.monotonicMs() >= dueMs();
    if (from > 0 && (complete() || (exactlyTo === undefined && (isDue || options.hurry())))) {
      return { from, to, rows, marks };
    }
    if (options.hurry() && exactlyTo === undefined) return undefined;
    const idleMs = untilTickMs(clock, SINK_LIMITS.sinkIdleCheckMs);
    const untilMs = from === 0 ? idleMs : dueMs() - clock.monotonicMs();
    await signal.wait(clock, exactlyTo === undefined ? Math.max(1, untilMs) : SINK_LIMITS.sinkIdleCheckMs);
  }
  return undefined;
}
