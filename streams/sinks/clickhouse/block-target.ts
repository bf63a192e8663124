import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import { Readable } from 'node:stream';
import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { COLUMNS, REPLACING_TABLES, sequenceColumn, type TableName } from '../../../clickhouse-schema/rows/columns.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import type { RowBlock } from '../../../clickhouse-schema/rows/row-batch.ts';
import { TRANSIENT_CODES } from '../../../clickhouse-schema/transient-codes.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';

/**
 * Where the sink's blocks go. `inserted` means durable. A block with a token that was inserted before is dropped and counts
 * as inserted. `failed` may have been inserted all the same: it is to be repeated with the same token and bytes.
 */
export interface BlockTarget {
  /** `place` says where the block's rows stand; with `repeated` an earlier insert of it may have got anywhere. */
  insert(table: TableName, bytes: Uint8Array, token: string, place?: BlockPlace): Promise<InsertOutcome>;
  close(): Promise<void>;
}

export interface BlockPlace extends Pick<RowBlock, 'rows' | 'receivedFromMs' | 'receivedToMs'> {
  /** First and last sequence of the batch in its stream. */
  from: number;
  to: number;
  repeated: boolean;
}

/** `refused`: ClickHouse understood and said no, which no waiting cures; otherwise it could not be reached or is busy. */
export type InsertOutcome = { kind: 'inserted' } | { kind: 'failed'; refused: boolean; message: string };

/**
 * Blocks of TabSeparated over ClickHouse's HTTP interface.
 *
 * A token alone does not survive a crash of ClickHouse: the engine notes it before it puts the part in its place (seen in 26.7
 * and in its source), so what dies in between is dropped as a duplicate when it is repeated, and was never there. A repeated
 * block is therefore looked for among the rows, before the insert and after it; a token without rows is used up, and the
 * block goes in under the next one. An insert still running in the engine is met by the first token.
 */
export function createClickhouseTarget(address: ClickhouseAddress): BlockTarget {
  const client = openClient(address, 'sink', LIMITS.sinkRequestMs);

  async function send(table: TableName, bytes: Uint8Array, settings: ClickHouseSettings): Promise<void> {
    // The client's own insert would take rows apart again that are bytes already.
    const { stream } = await client.exec({
      query: `INSERT INTO ${table} (${COLUMNS[table].join(', ')}) FORMAT TabSeparated`,
      values: Readable.from([bytes], { objectMode: false }),
      clickhouse_settings: { ...ONE_DURABLE_BLOCK, ...settings },
    });
    for await (const _ of stream) {
      // The answer has no content; its end is what counts.
    }
  }

  /** How many of a block's rows are there. The months of `received_at` keep the search to one of the table's parts of time. */
  async function countRows(table: TableName, place: BlockPlace): Promise<number> {
    const result = await client.query({
      query: `SELECT toUInt32(count()) AS n FROM ${table}
        WHERE ${sequenceColumn(table)} BETWEEN {from: UInt64} AND {to: UInt64}
        AND received_at BETWEEN fromUnixTimestamp64Milli({since: Int64}) AND fromUnixTimestamp64Milli({until: Int64})`,
      query_params: { from: place.from, to: place.to, since: place.receivedFromMs, until: place.receivedToMs },
      format: 'JSONEachRow',
    });
    const [row] = await result.json<{ n: number }>();
    return row?.n ?? 0;
  }

  async function repeat(table: TableName, bytes: Uint8Array, token: string, place: BlockPlace): Promise<InsertOutcome> {
    // A row that is there twice is one, and one that a newer one replaced can't be found.
    if (REPLACING_TABLES.has(table)) {
      await send(table, bytes, { insert_deduplicate: 0 });
      return { kind: 'inserted' };
    }
    for (let attempt = 0; attempt < TOKENS; attempt++) {
      const found = await countRows(table, place);
      if (found >= place.rows) return { kind: 'inserted' };
      // A block is one part, there or not there. Anything else is for a person to look at, and nothing is made worse.
      if (found > 0) return { kind: 'failed', refused: true, message: `${found} of ${place.rows} rows are there` };
      await send(table, bytes, { insert_deduplication_token: attempt === 0 ? token : `${token}/${attempt}` });
    }
    const found = await countRows(table, place);
    if (found >= place.rows) return { kind: 'inserted' };
    return {
      kind: 'failed',
      refused: false,
      message: `${found} of ${place.rows} rows are there after ${TOKENS} tokens`,
    };
  }

  return {
    async insert(table, bytes, token, place) {
      try {
        if (place?.repeated === true) return await repeat(table, bytes, token, place);
        await send(table, bytes, { insert_deduplication_token: token });
        return { kind: 'inserted' };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return {
          kind: 'failed',
          refused: error instanceof ClickHouseError && !TRANSIENT_CODES.has(Number(error.code)),
          message,
        };
      }
    },
    close: () => client.close(),
  };
}

/** A crash uses up at most one token of a block; so many in a row are no accident. */
const TOKENS = 8;

/** One insert must become one block and be answered once it is a part on disk: only then does its token mean anything. */
const ONE_DURABLE_BLOCK = {
  async_insert: 0,
  insert_deduplicate: 1,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '10000000',
  min_insert_block_size_rows: '0',
  min_insert_block_size_bytes: '0',
} as const;
