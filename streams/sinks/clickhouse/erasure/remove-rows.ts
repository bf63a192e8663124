import type { ClickHouseClient } from '@clickhouse/client';

/** Deletes the rows of a table that match a condition. `false`: an earlier mutation still runs; call again. */
export type RemoveRows = (table: string, condition: string, parameters?: Record<string, unknown>) => Promise<boolean>;

/** Runs `ALTER TABLE … command WHERE condition`, if rows match. `false`: an earlier mutation still runs; call again. */
export type MutateRows = (
  table: string,
  command: string,
  condition: string,
  parameters?: Record<string, unknown>,
) => Promise<boolean>;

/**
 * Mutations write the parts with such rows anew: each part is replaced at once, with its projections. A mutation whose
 * answer is lost goes on in the engine. A second one would wait behind it, and each repeat would add one more, so none
 * begins while one runs.
 */
export function createMutateRows(client: ClickHouseClient): MutateRows {
  async function rows(query: string, query_params: Record<string, unknown>): Promise<unknown[]> {
    return (await client.query({ query, query_params, format: 'JSONEachRow' })).json();
  }

  return async (table, command, condition, parameters = {}) => {
    const found = await rows(`SELECT 1 FROM ${table} WHERE ${condition} LIMIT 1`, parameters);
    if (found.length === 0) return true;
    const unfinished = await rows(UNFINISHED, { table });
    if (unfinished.length > 0) return false;
    await client.command({
      query: `ALTER TABLE ${table} ${command} WHERE ${condition}`,
      query_params: parameters,
      clickhouse_settings: { mutations_sync: '1' },
    });
    return true;
  };
}

/**
 * ALTER TABLE … DELETE writes the parts with such rows anew. A lightweight DELETE is faster, but it only hides rows
 * until the next merge, and projections still count them (seen in 26.7).
 */
export function createRemoveRows(client: ClickHouseClient): RemoveRows {
  const mutate = createMutateRows(client);
  return (table, condition, parameters) => mutate(table, 'DELETE', condition, parameters);
}

const UNFINISHED = `SELECT 1 FROM system.mutations
  WHERE database = currentDatabase() AND table = {table: String} AND NOT is_done LIMIT 1`;
