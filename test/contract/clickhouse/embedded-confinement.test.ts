import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineCommand } from '../../../src/local/clickhouse/engine/engine-command.ts';
import { REFUSED_FUNCTIONS } from '../../../src/sql-gate/reviewed-functions.ts';
import { TYPE_ARGUMENTS, ZONE_ARGUMENTS } from '../../../src/sql-gate/zone-arguments.ts';
import { rowsOf, runSql, startClickhouse, type TestClickhouse } from '../../support/servers/clickhouse.ts';

/*
 * The process of the embedded engine can open nothing but its own files. Statements of the service are not checked for
 * time zones, so they show what confinement alone does.
 */

let clickhouse: TestClickhouse;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clickhouse-confinement-'));
  execFileSync('/usr/bin/mkfifo', [join(folder, 'pipe')]);
  writeFileSync(join(folder, 'secret'), 'TZif2');
  clickhouse = await startClickhouse();
});
afterAll(async () => {
  await clickhouse.close();
  rmSync(folder, { recursive: true, force: true });
});

const hex = (text: string): string => Buffer.from(text).toString('hex');
/** Ways to give the engine the name of a zone. */
const ROUTES: readonly [string, (zone: string) => string][] = [
  ['a literal', (zone) => `SELECT toDateTime(0, '${zone}')`],
  ['concat', (zone) => `SELECT toDateTime(0, concat('${zone.slice(0, 3)}', '${zone.slice(3)}'))`],
  ['unhex', (zone) => `SELECT toDateTime(0, unhex('${hex(zone)}'))`],
  ['a type', (zone) => `SELECT CAST(0 AS DateTime('${zone}'))`],
  ['a type as a text', (zone) => `SELECT CAST(0, concat('DateTime(\\'', '${zone}', '\\')'))`],
  ['a scalar subquery', (zone) => `SELECT toDateTime(0, (SELECT '${zone}'))`],
  ['the structure of values', (zone) => `SELECT * FROM values('x DateTime(''${zone}'')', 0)`],
  ['the type of JSONExtract', (zone) => `SELECT JSONExtract('{"a":1}', 'a', 'DateTime(''${zone}'')')`],
  ['the type of a JSON path', (zone) => `SELECT CAST('{"a":1}' AS JSON(a DateTime('${zone}')))`],
  ['a calendar function', (zone) => `SELECT toStartOfInterval(now(), INTERVAL 1 DAY, '${zone}')`],
  ['a default value', (zone) => `SELECT defaultValueOfTypeName('DateTime(''${zone}'')')`],
];

describe.each(ROUTES)('a path as a time zone in %s', (_, statement) => {
  it('is refused to a reader', async () => {
    const { status } = await runSql(clickhouse, statement('file:/dev/ptmx'), { as: 'reader' });
    expect(status).toBeGreaterThanOrEqual(400);
  });

  it('opens no device, pipe or file for the service', async () => {
    for (const path of ['/dev/ptmx', '/dev/tty', '/etc/passwd', '/proc/1/environ', '/dev/stdin']) {
      expect((await runSql(clickhouse, statement(`file:${path}`))).status).toBeGreaterThanOrEqual(400);
    }
    for (const name of ['pipe', 'secret']) {
      expect((await runSql(clickhouse, statement(`file:${join(folder, name)}`))).status).toBeGreaterThanOrEqual(400);
    }
    expect((await runSql(clickhouse, 'SELECT 1', { as: 'reader' })).text).toBe('1\n');
  });
});

it('a state that holds a type in binary form, which no check of a text sees, opens none either', async () => {
  // Of `any` of a Dynamic value: a flag, then the binary form of DateTime with a zone (0x12), then the value.
  const zone = `file:${join(folder, 'pipe')}`;
  const type = `12${zone.length.toString(16).padStart(2, '0')}${hex(zone)}`;
  for (const flag of ['01', '0100', '']) {
    const sql = `SELECT anyMerge(CAST(unhex('${flag}${type}00000000'), 'AggregateFunction(any, Dynamic)'))`;
    expect((await runSql(clickhouse, sql, { as: 'reader' })).status).toBeGreaterThanOrEqual(200);
  }
  expect((await runSql(clickhouse, 'SELECT 1', { as: 'reader' })).text).toBe('1\n');
});

it('zones that exist are known', async () => {
  const sql = "SELECT toString(toDateTime(0, 'Asia/Tokyo')), toDateTime(0, 'US/Pacific')";
  expect((await runSql(clickhouse, sql, { as: 'reader' })).text).toBe('1970-01-01 09:00:00\t1969-12-31 16:00:00\n');
});

it('the check knows every function of the engine that takes a time zone or a type', async () => {
  const takes = async (pattern: string): Promise<string[]> => {
    const sql = `WITH named AS (SELECT name FROM system.functions WHERE match(syntax, '${pattern}'))
      SELECT name FROM system.functions WHERE name IN named OR alias_to IN named`;
    return (await rowsOf<{ name: string }>(clickhouse, sql)).map(({ name }) => name.toLowerCase());
  };
  const withoutArgument = ['timezone', 'timezoneof', 'servertimezone'];
  const zones = await takes('(?i)time_?zone');
  expect(zones.length).toBeGreaterThan(80);
  expect(zones.filter((name) => !ZONE_ARGUMENTS.has(name) && !withoutArgument.includes(name))).toEqual([]);
  const types = await takes('(?i)return_type|value_type|[(]x, T|OfTypeName');
  expect(types.length).toBeGreaterThan(6);
  expect(types.filter((name) => !TYPE_ARGUMENTS.has(name) && !REFUSED_FUNCTIONS.has(name))).toEqual([]);
});

describe('the command that starts the engine', () => {
  const options = { dataDir: join(tmpdir(), 'unused'), port: 0, confine: false };

  it('says why a process is not confined', () => {
    const { command, unconfined } = engineCommand(options);
    expect([command, unconfined]).toEqual([process.execPath, 'EMBEDDED_CLICKHOUSE_CONFINEMENT is off']);
  });

  it('confines all that the process starts: it reads no other file, and connects nowhere', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    const { command, args } = engineCommand({ ...options, dataDir: folder, confine: true });
    const before = args.slice(0, args.indexOf('--') + 1);
    const script = `
      const fs = require('node:fs');
      const tried = {};
      const attempt = (path, open) => { try { open(path); } catch (error) { tried[path] = error.code; } };
      attempt('/', fs.readdirSync);
      for (const path of ['/etc/passwd', '${folder}/secret', '/dev/ptmx', process.execPath]) attempt(path, fs.openSync);
      require('node:net').connect(${port}, '127.0.0.1').on('error', (error) => end(error.code)).on('connect', () => end());
      function end(code) { console.log(JSON.stringify({ ...tried, connect: code })); process.exit(); }`;
    const printed = execFileSync(command, [...before, process.execPath, '--openssl-config=/dev/null', '-e', script], {
      env: {},
    });
    server.close();
    expect(JSON.parse(printed.toString())).toEqual({
      '/': 'EACCES',
      '/etc/passwd': 'EACCES',
      [`${folder}/secret`]: 'EACCES',
      '/dev/ptmx': 'EACCES',
      connect: 'EACCES',
    });
  });
});
