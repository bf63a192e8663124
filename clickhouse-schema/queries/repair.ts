import type { ClickHouseClient } from '@clickhouse/client';
import { sequenceColumn, TABLE_NAMES, TABLES } from '../rows/tables/tables.ts';

/**
 * Deletes the rows of FACTS behind a sequence from every table that is written from FACTS. Tables that keep the newest
 * of several rows stay as they are: the same rows come again.
 * @param createdMs the creation of FACTS: rows received before it belong to an earlier one
 */
export async function removeFactsAfter(client: ClickHouseClient, sequence: number, createdMs: number): Promise<void> {
  for (const table of TABLE_NAMES) {
    if (!TABLES[table].columns.includes('facts_sequence') || sequenceColumn(table) !== 'facts_sequence') continue;
    const since = `fromUnixTimestamp64Milli(${Math.max(0, createdMs)}, 'UTC')`;
    await client.command({
      query: `ALTER TABLE ${table} DELETE WHERE facts_sequence > ${sequence} AND received_at >= ${since}`,
      clickhouse_settings: { mutations_sync: '1' },
    });
  }
}
