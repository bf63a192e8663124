import { createHash } from 'node:crypto';
import type { ClickHouseClient } from '@clickhouse/client';

/** A schema that this version cannot apply. Another attempt fails the same way. */
export class SchemaError extends Error {}

/** An applied file or view. */
export interface Recorded {
  name: string;
  /** SHA-256 (hex) of its statements; '': it was dropped. */
  checksum: string;
}

/** What a database records of the schema that it has. */
export interface SchemaRecord {
  /** The checksum of each applied file or view. */
  readonly checksums: ReadonlyMap<string, string>;
  add(applied: readonly Recorded[]): Promise<void>;
}

/** Reads a record; creates its table if it is missing. */
export async function recordOf(
  client: ClickHouseClient,
  table: 'schema_migrations' | 'schema_views',
): Promise<SchemaRecord> {
  await client.command({
    query: `CREATE TABLE IF NOT EXISTS ${table}
      (name String, checksum String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3))
      ENGINE = ReplacingMergeTree(applied_at) ORDER BY name SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`,
  });
  const query = `SELECT name, argMax(checksum, applied_at) AS newest FROM ${table} GROUP BY name HAVING newest != ''`;
  const rows = await (await client.query({ query, format: 'JSONEachRow' })).json<{ name: string; newest: string }>();
  return {
    checksums: new Map(rows.map(({ name, newest }) => [name, newest])),
    async add(applied) {
      await client.insert({
        table,
        values: applied.map(({ name, checksum }) => ({ name, checksum })),
        format: 'JSONEachRow',
        clickhouse_settings: { async_insert: 0 },
      });
    },
  };
}

/** Of statements without their comments, which may change. */
export const checksumOf = (...statements: readonly string[]): string =>
  createHash('sha256').update(statements.join(';\n')).digest('hex');

/** The statements of a SQL file, each up to a semicolon that ends its line, without comments, which are whole lines. */
export function statementsOf(sql: string): string[] {
  const lines = sql.split('\n').filter((line) => !line.trimStart().startsWith('--'));
  return lines
    .join('\n')
    .split(/;$/m)
    .map((text) => text.trim())
    .filter((text) => text !== '');
}
