import type { RowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import type { StreamName } from '../../stream-definitions.ts';
import type { LogRecord } from '../../log/log.ts';
import type { SinkName } from '../sink-registry.ts';

/** A stream of the log that is written to ClickHouse. */
export interface BatchSource {
  stream: StreamName;
  /** Names its position, lease, metrics and log lines. */
  sink: SinkName;
  /**
   * Adds the rows of one record to a batch. A pure function of the record and the stream's creation: after a crash the
   * same records must become the same bytes.
   */
  add(record: LogRecord, into: BatchUnderWay): void;
}

export interface BatchUnderWay {
  rows: RowBatch;
  /** Partition → the highest `coveredTo` of the snapshot marks inside. */
  marks: Map<number, number>;
  /** The stream's creation, as the broker writes it. */
  stream: string;
}
