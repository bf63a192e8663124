import { readdir, readFile } from 'node:fs/promises';
import type { ClickhouseAddress } from '../clickhouse-address.ts';
import { happenedAt } from '../event-time.ts';
import { openClient } from '../open-client.ts';
import { checksumOf, type Recorded, recordOf, SchemaError, statementsOf } from '../schema-record.ts';
import { expanded } from '../templates.ts';
import { applyViews, outdateViews } from '../views/apply-views.ts';

/**
 * Creates a database if it is missing, applies, in order, every numbered SQL file of this folder that
 * `schema_migrations` does not record, and then the views. Works on the embedded engine and on a ClickHouse server.
 *
 * Invariants
 * 1. A numbered file is applied once; a change of a table is a new file. A database whose recorded files are not those
 *    of this folder is refused before anything is changed. Files with higher numbers are a newer version's.
 * 2. Each statement is repeatable, because an interrupted file runs again.
 *
 * @returns the names of the applied files and of the changed views; empty if nothing was pending
 * @throws SchemaError if the database has other tables; the client's error if a statement fails
 */
export async function migrate(address: ClickhouseAddress): Promise<string[]> {
  await createDatabase(address);
  const client = openClient(address, 'migrate', STATEMENT_TIMEOUT_MS);
  try {
    const record = await recordOf(client, 'schema_migrations');
    const files = await migrationFiles();
    refuseOtherTables(address.database, files, record.checksums);
    const pending = files.filter(({ name }) => !record.checksums.has(name));
    if (pending.length > 0) await outdateViews(client);
    for (const file of pending) {
      for (const query of file.statements) await client.command({ query });
      await record.add([file]);
    }
    const views = await applyViews(client);
    return [...pending.map(({ name }) => name), ...views];
  } finally {
    await client.close();
  }
}

interface MigrationFile extends Recorded {
  statements: readonly string[];
}

async function migrationFiles(): Promise<MigrationFile[]> {
  const folder = new URL('.', import.meta.url);
  const names = (await readdir(folder)).filter((name) => /^\d{4}_\w+\.sql$/.test(name)).toSorted();
  return Promise.all(
    names.map(async (file) => {
      const text = await readFile(new URL(file, folder), 'utf8');
      const statements = statementsOf(expanded(text, { happened_at: happenedAt }));
      return { name: file.replace(/\.sql$/, ''), statements, checksum: checksumOf(...statements) };
    }),
  );
}

function refuseOtherTables(
  database: string,
  files: readonly MigrationFile[],
  applied: ReadonlyMap<string, string>,
): void {
  const names = files.map(({ name }) => name);
  const newest = names.at(-1) ?? '';
  const unknown = [...applied.keys()].toSorted().find((name) => name < newest && !names.includes(name));
  if (unknown !== undefined) {
    throw new SchemaError(`Database "${database}" has the table file ${unknown}, which this version lacks. ${REMEDY}`);
  }
  const changed = files.find(({ name, checksum }) => (applied.get(name) ?? checksum) !== checksum);
  if (changed !== undefined) {
    throw new SchemaError(
      `${changed.name}.sql was changed after database "${database}" applied it. ` +
        `A table file never changes after a release: put the change in a new one. ${REMEDY}`,
    );
  }
}

const REMEDY =
  'Data of versions before 1.0.0 cannot be kept: drop the database, or name another one with CLICKHOUSE_DATABASE; ' +
  'for `npm start`, set DATA_DIR to an empty folder.';

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

/** A statement may rewrite a large table. */
const STATEMENT_TIMEOUT_MS = 3_600_000;
