import { existsSync, readFileSync } from 'node:fs';
import { once } from 'node:events';
import { gunzipSync, gzipSync } from 'node:zlib';
import { request, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf, execSql, runSql, startClickhouse, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { until } from '../../support/until.ts';

let clickhouse: TestClickhouse;

beforeAll(async () => {
  clickhouse = await startClickhouse();
  await execSql(clickhouse, 'CREATE TABLE numbers_table (n UInt64, s String) ENGINE = MergeTree ORDER BY n');
  await execSql(clickhouse, "INSERT INTO numbers_table SELECT number, 'abc' FROM numbers(1000)");
});
afterAll(() => clickhouse.close());

describe('the HTTP interface of the embedded ClickHouse', () => {
  it('answers /ping and a GET without a query', async () => {
    expect(await (await fetch(`${clickhouse.url}/ping`)).text()).toBe('Ok.\n');
    expect(await (await fetch(clickhouse.url)).text()).toBe('Ok.\n');
  });

  it('takes a query from the URL, from the body, and from both', async () => {
    const get = await fetch(`${clickhouse.url}/?query=SELECT%201%2B1`);
    expect([get.status, await get.text()]).toEqual([200, '2\n']);
    expect((await runSql(clickhouse, 'SELECT 3', { as: 'reader' })).text).toBe('3\n');
    expect((await runSql(clickhouse, 'SELECT count() FROM', { as: 'reader', body: 'numbers_table' })).text).toBe(
      '1000\n',
    );
  });

  it('binds parameters, however they are quoted', async () => {
    const search = {
      param_text: String.raw`it's "a" \\ b\tc`,
      param_list: "['x','y\\'z']",
      param_table: 'numbers_table',
    };
    const sql =
      'SELECT {text:String} AS text, {list:Array(String)} AS list, count() AS n FROM {table:Identifier} FORMAT JSONEachRow';
    const { text } = await runSql(clickhouse, sql, {
      as: 'reader',
      search: { ...search, output_format_json_quote_64bit_integers: '0' },
    });
    expect(JSON.parse(text)).toEqual({ text: 'it\'s "a" \\ b\tc', list: ['x', "y'z"], n: 1000 });
  });

  it('runs parameterised statements side by side without mixing them up', async () => {
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) =>
        runSql(clickhouse, 'SELECT {n:UInt32}', { as: 'reader', search: { param_n: String(i) } }).then(({ text }) =>
          text.trim(),
        ),
      ),
    );
    expect(answers).toEqual(Array.from({ length: 40 }, (_, i) => String(i)));
  });

  it('names format, query id and time zone in headers', async () => {
    const { headers } = await runSql(clickhouse, 'SELECT 1 FORMAT JSON', {
      as: 'reader',
      search: { query_id: 'my-id' },
    });
    expect(headers.get('x-clickhouse-format')).toBe('JSON');
    expect(headers.get('x-clickhouse-query-id')).toBe('my-id');
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    expect(headers.get('x-clickhouse-timezone')).toBe('UTC');
  });

  it('uses default_format, database and settings of the URL', async () => {
    const search = { default_format: 'JSONEachRow', database: 'system', session_timezone: 'Asia/Tokyo' };
    const { text } = await runSql(clickhouse, 'SELECT currentDatabase() AS db, toString(toDateTime(0)) AS epoch', {
      as: 'reader',
      search,
    });
    expect(JSON.parse(text)).toEqual({ db: 'system', epoch: '1970-01-01 09:00:00' });
  });

  it.each([
    ['JSON', '{'],
    ['JSONCompact', '{'],
    ['CSVWithNames', '"n"\n'],
    ['TabSeparatedWithNamesAndTypes', 'n\nUInt64\n'],
    ['JSONCompactEachRowWithNames', '["n"]\n'],
    ['Parquet', 'PAR1'],
  ])('answers a large result in %s as one document', async (format, beginning) => {
    const sql = `SELECT number AS n FROM numbers(300000) ORDER BY n FORMAT ${format}`;
    const { text } = await runSql(clickhouse, sql, { as: 'reader' });
    expect(text.startsWith(beginning)).toBe(true);
    expect(text.split(beginning)).toHaveLength(
      format.startsWith('JSON') && !format.includes('Each') ? text.split('{').length : format === 'Parquet' ? 3 : 2,
    );
    if (format === 'JSON') expect(JSON.parse(text).rows).toBe(300_000);
  });

  it.each(['CSVWithNames', 'TSVWithNames', 'JSON'])('answers an empty result in %s with its header', async (format) => {
    const { text } = await runSql(clickhouse, `SELECT n FROM numbers_table WHERE n > 5000 FORMAT ${format}`, {
      as: 'reader',
    });
    expect(text).toContain('n');
  });

  it('keeps totals, which a streamed result would lose', async () => {
    const { text } = await runSql(
      clickhouse,
      'SELECT n % 2 AS k, count() FROM numbers_table GROUP BY k WITH TOTALS ORDER BY k',
      {
        as: 'reader',
      },
    );
    expect(text).toBe('0\t500\n1\t500\n\n0\t1000\n');
  });

  it('takes gzip bodies and answers in gzip when asked to', async () => {
    await execSql(clickhouse, 'CREATE TABLE IF NOT EXISTS zipped (n UInt64) ENGINE = MergeTree ORDER BY n');
    const url = `${clickhouse.url}/?query=${encodeURIComponent('INSERT INTO zipped FORMAT JSONEachRow')}`;
    const headers = { 'X-ClickHouse-User': 'service', 'X-ClickHouse-Key': clickhouse.address.password };
    const body = gzipSync('{"n":41}\n{"n":42}\n');
    const response = await fetch(url, { method: 'POST', headers: { ...headers, 'Content-Encoding': 'gzip' }, body });
    expect(response.status).toBe(200);
    const summary = response.headers.get('x-clickhouse-summary');
    expect(JSON.parse(summary ?? '{}')).toMatchObject({ written_rows: '2' });

    const raw = await rawGet(`${clickhouse.url}/?enable_http_compression=1&query=SELECT+n+FROM+zipped+ORDER+BY+n`);
    expect(raw.headers['content-encoding']).toBe('gzip');
    expect(gunzipSync(raw.body).toString()).toBe('41\n42\n');
  });

  it.each([
    ['SELECT nope', 404, 47],
    ['SELECT 1 FROM missing_table', 404, 60],
    ['SELEC 1 FROM', 400, 62],
    ['SELECT missing_function(1)', 404, 46],
    ['SELECT 1; SELECT 2', 400, 62],
    ['SELECT {x:UInt8}', 400, 456],
  ])('answers %s with status %i and code %i', async (sql, status, code) => {
    const answer = await runSql(clickhouse, sql, { as: 'reader' });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe(String(code));
    expect(answer.text).toMatch(
      new RegExp(`^Code: ${code}\\. DB::Exception: [\\s\\S]+\\([A-Z_]+\\) \\(version [\\d.]+\\)\\n$`),
    );
  });

  it('reports a failure after the first bytes inside the body and closes the connection', async () => {
    const sql = 'SELECT throwIf(number = 2000000), toString(number) FROM numbers(3000000)';
    const response = await fetch(`${clickhouse.url}/?query=${encodeURIComponent(sql)}`);
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
  });

  it('refuses unsupported requests with an error', async () => {
    expect((await fetch(`${clickhouse.url}/nowhere?query=SELECT+1`)).status).toBe(404);
    expect((await fetch(`${clickhouse.url}/?query=SELECT+1`, { method: 'DELETE' })).status).toBe(405);
    const input = "INSERT INTO numbers_table SELECT n, s FROM input('n UInt64, s String') FORMAT JSONEachRow";
    expect((await runSql(clickhouse, input, { body: '{"n":1}' })).status).toBe(501);
  });

  it.each([
    ['a reader', 'reader', 300 * 1024],
    ['the service', 'service', 129 * 1024 * 1024],
  ] as const)(
    'refuses a body of %s that is over its bound, also when it is small on the wire',
    async (_, as, sizeBytes) => {
      const body = gzipSync(Buffer.alloc(sizeBytes, ' '));
      const headers = {
        'Content-Encoding': 'gzip',
        ...(as === 'reader' ? {} : { 'X-ClickHouse-User': 'service', 'X-ClickHouse-Key': clickhouse.address.password }),
      };
      const response = await fetch(clickhouse.url, { method: 'POST', body, headers });
      expect([response.status, response.headers.get('x-clickhouse-exception-code')]).toEqual([413, '131']);
    },
  );

  it('answers 400 when Avro cannot hold the names of a result', async () => {
    for (const name of ['a/b.csv', 'x y']) {
      const answer = await runSql(clickhouse, `SELECT 1 AS "${name}" FORMAT Avro`);
      expect([answer.status, answer.headers.get('x-clickhouse-exception-code')], name).toEqual([400, '36']);
      expect(answer.text).toMatch(/Avro cannot hold this result: /);
    }
    expect((await runSql(clickhouse, 'SELECT 1 AS good FORMAT Avro')).status).toBe(200);
  });

  it('refuses a body that does not decompress', async () => {
    const response = await fetch(clickhouse.url, {
      method: 'POST',
      body: 'SELECT 1',
      headers: { 'Content-Encoding': 'gzip' },
    });
    expect(response.status).toBe(400);
  });

  it('drops a client that disconnects in the middle of a compressed body', async () => {
    const sent = request(clickhouse.url, { method: 'POST', headers: { 'Content-Encoding': 'gzip' } });
    sent.on('error', () => {});
    sent.write(gzipSync('SELECT 1').subarray(0, 12));
    await once(sent, 'socket');
    sent.destroy();
    expect((await runSql(clickhouse, 'SELECT 1', { as: 'reader' })).text).toBe('1\n');
  });

  it('cancels the statement of a client that disconnects', async () => {
    const abort = new AbortController();
    const marker = 'cancelled_statement_marker';
    const running = fetch(
      `${clickhouse.url}/?query=${encodeURIComponent(`SELECT count() AS ${marker} FROM numbers(1000000000000)`)}`,
      {
        signal: abort.signal,
      },
    ).catch(() => 'gone');
    const count = async () => {
      const sql = `SELECT count() AS n FROM system.processes WHERE query LIKE '%${marker}%' AND query NOT LIKE '%system.processes%'`;
      return Number((await rowsOf<{ n: string }>(clickhouse, sql))[0]?.n);
    };
    await until('the statement runs', async () => (await count()) === 1);
    abort.abort();
    expect(await running).toBe('gone');
    await until('the statement has ended', async () => (await count()) === 0);
  });

  it('goes on after clients that disconnect during the first part of a result', async () => {
    const large = `SELECT repeat('x', 100) FROM numbers(1000000) FORMAT TabSeparated`;
    for (let client = 0; client < 20; client++) {
      const sent = request(`${clickhouse.url}/?query=${encodeURIComponent(large)}`);
      sent.on('error', () => {});
      sent.end();
      const [response]: IncomingMessage[] = await once(sent, 'response');
      response?.destroy();
    }
    // Long answers make garbage, so the engine's process collects what the disconnected clients left.
    for (let statement = 0; statement < 60; statement++) {
      const { text } = await runSql(clickhouse, `SELECT repeat('x', 1000) FROM numbers(2000)`, { as: 'reader' });
      expect(text).toHaveLength(2_002_000);
    }
  });
});

describe('the read-only user', () => {
  const reader = (sql: string, search: Record<string, string> = {}) =>
    runSql(clickhouse, sql, { as: 'reader', search });

  it.each([
    'INSERT INTO numbers_table VALUES (1, 2)',
    'CREATE TABLE t2 (n UInt8) ENGINE = Memory',
    'CREATE TEMPORARY TABLE t3 (n UInt8) ENGINE = Memory',
    'DROP TABLE numbers_table',
    'TRUNCATE TABLE numbers_table',
    'ALTER TABLE numbers_table DELETE WHERE 1',
    'OPTIMIZE TABLE numbers_table FINAL',
    'RENAME TABLE numbers_table TO other',
    'SET readonly = 0',
    'SET max_memory_usage = 0',
    'SET ROLE service',
    'SET ROLE ALL',
    'SET DEFAULT ROLE ALL TO default',
    'EXECUTE AS default SELECT 1',
    'GRANT ALL ON *.* TO default',
    'CREATE USER eve',
    'CREATE FUNCTION f AS (x) -> x',
    'USE system',
    'KILL QUERY WHERE 1',
    'SYSTEM STOP MERGES',
    'SYSTEM SHUTDOWN',
    "BACKUP TABLE numbers_table TO Disk('default', 'x')",
    "SELECT 1 INTO OUTFILE '/tmp/embedded-clickhouse-outfile'",
    "SELECT 1 INTO OUTFILE '/tmp/embedded-clickhouse-outfile' FORMAT CSV",
    "INSERT INTO FUNCTION file('/tmp/embedded-clickhouse-outfile', 'CSV') SELECT 1",
    "SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "DESCRIBE TABLE file('/etc/hostname', 'LineAsString')",
    "EXPLAIN SELECT * FROM file('/etc/hostname', 'LineAsString')",
    "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')",
    "SELECT * FROM remote('127.0.0.1', system.one)",
    "SELECT * FROM s3('http://bucket.127.0.0.1/key.csv', 'CSV')",
    "SELECT * FROM executable('cat', 'TSV', 'a String')",
    "SELECT * FROM sqlite('/tmp/x.db', 'y')",
    "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "SELECT * FROM postgresql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "SELECT * FROM icebergLocal('/tmp')",
    "SELECT * FROM filesystem('/etc')",
    "SELECT file('/etc/hostname')",
    "SELECT `file`('/etc/hostname')",
    'SELECT "file"(\'/etc/hostname\')',
    String.raw`SELECT "\x66ile"('/etc/hostname')`,
    "SELECT arrayMap(file, ['/etc/hostname'])",
    "SELECT * APPLY(file) FROM (SELECT '/etc/hostname')",
    "SELECT /* ' */ file('/etc/hostname') /* ' */",
    "SELECT '\\'', file('/etc/hostname'), '\\''",
    "SELECT '''', file('/etc/hostname'), ''''",
    "SELECT x'\\', file('/etc/hostname') --'",
    "SELECT $q$ ' $q$, file('/etc/hostname'), $q$ ' $q$",
    "# '\nSELECT file('/etc/hostname') # '",
    "SELECT -- '\n file('/etc/hostname') -- '",
    "SELECT ‘’, file('/etc/hostname')",
    "SELECT * FROM eval('SELECT 1')",
    'SELECT 1; DROP TABLE numbers_table',
    "SELECT 1 FORMAT Template SETTINGS format_template_resultset = '/etc/hostname'",
    'SELECT * FROM system.users',
    'EXPLAIN AST SELECT 1; SET ROLE service',
    'SELEC 1; SET ROLE service',
  ])('may not: %s', async (sql) => {
    const { status, text } = await reader(sql);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).toMatch(/^Code: \d+\. DB::Exception/);
    expect(text).not.toContain(readFileSync('/etc/hostname', 'utf8').trim() + '\\n');
  });

  it('may not name `file` through a parameter', async () => {
    const { status } = await reader("SELECT arrayMap({f:Identifier}, ['/etc/hostname'])", { param_f: 'file' });
    expect(status).toBeGreaterThanOrEqual(400);
  });

  it('changes nothing by trying', async () => {
    expect(existsSync('/tmp/embedded-clickhouse-outfile')).toBe(false);
    expect((await reader('SELECT count() FROM numbers_table')).text).toBe('1000\n');
    expect((await reader("SELECT getSetting('readonly')")).text).toBe('1\n');
    expect((await reader('SELECT currentRoles()')).text).toBe("['analyst']\n");
  });

  it.each([
    ['format_schema', '/etc/hostname', 500],
    ['allow_ddl', '1', 500],
    ['additional_table_filters', '{}', 500],
    ['max_threads', "1'; SET ROLE service; SELECT '", 500],
    ["max_threads'; SET ROLE service; --", '1', 400],
  ])('setting %s=%s in the URL is answered %i', async (name, value, status) => {
    const answer = await reader("SELECT getSetting('readonly')", { [name]: value });
    expect(answer.status).toBe(status);
  });

  it.each([
    ['readonly', '0', '1'],
    ['max_memory_usage', '0', '536870912'],
    ['max_memory_usage', '99999999999', '536870912'],
    ['max_execution_time', '0', '60'],
    ['max_execution_time', '3600', '60'],
    ['max_execution_time', '5', '5'],
    ['max_threads', '64', '2'],
    ['max_result_rows', '9223372036854775807', '9007199254740991'],
    ['log_queries', '0', 'true'],
  ])('setting %s=%s in the URL, and in the statement where it may be, gives %s', async (name, value, effective) => {
    const sql = `SELECT toString(getSetting('${name}'))`;
    expect((await reader(sql, { [name]: value })).text).toBe(`${effective}\n`);
    expect((await reader(`${sql} SETTINGS ${name} = ${value}`)).text).toBe(`${effective}\n`);
  });

  it('reads tables, views and what clients list; words in strings and columns do not matter', async () => {
    for (const sql of [
      'SELECT * FROM numbers_table LIMIT 1',
      'SHOW TABLES',
      'SHOW CREATE TABLE numbers_table',
      'DESCRIBE numbers_table',
      'EXPLAIN SELECT * FROM numbers_table',
      'SELECT name FROM system.tables',
      'SELECT name, type FROM system.columns',
      'SELECT name FROM system.databases',
      'SELECT version(), timezone(), currentUser()',
      "SELECT * FROM numbers_table WHERE s = 'file'",
      "SELECT count() FROM numbers_table WHERE s LIKE '%file(%' -- a file",
      'WITH x AS (SELECT 1 AS a) SELECT * FROM x;',
    ]) {
      const { status, text } = await reader(sql);
      expect(`${status} ${text}`).toMatch(/^200 /);
    }
  });

  it('is refused with a password, under another name, and through a foreign host name', async () => {
    const as = (headers: Record<string, string>) => fetch(`${clickhouse.url}/?query=SELECT+1`, { headers });
    expect((await as({ 'X-ClickHouse-User': 'service', 'X-ClickHouse-Key': 'wrong' })).status).toBe(403);
    expect((await as({ 'X-ClickHouse-User': 'default', 'X-ClickHouse-Key': 'wrong' })).status).toBe(403);
    expect((await as({ Authorization: `Basic ${Buffer.from('admin:').toString('base64')}` })).status).toBe(403);
    expect((await rawGet(`${clickhouse.url}/?query=SELECT+1`, { Host: 'rebound.example.com' })).status).toBe(403);
  });

  it('cannot exceed its memory', async () => {
    const { status, text } = await reader('SELECT length(groupArray(toString(number))) FROM numbers(100000000)');
    expect(status).toBe(500);
    expect(text).toContain('MEMORY_LIMIT_EXCEEDED');
  });

  it('cannot exceed its requested time', async () => {
    const { status, text } = await reader('SELECT count() FROM numbers(1000000000000)', { max_execution_time: '1' });
    expect([status, text.includes('TIMEOUT_EXCEEDED')]).toEqual([408, true]);
  });

  it('does not delay the writer with long statements on every slot', async () => {
    await execSql(clickhouse, 'CREATE TABLE busy (n UInt64) ENGINE = MergeTree ORDER BY n');
    const abort = new AbortController();
    let ended = 0;
    const slow = Array.from({ length: 8 }, async () => {
      const address = `${clickhouse.url}/?query=SELECT+count()+FROM+numbers(1000000000000)`;
      await fetch(address, { signal: abort.signal }).catch(() => undefined);
      ended += 1;
    });
    await until('the readers run', async () => {
      const [row] = await rowsOf<{ n: string }>(
        clickhouse,
        "SELECT count() AS n FROM system.processes WHERE query LIKE '%numbers(1000000000000)%' AND query NOT LIKE '%processes%'",
      );
      return Number(row?.n) === 4;
    });
    for (let i = 0; i < 10; i++) {
      const { status } = await runSql(clickhouse, 'INSERT INTO busy FORMAT JSONEachRow', { body: `{"n":${i}}\n` });
      expect(status).toBe(200);
    }
    // No insert waited for one of the readers.
    expect(ended).toBe(0);
    abort.abort();
    await Promise.all(slow);
  });
});

/** A GET without any help of fetch: own Host header, no decompression. */
async function rawGet(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Buffer }> {
  const sent = request(url, { headers: { 'Accept-Encoding': 'gzip', ...headers } });
  sent.end();
  const [response]: IncomingMessage[] = await once(sent, 'response');
  const parts: Buffer[] = [];
  for await (const part of response ?? []) parts.push(part);
  return { status: response?.statusCode ?? 0, headers: response?.headers ?? {}, body: Buffer.concat(parts) };
}
