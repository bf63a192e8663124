import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { createClickhouseTarget } from './block-target.ts';
import { createEraser } from './eraser.ts';
import { createErasureTarget } from './erasure-target.ts';
import { createFactsWriter, type FactsWriterOptions } from './facts-writer.ts';
import { RECORDS_SOURCE } from './records-source.ts';
import { createStreamWriter } from './stream-writer.ts';
import { createRecordsTrimmer } from './trim-records.ts';

export interface ClickhouseSinkOptions extends Omit<FactsWriterOptions, 'target' | 'onErasures'> {
  clickhouse: ClickhouseAddress;
}

export interface ClickhouseSink {
  /** Contends for the lease of each stream, and writes the stream while it holds the lease. */
  start(): void;
  /** Writes gathered records within a bound, releases the leases and closes the connections. */
  stop(): Promise<void>;
}

/**
 * The ClickHouse sink: independent writers for FACTS and RECORDS, and the eraser. The simulation uses the facts writer
 * with its own target.
 */
export function createClickhouseSink(options: ClickhouseSinkOptions): ClickhouseSink {
  const target = createClickhouseTarget(options.clickhouse);
  const eraser = createEraser({
    ...options,
    logger: options.logger.child({ sink: 'clickhouse' }),
    target: createErasureTarget(options.clickhouse),
    leads: () => writer.leads(),
  });
  const writer = createFactsWriter({ ...options, target, onErasures: () => eraser.wake() });
  const records = createStreamWriter({
    ...options,
    target,
    source: RECORDS_SOURCE,
    onWritten: createRecordsTrimmer(options),
  });
  return {
    start() {
      writer.start();
      records.start();
      eraser.start();
    },
    async stop() {
      await Promise.all([writer.stop(), records.stop(), eraser.stop()]);
      await target.close();
    },
  };
}
