import type { StreamName } from '../../../core/vocabulary/stream-name.ts';
import { ClickHouseError, type ClickHouseSettings } from '@clickhouse/client';
import { Readable } from 'node:stream';
import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { sequenceColumn, TABLES, type TableName } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import type { RowBlock } from '../../../clickhouse-schema/rows/row-batch.ts';
import {
  type ConfirmedPosition,
  noteConfirmedPosition,
  readConfirmedPosition,
} from '../../../clickhouse-schema/queries/confirmed-position.ts';
import { TRANSIENT_CODES } from '../../../clickhouse-schema/transient-codes.ts';
import { SINK_LIMITS } from './limits.ts';

/**
 * Takes the sink's blocks. `inserted` means durable. A block whose token was inserted before is dropped and counts as
 * inserted. A `failed` block may have been inserted: repeat it with the same token and bytes.
 */
export interface BlockTarget {
  /** `place` describes the block's rows; with `repeated`, an earlier insert may have succeeded in part. */
  insert(table: TableName, bytes: Uint8Array, token: string, place?: BlockPlace): Promise<InsertOutcome>;
  /** Up to where ClickHouse confirms a stream; `undefined`: it has no note. Rejects when it cannot be read. */
  confirmedTo(stream: StreamName): Promise<ConfirmedPosition | undefined>;
  /**
   * Notes that every record of the stream up to a position is inserted, unless ClickHouse is behind `noted`, which it
   * noted last. Resolves to whether it is noted, when that is durable.
   */
  noteConfirmed(
    stream: StreamName,
    position: ConfirmedPosition,
    noted: ConfirmedPosition | undefined,
  ): Promise<boolean>;
  close(): Promise<void>;
}

export interface BlockPlace extends Pick<RowBlock, 'rows' | 'receivedFromMs' | 'receivedToMs'> {
  /** First and last sequence of the batch in its stream. */
  from: number;
  to: number;
  repeated: boolean;
}

/** `refused`: ClickHouse rejected the block, and a repeat will not help; otherwise it is unreachable or busy. */
export type InsertOutcome = { kind: 'inserted' } | { kind: 'failed'; refused: boolean; message: string };

/**
 * Blocks in the Native format over ClickHouse's HTTP interface.
 *
 * A token does not survive a crash of ClickHouse: the engine records it before it commits the part (seen in 26.7 and in
 * its source), so after a crash in between a repeat is dropped as a duplicate although no row exists. Therefore the
 * rows of a repeated block are counted before and after the insert; a token without rows is used up, and the block is
 * inserted under the next one. The first token meets an insert that still runs in the engine.
 */
export function createClickhouseTarget(address: ClickhouseAddress): BlockTarget {
  const client = openClient(address, 'sink', SINK_LIMITS.sinkRequestMs);

  async function send(table: TableName, bytes: Uint8Array, settings: ClickHouseSettings): Promise<void> {
    // The client's insert method would parse the rows, which are bytes already.
    const { stream } = await client.exec({
      query: `INSERT INTO ${table} (${TABLES[table].columns.join(', ')}) FORMAT Native`,
      values: Readable.from([bytes], { objectMode: false }),
      clickhouse_settings: { ...ONE_DURABLE_BLOCK, ...settings },
    });
    for await (const _ of stream) {
      // The response has no content; its end shows success.
    }
  }

  /** How many of a block's rows exist. The bounds of `received_at` limit the search to one monthly partition. */
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
    // A row that exists twice counts once, and a row that a newer one replaced cannot be found.
    if (TABLES[table].replacing) {
      await send(table, bytes, { insert_deduplicate: 0 });
      return { kind: 'inserted' };
    }
    for (let attempt = 0; attempt < TOKENS; attempt++) {
      const found = await countRows(table, place);
      if (found >= place.rows) return { kind: 'inserted' };
      // A block is one part, so it exists as a whole or not at all. Anything else needs an operator; nothing is
      // changed.
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
    confirmedTo: (stream) => readConfirmedPosition(client, stream),
    noteConfirmed: (stream, position, noted) => noteConfirmedPosition(client, stream, position, noted),
    close: () => client.close(),
  };
}

/** A crash uses up at most one token of a block; this many in a row indicate another fault. */
const TOKENS = 8;

/** One insert must become one block, and be answered once its part is on disk; otherwise its token proves nothing. */
const ONE_DURABLE_BLOCK = {
  async_insert: 0,
  // An index of a small part is two more files, and saves nothing. Merges add it.
  materialize_skip_indexes_on_insert: 0,
  insert_deduplicate: 1,
  input_format_parallel_parsing: 0,
  max_insert_block_size: '10000000',
  min_insert_block_size_rows: '0',
  min_insert_block_size_bytes: '0',
  // A column that the table lacks must not be dropped in silence.
  input_format_skip_unknown_fields: 0,
} as const;
