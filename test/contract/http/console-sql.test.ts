import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Grant } from '../../../core/vocabulary/documents/users.ts';
import { createSqlReader, type SqlReader } from '../../../src/api/console/sql/sql-reader.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { SQL_LIMITS } from '../../../src/api/console/sql/limits.ts';
import { userAddress, userIdIn } from '../../../streams/config/people/users.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { signedInHeaders } from '../../support/browser/console-person.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';

/* POST /v1/console/sql on the real engine: who may run what, and what a statement may reach and cost. */

const PATH = '/v1/console/sql';
const CANARY = 'canary-of-the-sql-screen';
const ALL: Grant = { game: '*', environment: '*', role: 'analyst' };

let clickhouse: TestClickhouse;
let reader: SqlReader;
let gateway: Gateway;
let analyst: Record<string, string>;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-sql-'));
  writeFileSync(join(folder, 'secret.txt'), CANARY);
  clickhouse = await startWithTables();
  // As `npm start` sets it: the account that may read without a password.
  const address = { ...clickhouse.address, user: 'default', password: '' };
  reader = createSqlReader({ address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ sql: reader });
  analyst = await signedInHeaders(gateway, ALL);
});
afterAll(async () => {
  await gateway.close();
  await reader.close();
  await clickhouse.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Answered {
  status: number;
  data?: { columns: { name: string; type: string }[]; rows: unknown[][]; truncated: boolean };
  error?: { code: string; message: string };
}

async function run(statement: unknown, headers = analyst, of = gateway): Promise<Answered> {
  const response = await of.call(undefined, 'POST', PATH, { statement }, headers);
  const body: Omit<Answered, 'status'> = JSON.parse(await response.text());
  return { status: response.status, ...body };
}

const tokenOf = ({ Cookie = '' }: Record<string, string>): string => Cookie.slice(Cookie.indexOf('=') + 1);

describe('SQL of people', () => {
  it('answers columns and rows, with integers of 64 bits as texts', async () => {
    const { status, data } = await run("SELECT 9007199254740993 AS n, 'a' AS t, NULL AS x, [1, 2] AS list;");
    expect(status).toBe(200);
    expect(data?.columns.map(({ name }) => name)).toEqual(['n', 't', 'x', 'list']);
    expect(data?.rows).toEqual([['9007199254740993', 'a', null, [1, 2]]]);
    expect(data?.truncated).toBe(false);
  });

  it.each(['SHOW TABLES', 'DESCRIBE TABLE events', 'EXISTS TABLE events', 'EXPLAIN SELECT 1'])(
    'runs %s',
    async (statement) => {
      expect((await run(statement)).data?.rows.length).toBeGreaterThan(0);
    },
  );

  it('is for the role analyst or more in all games and environments, and for no key', async () => {
    const least: Grant[] = [ALL, { ...ALL, role: 'editor' }, { ...ALL, role: 'admin' }];
    for (const grant of least) expect((await run('SELECT 1', await signedInHeaders(gateway, grant))).status).toBe(200);
    const others: Grant[][] = [
      [],
      [{ ...ALL, role: 'viewer' }],
      [{ ...ALL, game: 'demo', role: 'admin' }],
      [{ ...ALL, environment: 'live', role: 'admin' }],
      [
        { ...ALL, game: 'demo', role: 'admin' },
        { ...ALL, game: 'other', role: 'admin' },
      ],
    ];
    for (const grants of others) {
      const { status, error } = await run('SELECT 1', await signedInHeaders(gateway, ...grants));
      expect(status).toBe(403);
      expect(error?.message).toContain('the role analyst in all of them');
    }
    expect((await run('SELECT 1', { 'X-API-Key': await gateway.key() })).status).toBe(401);
    const { 'X-CSRF-Token': _, ...withoutToken } = analyst;
    expect((await run('SELECT 1', withoutToken)).status).toBe(403);
  });

  it.each([
    () => `SELECT * FROM file('${join(folder, 'secret.txt')}', 'LineAsString')`,
    () => `SELECT file('${join(folder, 'secret.txt')}')`,
    () => "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    () => "SELECT * FROM remote('127.0.0.1:9000', system.one)",
    () => "SELECT * FROM s3('http://127.0.0.1:1/a', 'CSV')",
    () => "SELECT * FROM executable('cat', 'TSV', 'x String')",
    () => 'SELECT * FROM system.processes',
    () => 'SELECT * FROM system.users',
    () => 'SELECT * FROM system.query_log',
    () => 'SELECT email FROM players',
    () => 'SELECT * FROM players',
    () => 'SELECT state FROM player_snapshots',
    () => 'SELECT 1; SELECT 2',
    () => 'SELECT 1; DROP TABLE events',
    () => 'DROP TABLE events',
    () => 'TRUNCATE TABLE events',
    () => 'INSERT INTO events (player_id) VALUES (generateUUIDv4())',
    () => 'ALTER TABLE events DELETE WHERE 1',
    () => 'KILL QUERY WHERE 1',
    () => 'SYSTEM SHUTDOWN',
    () => 'SET ROLE service',
    () => 'SET readonly = 0',
    () => "SELECT 1 SETTINGS additional_table_filters = ''",
    () => `SELECT 1 INTO OUTFILE '${join(folder, 'out.txt')}'`,
    () => 'SELECT 1 FORMAT CSV',
    () => 'SELECT 1 FORMAT Template',
    () => "SELECT getServerPort('http_port')",
    () => 'SELECT sleep(3)',
    () => "SELECT dictGet('a', 'b', 1)",
    () => 'CREATE TABLE a (b UInt8) ENGINE = Memory',
    () => 'SELECT ',
    () => '/* */',
    () => 'SELECT no_such_column FROM events',
  ])('refuses attack %#', async (attack) => {
    const { status, data, error } = await run(attack());
    expect(data).toBeUndefined();
    expect({ status, code: error?.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    expect(JSON.stringify(error)).not.toContain(CANARY);
    expect(await rowsOf(clickhouse, 'SELECT count() AS n FROM events')).toEqual([{ n: expect.anything() }]);
  });

  it('gives the first rows of a large result, and says that there were more', async () => {
    const { data } = await run('SELECT number FROM numbers(1000000)');
    expect(data?.rows.length).toBe(SQL_LIMITS.sqlRows);
    expect(data?.truncated).toBe(true);
    expect((await run(`SELECT number FROM numbers(${SQL_LIMITS.sqlRows})`)).data?.truncated).toBe(false);
  });

  it('names the bound that a statement exceeds', async () => {
    const cases = [
      ["SELECT repeat('x', 1000000) FROM numbers(20)", 'MiB of result'],
      ['SELECT groupArray(number) FROM numbers(1000000000)', 'MiB of memory'],
    ] as const;
    for (const [statement, bound] of cases) {
      const { status, error } = await run(statement);
      expect({ status, code: error?.code }, statement).toEqual({ status: 422, code: 'QUERY_TOO_LARGE' });
      expect(error?.message).toContain(bound);
    }
  });

  it('lets ClickHouse end a row that is far longer than a result, since the client holds a row until its end', async () => {
    const asked: string[] = [];
    const standIn = createServer((sent, response) => {
      asked.push(sent.url ?? '');
      response.end('["x"]\n["String"]\n');
    });
    const port = await new Promise<number>((resolve) => {
      standIn.listen(0, '127.0.0.1', () => resolve(Number(Object(standIn.address()).port)));
    });
    const address = { ...clickhouse.address, url: `http://127.0.0.1:${port}` };
    const reader = createSqlReader({ address, clock: systemClock, logger: silentLogger });
    const found = await reader.run('SELECT 1', { user: 'ann', signal: new AbortController().signal });
    expect(found.kind).toBe('rows');
    expect(new URL(asked[0] ?? '', address.url).searchParams.get('max_result_bytes')).toBe(
      String(SQL_LIMITS.sqlSentBytes),
    );
    await reader.close();
    standIn.close();
    // 80 MB, within the memory of a statement.
    const { status, error } = await run('SELECT groupArray(number) FROM numbers(10000000)');
    expect({ status, code: error?.code }).toEqual({ status: 422, code: 'QUERY_TOO_LARGE' });
    expect(error?.message).toContain('MiB of result');
  });

  it('names the time when a statement takes too long', async () => {
    const limits = { ...SQL_LIMITS, sqlSeconds: 1 };
    const address = { ...clickhouse.address, user: 'default', password: '' };
    const short = createSqlReader({ address, clock: systemClock, logger: silentLogger, limits });
    const caller = { user: 'ann', signal: new AbortController().signal };
    const found = await short.run(
      'SELECT count() FROM numbers(1000000000000) WHERE NOT ignore(sipHash64(number))',
      caller,
    );
    expect(found).toEqual({ kind: 'too_large', bound: 'time' });
    await short.close();
  });

  it('ends when its caller disconnects, and frees its place', async () => {
    const running = async () => {
      const rows = await rowsOf<{ n: string | number }>(
        clickhouse,
        "SELECT count() AS n FROM system.processes WHERE query LIKE '%sipHash128%' AND query NOT LIKE '%processes%'",
      );
      return Number(rows[0]?.n);
    };
    const endless = 'SELECT max(sipHash128(number)) FROM numbers(1000000000000)';
    const sent = request(`${gateway.url}${PATH}`, {
      method: 'POST',
      headers: { ...analyst, 'Content-Type': 'application/json' },
    });
    sent.on('error', () => {});
    sent.end(JSON.stringify({ statement: endless }));
    await until('the statement runs', async () => (await running()) === 1);
    // The person's next one waits for it, a further one is refused, and somebody else's runs.
    const gone = new AbortController();
    const waits = reader.run(endless, { user: userIdIn(tokenOf(analyst), 'session') ?? '', signal: gone.signal });
    const third = await run('SELECT 1');
    expect({ status: third.status, code: third.error?.code }).toEqual({ status: 429, code: 'RATE_LIMIT_EXCEEDED' });
    expect(third.error?.message).toContain('You have');
    expect((await run('SELECT 1', await signedInHeaders(gateway, ALL))).status).toBe(200);
    expect(await running()).toBe(1);
    gone.abort();
    sent.destroy();
    expect(await waits).toEqual({ kind: 'unavailable' });
    await until('no statement runs', async () => (await running()) === 0);
    await until('the places are free', async () => (await run('SELECT 1')).status === 200);
  });

  it('gives nothing to a person who lost the role, or signed out, while the statement ran', async () => {
    const rows = { kind: 'rows', columns: [], rows: ['[1]'], truncated: false } as const;
    let meanwhile = async (): Promise<unknown> => undefined;
    const slow = await startGateway({
      sql: {
        async run() {
          await meanwhile();
          return rows;
        },
      },
    });
    const users = () => slow.config.list('user');
    const asked = async () => (await run('SELECT 1', await signedInHeaders(slow, ALL), slow)).status;
    const change = async (without: 'grants' | 'sessions'): Promise<void> => {
      for (const { document } of users())
        await slow.config.put(userAddress(document.id), { ...document, [without]: [] });
    };
    expect(await asked()).toBe(200);
    meanwhile = () => change('grants');
    expect(await asked()).toBe(403);
    meanwhile = () => change('sessions');
    expect(await asked()).toBe(403);
    await slow.close();
  });

  it('says what to set where there is no account, and answers 503 while ClickHouse is away', async () => {
    const without = await startGateway();
    const headers = await signedInHeaders(without, ALL);
    const off = await run('SELECT 1', headers, without);
    expect(off.status).toBe(404);
    expect(off.error?.message).toContain('CLICKHOUSE_READER_USER');
    await without.close();
    const gone = createSqlReader({
      address: { url: 'http://127.0.0.1:1', user: 'default', password: '', database: 'default' },
      clock: systemClock,
      logger: silentLogger,
    });
    const away = await startGateway({ sql: gone });
    expect((await run('SELECT 1', await signedInHeaders(away, ALL), away)).status).toBe(503);
    await away.close();
    await gone.close();
  });
});
