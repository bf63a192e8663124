import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRandom } from '../sim/random.ts';
import { rowsOf, execSql, runSql, type TestClickhouse } from '../support/servers/clickhouse.ts';
import type { Bait, EngineNames } from './clickhouse-attacks.ts';
import { fuzzedStatement, type FuzzedStatement } from './clickhouse-statements.ts';

export interface GateReport {
  statements: number;
  /** Answers by ClickHouse's exception code; `ok` without one. */
  answers: Map<string, number>;
  /** Files read or written, connections made, wrong errors and crashes, each with the statements that led to it. */
  problems: string[];
  /** The longest time of one statement, in milliseconds. */
  worst: { tookMs: number; sql: string };
}

export interface GateFuzzOptions {
  seed: number;
  statements: number;
  /** Ends the run early. */
  isOver?: () => boolean;
}

const CANARY = 'CANARY-nobody-may-read-this';
const BATCH = 32;
const WIDTH = 4;

/**
 * Sends seeded attacks to an embedded ClickHouse. It watches a file for reads (by its content in an answer and its
 * access time), a folder for writes and a port for connections.
 */
export async function fuzzClickhouse(clickhouse: TestClickhouse, options: GateFuzzOptions): Promise<GateReport> {
  const { seed, statements, isOver = () => false } = options;
  const folder = mkdtempSync(join(tmpdir(), 'clickhouse-bait-'));
  const readPath = join(folder, 'read.csv');
  writeFileSync(readPath, `${CANARY}\n`);
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const bait: Bait = { readPath, writePath: join(folder, 'written.csv'), address: `127.0.0.1:${port}` };
  const report: GateReport = { statements: 0, answers: new Map(), problems: [], worst: { tookMs: 0, sql: '' } };
  const { pid } = clickhouse;
  const names = await namesOf(clickhouse);
  const seesReads = watchReads(readPath);

  async function send(statement: FuzzedStatement): Promise<void> {
    const startedMs = performance.now();
    const search = { max_execution_time: '5', max_memory_usage: '200000000', ...statement.search };
    const answer = await runSql(clickhouse, statement.sql, { as: statement.caller, search }).catch(
      (error: unknown) => ({
        status: 0,
        text: String(error),
        headers: new Headers(),
      }),
    );
    const tookMs = performance.now() - startedMs;
    if (tookMs > report.worst.tookMs) report.worst = { tookMs, sql: statement.sql };
    const code = answer.headers.get('x-clickhouse-exception-code') ?? (answer.status === 200 ? 'ok' : 'no answer');
    report.statements += 1;
    report.answers.set(code, (report.answers.get(code) ?? 0) + 1);
    if (answer.text.includes(CANARY)) report.problems.push(`a file was shown: ${describe(statement)}`);
    if (code === '1001') report.problems.push(`failed oddly, ${answer.text.slice(0, 200)}: ${describe(statement)}`);
  }

  async function tables(): Promise<void> {
    await execSql(clickhouse, 'CREATE DATABASE IF NOT EXISTS default');
    await execSql(clickhouse, 'CREATE TABLE IF NOT EXISTS baited (n UInt64, s String) ENGINE = MergeTree ORDER BY n');
    await execSql(clickhouse, 'TRUNCATE TABLE baited');
    await execSql(clickhouse, "INSERT INTO baited SELECT number, 'x' FROM numbers(3)");
    await execSql(clickhouse, 'DROP TABLE IF EXISTS made');
  }

  try {
    for (let batch = 0; report.statements < statements && !isOver(); batch++) {
      const random = createRandom(seed, `batch ${batch}`);
      if (batch % 8 === 0) await tables();
      const made = Array.from({ length: BATCH }, () => fuzzedStatement(random, names, bait));
      const queue = [...made];
      const before = report.problems.length;
      await Promise.all(
        Array.from({ length: WIDTH }, async () => {
          for (let next = queue.shift(); next !== undefined; next = queue.shift()) await send(next);
        }),
      );
      const found = [
        ...(seesReads() ? ['a file was read'] : []),
        ...(readdirSync(folder).length > 1 ? [`a file was written: ${readdirSync(folder).join(', ')}`] : []),
        ...(connections > 0 ? [`${connections} connections were made`] : []),
      ];
      const isAlive = (await runSql(clickhouse, 'SELECT 1', { as: 'reader' }).catch(() => undefined))?.text === '1\n';
      if (!isAlive || clickhouse.pid !== pid) found.push('the process ended or hangs');
      if (found.length > 0 && report.problems.length === before) {
        report.problems.push(`${found.join('; ')}, batch ${batch} of seed ${seed}:\n${made.map(describe).join('\n')}`);
      }
      if (!isAlive || report.problems.length > 20) break;
    }
    return report;
  } finally {
    listener.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether the file was read since. With `relatime`, the first access after a change updates the access time. */
function watchReads(path: string): () => boolean {
  const reset = (): void => utimesSync(path, new Date(1_000), new Date());
  reset();
  return () => {
    const wasRead = statSync(path).atimeMs !== 1_000;
    if (wasRead) reset();
    return wasRead;
  };
}

async function namesOf(clickhouse: TestClickhouse): Promise<EngineNames> {
  const list = async (table: string, where = '1'): Promise<string[]> =>
    (await rowsOf<{ name: string }>(clickhouse, `SELECT name FROM system.${table} WHERE ${where}`)).map(
      ({ name }) => name,
    );
  return {
    functions: await list('functions'),
    tableFunctions: await list('table_functions'),
    settings: await list('settings'),
    formats: await list('formats'),
    systemTables: await list('tables', "database = 'system'"),
    tableEngines: await list('table_engines'),
  };
}

function describe({ caller, sql, search }: FuzzedStatement): string {
  return `${caller} ${JSON.stringify(sql)} ${JSON.stringify(search)}`;
}
