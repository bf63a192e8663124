import { ClickHouseError } from '@clickhouse/client';
import { Readable } from 'node:stream';
import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import type { TableName } from '../../../clickhouse-schema/rows.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';

/**
 * Where the sink's blocks go. `inserted` means durable. A block with a token that was inserted before is dropped and counts
 * as inserted. `failed` may have been inserted all the same: it is to be repeated with the same token and bytes.
 */
export interface BlockTarget {
  insert(table: TableName, bytes: Uint8Array, token: string): Promise<InsertOutcome>;
  close(): Promise<void>;
}

/** `refused`: ClickHouse understood and said no, which no waiting cures; otherwise it could not be reached or is busy. */
export type InsertOutcome = { kind: 'inserted' } | { kind: 'failed'; refused: boolean; message: string };

/** Blocks of JSONEachRow over ClickHouse's HTTP interface. */
export function createClickhouseTarget(address: ClickhouseAddress): BlockTarget {
  const client = openClient(address, 'sink', LIMITS.sinkRequestMs);
  return {
    async insert(table, bytes, token) {
      try {
        // The client's own insert would take rows apart again that are bytes already.
        const { stream } = await client.exec({
          query: `INSERT INTO ${table} FORMAT JSONEachRow`,
          values: Readable.from([bytes], { objectMode: false }),
          clickhouse_settings: { ...ONE_DURABLE_BLOCK, insert_deduplication_token: token },
        });
        for await (const _ of stream) {
          // The answer has no content; its end is what counts.
        }
        return { kind: 'inserted' };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return {
          kind: 'failed',
          refused: error instanceof ClickHouseError && !TRANSIENT.has(Number(error.code)),
          message,
        };
      }
    },
    close: () => client.close(),
  };
}

/** One insert must become one block and be answered once it is a part on disk: only then does its token mean anything. */
const ONE_DURABLE_BLOCK = {
  async_insert: 0,
  insert_deduplicate: 1,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '10000000',
  min_insert_block_size_rows: '0',
  min_insert_block_size_bytes: '0',
  input_format_skip_unknown_fields: 0,
} as const;

/** Codes that pass by themselves: time-outs, memory, too many parts or statements, network, shutdown, disk, starting up. */
const TRANSIENT = new Set([
  159, 160, 202, 203, 209, 210, 236, 241, 242, 243, 252, 279, 394, 425, 999, 1000, 1001, 1002,
]);
