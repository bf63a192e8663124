import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import {
  AGGREGATE_FUNCTIONS,
  COMBINATORS,
  REFUSED_FUNCTIONS,
  SCALAR_FUNCTIONS,
} from '../../../../src/sql-gate/reviewed-functions.ts';
import { FORMATS, PARAMETRIC_TYPES, SYSTEM_TABLES, TABLE_FUNCTIONS } from '../../../../src/sql-gate/reviewed-names.ts';
import { ENGINE_LIMITS } from '../../../../src/local/clickhouse/limits.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom } from '../../../sim/random.ts';
import { rowsOf, execSql, runSql, startClickhouse, type TestClickhouse } from '../../../support/servers/clickhouse.ts';
import { until } from '../../../support/until.ts';

const TRIAL = fileURLToPath(new URL('../../../support/servers/engine-trial.ts', import.meta.url));
const CANARY = 'canary-of-the-attack-tests';
let clickhouse: TestClickhouse;
let folder: string;
let secret: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clickhouse-attacks-'));
  secret = join(folder, 'secret.txt');
  writeFileSync(secret, CANARY);
  clickhouse = await startClickhouse();
});
afterAll(async () => {
  await clickhouse.close();
  rmSync(folder, { recursive: true, force: true });
});

describe('a statement that was not approved', () => {
  it.each([
    (path: string) => `optimize = 1 SELECT toUInt64(file('${path}'))`,
    (path: string) => `optimize = 1, oneline = 0 SELECT throwIf(1, file('${path}'))`,
    (path: string) => `EXPLAIN AST optimize = 1 SELECT toUInt64(file('${path}'))`,
    (path: string) => `EXPLAIN SYNTAX run_query_tree_passes = 1 SELECT toUInt64(file('${path}'))`,
    (path: string) => `EXPLAIN QUERY TREE SELECT toUInt64(file('${path}'))`,
  ])('reaches the engine in no form: attack %#', async (attack) => {
    const { status, text } = await runSql(clickhouse, attack(secret), { as: 'reader' });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain(CANARY);
  });
});

describe('a setting that a table keeps', () => {
  const settingsOf = async (table: string) => (await runSql(clickhouse, `SHOW CREATE TABLE ${table}`)).text;

  it.each([
    'MODIFY SETTING min_bytes_to_prewarm_caches = 1',
    "MODIFY SETTING storage_policy = 'default'",
    'MODIFY SETTING fsync_after_insert = 1, min_bytes_to_prewarm_caches = 1',
    "MODIFY COMMENT 'x', MODIFY SETTING min_bytes_to_prewarm_caches = 1",
    'ADD COLUMN a UInt8, (MODIFY SETTING min_bytes_to_prewarm_caches = 1)',
    'MODIFY/**/\nSETTING min_bytes_to_prewarm_caches = 1',
    'RESET SETTING fsync_after_insert',
    'ADD COLUMN a UInt8, RESET SETTING fsync_after_insert',
  ])('cannot be changed by the service unless it is on the list: %s', async (command) => {
    const table = 'kept_settings';
    await execSql(
      clickhouse,
      `CREATE TABLE IF NOT EXISTS ${table} (n UInt64) ENGINE = MergeTree ORDER BY n SETTINGS fsync_after_insert = 1`,
    );
    const before = await settingsOf(table);
    expect(before).toContain('fsync_after_insert = 1');
    expect((await runSql(clickhouse, `ALTER TABLE ${table} ${command}`)).status).toBeGreaterThanOrEqual(400);
    expect(await settingsOf(table)).toBe(before);
  });

  it('can be changed by a migration', async () => {
    await execSql(clickhouse, 'CREATE TABLE migrated (n UInt64) ENGINE = MergeTree ORDER BY n');
    const command = 'MODIFY SETTING materialize_projections_on_insert = 0, fsync_after_insert = 1';
    expect((await runSql(clickhouse, `ALTER TABLE migrated ${command}`)).status).toBe(200);
    expect(await settingsOf('migrated')).toContain('materialize_projections_on_insert = 0, fsync_after_insert = 1');
  });
});

describe('a request target', () => {
  it.each([
    '//',
    '///',
    '//[',
    'http://[',
    'http://',
    '/\\',
    '*',
    '?query=SELECT%201',
    '/%',
    '/?%',
    '/?query=%ff%fe',
    '/#',
  ])('%s cannot end the process', async (target) => {
    expect(await statusOfTarget(target)).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
    expect((await runSql(clickhouse, 'SELECT 1', { as: 'reader' })).text).toBe('1\n');
  });

  it('of 400 seeded ones cannot either', async () => {
    const random = createRandom(20_261_122, 'targets');
    const pieces = [
      '/',
      '//',
      '?',
      '#',
      '%',
      '%00',
      '%ff',
      '[',
      ']',
      '@',
      ':',
      '\\',
      'http:',
      'query=',
      'SELECT%201',
      '&',
      'a',
      '..',
      '\u00ff',
    ];
    const targets = Array.from({ length: 400 }, () =>
      Array.from({ length: random.int(1, 12) }, () => random.pick(pieces)).join(''),
    );
    for (let at = 0; at < targets.length; at += 20) await Promise.all(targets.slice(at, at + 20).map(statusOfTarget));
    expect((await runSql(clickhouse, 'SELECT 1', { as: 'reader' })).text).toBe('1\n');
  });
});

describe('code inside a string', () => {
  it.each([
    (path: string) => `SELECT arrayReduce('topK(toUInt64(file(\\'${path}\\')))', [1])`,
    (path: string) => `SELECT initializeAggregation('topK(toUInt64(file(\\'${path}\\')))', 1)`,
    (path: string) => `SELECT * FROM generateRandom('a UInt64 DEFAULT toUInt64(file(\\'${path}\\'))') LIMIT 1`,
    (path: string) => `SELECT * FROM null('a UInt64 DEFAULT toUInt64(file(\\'${path}\\'))')`,
    (path: string) => `SELECT * FROM values('a UInt64 DEFAULT toUInt64(file(\\'${path}\\'))', (1))`,
  ])('is not run for a reader: attack %#', async (attack) => {
    const { status, text } = await runSql(clickhouse, attack(secret), { as: 'reader' });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toContain(CANARY);
  });
});

describe('the lists of allowed names', () => {
  const names = async (sql: string) => (await rowsOf<{ name: string }>(clickhouse, sql)).map(({ name }) => name);

  it('hold every function of the engine as allowed or refused', async () => {
    const reviewed = new Set([...SCALAR_FUNCTIONS, ...AGGREGATE_FUNCTIONS, ...REFUSED_FUNCTIONS]);
    const unreviewed = (await names('SELECT name FROM system.functions')).filter(
      (name) => !reviewed.has(name.toLowerCase()),
    );
    expect(unreviewed).toEqual([]);
  });

  it('allow only what the engine has, of its kind', async () => {
    const scalars = new Set(await names('SELECT lower(name) AS name FROM system.functions WHERE NOT is_aggregate'));
    const aggregates = new Set(await names('SELECT lower(name) AS name FROM system.functions WHERE is_aggregate'));
    expect([...SCALAR_FUNCTIONS].filter((name) => !scalars.has(name))).toEqual([]);
    expect([...AGGREGATE_FUNCTIONS].filter((name) => !aggregates.has(name))).toEqual([]);
    const suffixes = await names('SELECT lower(name) AS name FROM system.aggregate_function_combinators');
    expect([...COMBINATORS].toSorted()).toEqual(suffixes.toSorted());
    const tables = await names("SELECT lower(name) AS name FROM system.tables WHERE database = 'system'");
    expect([...SYSTEM_TABLES].filter((name) => !tables.includes(name))).toEqual([]);
    const formats = await names('SELECT lower(name) AS name FROM system.formats');
    expect([...FORMATS].filter((name) => !formats.includes(name))).toEqual([]);
    const tableFunctions = await names('SELECT lower(name) AS name FROM system.table_functions');
    expect([...TABLE_FUNCTIONS].filter((name) => !tableFunctions.includes(name))).toEqual([]);
    // No function that is refused could be called as if it were a type.
    expect([...PARAMETRIC_TYPES].filter((name) => REFUSED_FUNCTIONS.has(name) && name !== 'nested')).toEqual([]);
  });

  it.each([...SYSTEM_TABLES])('let a reader read system.%s', async (table) => {
    const { status, text } = await runSql(clickhouse, `SELECT * FROM system.${table} LIMIT 1 FORMAT Null`, {
      as: 'reader',
    });
    expect([status, text]).toEqual([200, '']);
  });
});

describe('a request that a web page could have made', () => {
  it.each([
    ['an Origin', { Origin: 'https://example.com' }],
    ['the Origin null', { Origin: 'null' }],
    ['the Origin of this interface', { Origin: 'http://127.0.0.1:8123' }],
    ['Sec-Fetch-Site cross-site', { 'Sec-Fetch-Site': 'cross-site' }],
    ['Sec-Fetch-Site same-site', { 'Sec-Fetch-Site': 'same-site' }],
    ['a foreign Host', { Host: 'rebound.example.com' }],
    ['a foreign Host with the port', { Host: 'rebound.example.com:8123' }],
    ['a Host that begins like a known one', { Host: 'localhost.example.com' }],
    ['a Host with a port that is none', { Host: 'localhost:a@example.com' }],
  ])('is refused with %s, with the password too', async (_, headers) => {
    const credentials = { 'X-ClickHouse-User': 'service', 'X-ClickHouse-Key': clickhouse.address.password };
    for (const path of ['/?query=SELECT+1', '/ping']) {
      expect((await get(path, headers)).status).toBe(403);
      expect((await get(path, { ...headers, ...credentials })).status).toBe(403);
    }
  });

  it.each([{ Host: 'localhost:1' }, { Host: '[::1]' }, { Host: 'LOCALHOST' }, { 'Sec-Fetch-Site': 'none' }, {}])(
    'is told from one of this machine: %o',
    async (headers) => {
      expect(await get('/?query=SELECT+1', headers)).toEqual({ status: 200, text: '1\n' });
    },
  );

  it('is refused with credentials in the address', async () => {
    const { password } = clickhouse.address;
    for (const search of [`user=service&password=${password}`, 'user=service', 'password=x']) {
      const { status, text } = await get(`/?query=SELECT+1&${search}`, {});
      expect([status, text.includes('use the headers')]).toEqual([403, true]);
    }
    expect((await get('/?query=SELECT+1&user=default&password=', {})).status).toBe(200);
  });
});

describe('idle sockets', () => {
  it('300 of them, silent or half-way through their headers, neither keep the service out nor stay', async () => {
    await execSql(clickhouse, 'CREATE TABLE IF NOT EXISTS crowded (n UInt64) ENGINE = MergeTree ORDER BY n');
    const { hostname, port } = new URL(clickhouse.url);
    const sockets: Socket[] = [];
    const open = (count: number) => {
      for (let i = 0; i < count; i++) {
        const socket = connect(Number(port), hostname);
        socket.on('error', () => {});
        socket.resume();
        if (i % 2 === 0) socket.write('POST / HTTP/1.1\r\nHost: localhost\r\nX-A: ');
        sockets.push(socket);
      }
    };
    open(300);
    for (let i = 0; i < 20; i++) {
      const answer = await runSql(clickhouse, 'INSERT INTO crowded FORMAT JSONEachRow', { body: `{"n":${i}}` });
      expect(answer.status).toBe(200);
      open(20);
    }
    expect((await runSql(clickhouse, 'SELECT count() FROM crowded', { as: 'reader' })).text).toBe('20\n');
    const openSockets = () => sockets.filter(({ closed }) => !closed).length;
    await until('only those with a place are open', () => openSockets() <= ENGINE_LIMITS.clickhouseConnections);
    await until('all are closed', () => openSockets() === 0, ENGINE_LIMITS.clickhouseHeadersMs * 4);
  });
});

describe('the engine itself', () => {
  it('refuses files and the network to the service and to readers, whatever passes the gate', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [
      TRIAL,
      join(folder, 'data'),
      `SELECT * FROM file('${secret}', 'LineAsString')`,
      `SELECT * FROM \`${secret}\``,
      `INSERT INTO FUNCTION file('${join(folder, 'written.csv')}', 'CSV', 'a String') SELECT 'x'`,
      "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
      "SELECT * FROM remote('127.0.0.1:1', system.one)",
      `CREATE TABLE t (a String) ENGINE = File(CSV, '${secret}')`,
      'CREATE USER eve',
      'SYSTEM SHUTDOWN',
    ]);
    const outcomes: { caller: string; sql: string; error: string | null }[] = JSON.parse(stdout);
    expect(outcomes).toHaveLength(16);
    for (const { caller, sql, error } of outcomes) {
      expect(error, `${caller}: ${sql}`).toMatch(/ACCESS_DENIED|READONLY/);
    }
    expect(existsSync(join(folder, 'written.csv'))).toBe(false);
  });
});

async function get(path: string, headers: Record<string, string>): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${clickhouse.url}${path}`, { headers }, (response) => {
      let text = '';
      response.on('data', (bytes: Buffer) => (text += bytes.toString('utf8')));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

/** The status line of a GET for a target that no HTTP client would send. */
function statusOfTarget(target: string): Promise<string> {
  const { hostname, port } = new URL(clickhouse.url);
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(Number(port), hostname);
    socket.on('data', (bytes) => (answer += bytes.toString('latin1')));
    socket.on('error', () => {});
    socket.on('close', () => resolve(answer.split('\r\n')[0] ?? ''));
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  });
}
