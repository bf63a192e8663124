import type { StreamName } from '../../../core/vocabulary/stream-name.ts';
import type { SnapshotMark } from '../../../core/vocabulary/facts/facts.ts';
import type { RowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import type { LogRecord } from '../../log/log.ts';
import type { SinkName } from '../../positions/sink-registry.ts';

/** A stream of the log that is written to ClickHouse. */
export interface BatchSource {
  stream: StreamName;
  /** Names its position, lease, metrics and log lines. */
  sink: SinkName;
  /**
   * What to do when ClickHouse has lost rows. `wait`: write nothing until an operator has restored or repaired it, as
   * the log may still hold the records. `report`: go on, because the log no longer holds them.
   */
  onLoss: 'wait' | 'report';
  /**
   * Adds the rows of one record to a batch. After a crash the same records must become the same rows: their number and
   * all values but those of extracted properties, which follow the settings of the game.
   */
  add(record: LogRecord, into: BatchUnderWay): void;
}

export interface BatchUnderWay {
  rows: RowBatch;
  /** Partition → the snapshot mark inside with the highest `coveredTo`. */
  marks: Map<number, SnapshotMark>;
  /** The stream's creation, as the broker writes it. */
  stream: string;
}
