import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { ClickHouseClient } from '@clickhouse/client';
import type { ClickhouseAddress } from '../clickhouse-address.ts';
import { openClient } from '../open-client.ts';

/**
 * Creates a database if it is missing and applies, in order, every numbered SQL file of this folder that is not
 * recorded in `schema_migrations`. Works on the embedded engine and on a ClickHouse server.
 *
 * @returns the names of the applied migrations, in order; empty if none was pending
 * @throws MigrationError if an applied file has changed; the client's error if a statement fails
 */
export async function migrate(address: ClickhouseAddress): Promise<string[]> {
  await createDatabase(address);
  const client = openClient(address, 'migrate', STATEMENT_TIMEOUT_MS);
  try {
    await client.command({ query: RECORD_TABLE });
    const applied = await appliedChecksums(client);
    const names: string[] = [];
    for (const file of await migrationFiles()) {
      const known = applied.get(file.name);
      if (known === undefined) {
        await apply(client, file);
        names.push(file.name);
      } else if (known !== file.checksum) {
        throw new MigrationError(`${file.name} was changed after it was applied. Add a new migration instead.`);
      }
    }
    return names;
  } finally {
    await client.close();
  }
}

/** A changed migration. */
class MigrationError extends Error {}

interface MigrationFile {
  /** File name without `.sql`. */
  name: string;
  sql: string;
  /** SHA-256 (hex) of the file. */
  checksum: string;
}

const RECORD_TABLE = `CREATE TABLE IF NOT EXISTS schema_migrations
  (name String, checksum String, applied_at DateTime64(3, 'UTC') DEFAULT now64(3))
  ENGINE = MergeTree ORDER BY name SETTINGS fsync_after_insert = 1, fsync_part_directory = 1`;

async function migrationFiles(): Promise<MigrationFile[]> {
  const folder = new URL('.', import.meta.url);
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { name: name.replace(/\.sql$/, ''), sql, checksum };
    }),
  );
}

/** Statements end with a semicolon at the end of a line. Each must be repeatable: an interrupted file runs again. */
async function apply(client: ClickHouseClient, file: MigrationFile): Promise<void> {
  const statements = file.sql.split(/;[ \t]*$/m).filter((text) => text.trim() !== '');
  for (const query of statements) await client.command({ query });
  await client.insert({
    table: 'schema_migrations',
    values: [{ name: file.name, checksum: file.checksum }],
    format: 'JSONEachRow',
    clickhouse_settings: { async_insert: 0 },
  });
}

async function appliedChecksums(client: ClickHouseClient): Promise<Map<string, string>> {
  const result = await client.query({ query: 'SELECT name, checksum FROM schema_migrations', format: 'JSONEachRow' });
  const rows = await result.json<{ name: string; checksum: string }>();
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

/** Connects to the server's default database, because the wanted one may not exist yet. */
async function createDatabase(address: ClickhouseAddress): Promise<void> {
  const client = openClient({ ...address, database: 'default' }, 'migrate', STATEMENT_TIMEOUT_MS);
  try {
    await client.command({
      query: 'CREATE DATABASE IF NOT EXISTS {name:Identifier}',
      query_params: { name: address.database },
    });
  } finally {
    await client.close();
  }
}

/** A statement of a migration may rewrite a large table: 0041 took 30 s for 100 million events on two idle cores. */
const STATEMENT_TIMEOUT_MS = 3_600_000;
