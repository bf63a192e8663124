import type { SnapshotSource } from '../../core/vocabulary/snapshot-source.ts';
import type { ClickhouseAddress } from '../clickhouse-address.ts';
import { openClient } from '../open-client.ts';
import { readConfirmedPosition } from './confirmed-position.ts';
import { createBinaryRows } from './statements/binary-rows.ts';

/**
 * Reads a partition's snapshots from `player_snapshots` as a stream. Memory holds one network chunk here, and a block
 * of `ROWS_PER_BLOCK` rows per part of the table in ClickHouse.
 */
export function createSnapshotSource(address: ClickhouseAddress): SnapshotSource {
  async function count(rows: string, query_params: Record<string, number>): Promise<number> {
    const client = openClient(address, 'rebuild', LOAD_TIMEOUT_MS);
    try {
      const query = `SELECT toUInt32(count()) AS entities FROM ${rows}`;
      const result = await client.query({ query, query_params, format: 'JSONEachRow' });
      const [row] = await result.json<{ entities: number }>();
      if (row === undefined) throw new Error('ClickHouse returned no count of snapshots.');
      return row.entities;
    } finally {
      await client.close();
    }
  }

  return {
    async confirmedTo() {
      const client = openClient(address, 'rebuild', LOAD_TIMEOUT_MS);
      try {
        return await readConfirmedPosition(client, 'FACTS');
      } finally {
        await client.close();
      }
    },
    count: (partition, changedSince) => count(ROWS, { partition, changedSince }),
    countPlayers: (partition) => count(PLAYERS, { partition }),
    async *load(partition, changedSince) {
      const client = openClient(address, 'rebuild', LOAD_TIMEOUT_MS);
      try {
        const { stream } = await client.exec({
          query: `SELECT base64Decode(state) FROM ${ROWS} FORMAT RowBinary`,
          query_params: { partition, changedSince },
          clickhouse_settings: { max_block_size: ROWS_PER_BLOCK, max_threads: 2 },
        });
        const rows = createBinaryRows(LONGEST_STATE);
        for await (const chunk of stream) yield rows.take(chunk);
        rows.end();
      } finally {
        await client.close();
      }
    },
  };
}

/**
 * An entity's partition never changes, so PREWHERE leaves out other partitions' rows before the newest row is chosen.
 * WHERE applies to the newest row.
 */
const OF_PARTITION = 'player_snapshots FINAL PREWHERE partition = {partition: UInt16}';

/** Tombstones of erased players are among them. */
const PLAYERS = `${OF_PARTITION} WHERE kind != 'ledger'`;

const ROWS = `${OF_PARTITION} WHERE last_seq >= {changedSince: UInt64}`;

/** A connection without data for this long fails the load; the caller retries. */
const LOAD_TIMEOUT_MS = 120_000;
const ROWS_PER_BLOCK = '2048';
/** Far above the largest state, which a record of FACTS bounds to a few megabytes. */
const LONGEST_STATE = 64 * 1024 * 1024;
