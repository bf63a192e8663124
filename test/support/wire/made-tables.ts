import { cpSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { migrate } from '../../../clickhouse-schema/migrations/migrate.ts';
import { startClickhouse, type TestClickhouse } from '../servers/clickhouse.ts';
import { RUN_FOLDER } from '../stripped/run-folder.ts';
import { until } from '../until.ts';

/*
 * The tables of ClickHouse, made once in a test run and copied for each test that starts an engine. The migrations take
 * two seconds of processor time; a copy takes a tenth of one.
 *
 * Invariants
 * 1. One process of the run makes them: the one that creates the folder `tables.lock`. The others wait for it.
 * 2. `tables` is complete: it is moved to its place after the engine that wrote it has ended.
 */

/** Starts an engine that has all tables. Outside of a test run it makes them itself. */
export async function startWithTables(): Promise<TestClickhouse> {
  const dataDir = mkdtempSync(join(tmpdir(), 'clickhouse-tables-'));
  await copyTables(dataDir);
  const clickhouse = await startClickhouse({ DATA_DIR: dataDir });
  await migrate(clickhouse.address);
  return {
    ...clickhouse,
    get pid() {
      return clickhouse.pid;
    },
    async close() {
      await clickhouse.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Copies the tables to the data folder of a service or engine that has not started yet. */
export async function copyTables(dataDir: string): Promise<void> {
  const run = process.env[RUN_FOLDER];
  if (run === undefined) return;
  const tables = await madeTables(run);
  cpSync(tables, join(dataDir, 'clickhouse'), { recursive: true, verbatimSymlinks: true });
}

async function madeTables(run: string): Promise<string> {
  const [tables, lock] = [join(run, 'tables'), join(run, 'tables.lock')];
  while (!existsSync(tables)) {
    if (!take(lock)) {
      await until('another test file has made the tables', () => existsSync(tables) || !existsSync(lock), 60_000);
      continue;
    }
    try {
      if (!existsSync(tables)) await make(run, tables);
    } finally {
      rmdirSync(lock);
    }
  }
  return tables;
}

/** @returns whether this process created the folder */
function take(lock: string): boolean {
  return mkdirSync(lock, { recursive: true }) !== undefined;
}

async function make(run: string, tables: string): Promise<void> {
  const dataDir = mkdtempSync(join(run, 'tables-'));
  const clickhouse = await startClickhouse({ DATA_DIR: dataDir });
  try {
    await migrate(clickhouse.address);
  } finally {
    // By SIGKILL: what was answered is in its files, and an engine that ends in good order may wait for its threads.
    await clickhouse.close();
  }
  renameSync(join(dataDir, 'clickhouse'), tables);
}
