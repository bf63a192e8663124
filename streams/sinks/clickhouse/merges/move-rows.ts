import type { ClickHouseClient } from '@clickhouse/client';
import {
  movedColumns,
  movedRows,
  rowsOfTargets,
  type PendingMerge,
} from '../../../../clickhouse-schema/rows/moved-rows.ts';
import type { RecordsPosition } from '../../../../clickhouse-schema/rows/placed-rows.ts';
import { TABLES, type PlayerTable } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import { createMutateRows, createRemoveRows } from '../erasure/remove-rows.ts';

/** Moves the rows of a table. `false`: an earlier statement still runs; call again. */
export type MoveRows = (
  table: PlayerTable,
  merges: readonly PendingMerge[],
  records: RecordsPosition | undefined,
) => Promise<boolean>;

/**
 * Moves rows in place, which replaces each part at once, or copies those that are not there yet, and then deletes them.
 * In between a table has both, so a figure may count these rows twice for the time of a deletion. Both may be repeated.
 *
 * A copy whose answer is lost goes on in the engine. Its rows would be missed by the next one, so none begins while one
 * runs.
 */
export function createMoveRows(client: ClickHouseClient): MoveRows {
  const mutate = createMutateRows(client);
  const remove = createRemoveRows(client);

  async function update(table: PlayerTable, merges: readonly PendingMerge[], condition: string): Promise<boolean> {
    const columns = Array.from(movedColumns(table, merges), ([column, value]) => `${column} = ${value}`);
    return mutate(table, `UPDATE ${columns.join(', ')}`, `${condition} AND ${await inTime(table, condition)}`);
  }

  /** Bounds of the rows' time: with them the engine reads the months that have such rows. */
  async function inTime(table: PlayerTable, condition: string): Promise<string> {
    const [found] = await rows<{ since: string | number; until: string | number }>(
      `SELECT toUnixTimestamp64Milli(min(received_at)) AS since, toUnixTimestamp64Milli(max(received_at)) AS until
        FROM ${table} WHERE ${condition}`,
    );
    const time = (ms: string | number | undefined) => `fromUnixTimestamp64Milli(${Number(ms ?? 0)}, 'UTC')`;
    return `received_at BETWEEN ${time(found?.since)} AND ${time(found?.until)}`;
  }

  async function copy(table: PlayerTable, merges: readonly PendingMerge[], condition: string): Promise<boolean> {
    if ((await rows(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`)).length === 0) return true;
    if ((await rows(COPYING)).length > 0) return false;
    const moved = movedColumns(table, merges);
    const columns = [...TABLES[table].columns, 'merged_from'];
    const valueOf = (column: string) => moved.get(column) ?? column;
    const key = (player: string) => `(${player}, received_at, facts_sequence, facts_index)`;
    await client.command({
      query: `INSERT INTO ${table} (${columns.join(', ')})
        SELECT ${columns.map(valueOf).join(', ')}
        FROM ${table}
        WHERE ${condition} AND ${key(valueOf('player_id'))} NOT IN (
          SELECT ${key('player_id')} FROM ${table} WHERE ${rowsOfTargets(merges)}
        )`,
      clickhouse_settings: {
        async_insert: 0,
        // The rows of a merge that was taken back and made again are the same.
        insert_deduplicate: 0,
        // Imported rows may be of many years.
        max_partitions_per_insert_block: '0',
      },
    });
    return remove(table, condition);
  }

  async function rows<Row>(query: string): Promise<Row[]> {
    return (await client.query({ query, format: 'JSONEachRow' })).json<Row>();
  }

  return async (table, merges, records) => {
    const condition = movedRows(table, merges, records);
    return TABLES[table].onMerge === 'update' ? update(table, merges, condition) : copy(table, merges, condition);
  };
}

const COPYING = `SELECT 1 FROM system.processes
  WHERE current_database = currentDatabase() AND query LIKE 'INSERT INTO % merged_from)%' LIMIT 1`;
