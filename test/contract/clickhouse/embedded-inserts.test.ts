import { ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createNativeBlock } from '../../../clickhouse-schema/rows/native-block.ts';
import { runSql, startClickhouse, type TestClickhouse } from '../../support/servers/clickhouse.ts';

/* The published client, and inserts whose data is binary: the embedded server hands it to the engine as a file. */

const CANARY = 'canary-of-the-insert-tests';
let clickhouse: TestClickhouse;
let folder: string;
let dataDir: string;
let secret: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'clickhouse-inserts-'));
  // Characters that a path inside a statement, or a pattern, would give a meaning.
  dataDir = join(folder, "it's {a,b} * ?");
  mkdirSync(dataDir);
  secret = join(folder, 'secret.bin');
  writeFileSync(secret, Buffer.concat([Buffer.from([CANARY.length]), Buffer.from(CANARY)]));
  clickhouse = await startClickhouse({ DATA_DIR: dataDir });
  await sql('CREATE TABLE texts (text String) ENGINE = MergeTree ORDER BY tuple()');
});
afterAll(async () => {
  await clickhouse.close();
  rmSync(folder, { recursive: true, force: true });
});

async function sql(text: string, body?: Buffer, search: Record<string, string> = {}): Promise<string> {
  const answer = await runSql(clickhouse, text, body === undefined ? { search } : { body, search });
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.text;
}

function nativeTexts(texts: readonly string[]): Buffer {
  const block = createNativeBlock([{ name: 'text', encoding: 'text', nullable: false }]);
  for (const text of texts) block.add([text]);
  return Buffer.from(block.bytes());
}

/** Texts as RowBinary; each is shorter than 128 bytes. */
function rowBinaryTexts(texts: readonly string[]): Buffer {
  return Buffer.concat(texts.flatMap((text) => [Buffer.from([Buffer.byteLength(text)]), Buffer.from(text)]));
}

const filesLeft = () => readdirSync(join(dataDir, 'clickhouse-inserts'));
const parts = () =>
  sql("SELECT count(), sum(rows) FROM system.parts WHERE table = 'texts' AND active AND database = 'default'");

/** Values with the bytes at which text formats and inline data end. */
const TEXTS = ['', '\n\n', 'a\n\n;\nb', '\0', '\u{1f3ae}', "'\\"];

describe('@clickhouse/client against the embedded ClickHouse', () => {
  it('pings, commands, inserts, queries, streams and closes', async () => {
    const { url, user, password } = clickhouse.address;
    const client = createClient({
      url,
      username: user,
      password,
      compression: { request: true, response: true },
      log: { level: ClickHouseLogLevel.OFF },
    });
    expect(await client.ping()).toEqual({ success: true });
    await client.command({ query: 'CREATE TABLE client_table (n UInt32, s String) ENGINE = MergeTree ORDER BY n' });
    const inserted = await client.insert({
      table: 'client_table',
      values: Array.from({ length: 5000 }, (_, n) => ({ n, s: `row ${n}` })),
      format: 'JSONEachRow',
    });
    expect(inserted.summary?.written_rows).toBe('5000');
    await client.insert({
      table: 'client_table',
      values: Readable.from(['5000\tstreamed\n', '5001\tstreamed\n'], { objectMode: false }),
      format: 'TabSeparated',
    });
    const json = await client.query({
      query: 'SELECT count() AS below FROM client_table WHERE n < {below:UInt32}',
      query_params: { below: 10 },
    });
    expect((await json.json()).data).toEqual([{ below: 10 }]);
    const streamed = await client.query({ query: 'SELECT * FROM client_table ORDER BY n', format: 'JSONEachRow' });
    let rows = 0;
    for await (const chunk of streamed.stream<{ n: number }>()) rows += chunk.length;
    expect(rows).toBe(5002);
    const exec = await client.exec({ query: 'SELECT 7 FORMAT CSV' });
    expect((await exec.stream.toArray()).join('')).toBe('7\n');
    await expect(client.query({ query: 'SELECT nope' })).rejects.toMatchObject({
      code: '47',
      type: 'UNKNOWN_IDENTIFIER',
    });
    await client.close();
  });

  it('sees a failure in the middle of a stream', async () => {
    const client = createClient({ url: clickhouse.url, log: { level: ClickHouseLogLevel.OFF } });
    const result = await client.query({
      query: 'SELECT throwIf(number = 2000000) AS t, number FROM numbers(3000000)',
      format: 'JSONEachRow',
    });
    const read = async () => {
      for await (const rows of result.stream()) expect(rows.length).toBeGreaterThan(0);
    };
    await expect(read()).rejects.toThrow();
    await client.close();
  });
});

describe('an insert of binary data', () => {
  it.each([
    ['Native', nativeTexts],
    ['RowBinary', rowBinaryTexts],
  ])('as %s holds any bytes, and leaves no file', async (format, encode) => {
    await sql('TRUNCATE TABLE texts');
    const answer = await runSql(clickhouse, `INSERT INTO texts (text) FORMAT ${format}`, { body: encode(TEXTS) });
    expect([answer.status, answer.text]).toEqual([200, '']);
    expect(JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '{}')).toMatchObject({
      written_rows: String(TEXTS.length),
    });
    const found: unknown = JSON.parse(await sql('SELECT groupArray(text) AS all FROM texts FORMAT JSONEachRow'));
    expect(found).toEqual({ all: TEXTS });
    expect(filesLeft()).toEqual([]);
    expect(statSync(join(dataDir, 'clickhouse-inserts')).mode & 0o777).toBe(0o700);
  });

  it('as Parquet works too', async () => {
    const response = await fetch(
      `${clickhouse.url}/?query=${encodeURIComponent("SELECT 'a\n\nb' AS text FORMAT Parquet")}`,
    );
    await sql('TRUNCATE TABLE texts');
    await sql('INSERT INTO texts FORMAT Parquet', Buffer.from(await response.arrayBuffer()));
    expect(await sql('SELECT text FROM texts FORMAT JSONCompactEachRow')).toBe('["a\\n\\nb"]\n');
  });

  it.each([
    ['Native', nativeTexts],
    ['RowBinary', rowBinaryTexts],
  ])('of 100,000 rows as %s is one part, and a repeat with its token is dropped', async (format, encode) => {
    await sql('DROP TABLE texts');
    await sql(
      'CREATE TABLE texts (text String) ENGINE = MergeTree ORDER BY tuple() SETTINGS non_replicated_deduplication_window = 100',
    );
    const body = encode(Array.from({ length: 100_000 }, (_, n) => `row ${n}`));
    const insert = () =>
      sql(`INSERT INTO texts (text) FORMAT ${format}`, body, { insert_deduplication_token: `token of ${format}` });
    await insert();
    expect(await parts()).toBe('1\t100000\n');
    await insert();
    expect(await parts()).toBe('1\t100000\n');
  });

  it('of two blocks as Native is inserted whole', async () => {
    await sql('TRUNCATE TABLE texts');
    await sql('INSERT INTO texts FORMAT Native', Buffer.concat([nativeTexts(['a']), nativeTexts(['b', 'c'])]));
    expect(await sql('SELECT arraySort(groupArray(text)) FROM texts')).toBe("['a','b','c']\n");
  });

  it('that ends too early is refused, inserts nothing and leaves no file', async () => {
    await sql('TRUNCATE TABLE texts');
    const body = nativeTexts(['a', 'b', 'c']);
    for (const cut of [1, 5, body.length - 1]) {
      const answer = await runSql(clickhouse, 'INSERT INTO texts FORMAT Native', { body: body.subarray(0, cut) });
      expect(answer.status).toBeGreaterThanOrEqual(400);
    }
    expect(await sql('SELECT count() FROM texts')).toBe('0\n');
    expect(filesLeft()).toEqual([]);
  });

  it('may come from several clients at once', async () => {
    await sql('TRUNCATE TABLE texts');
    const bodies = Array.from({ length: 12 }, (_, n) => nativeTexts([`client ${n}`]));
    await Promise.all(bodies.map((body) => sql('INSERT INTO texts FORMAT Native', body)));
    expect(await sql('SELECT uniqExact(text), count() FROM texts')).toBe('12\t12\n');
    expect(filesLeft()).toEqual([]);
  });

  it('leaves nothing that a killed process could not remove at its next start', async () => {
    await clickhouse.kill();
    writeFileSync(join(dataDir, 'clickhouse-inserts', '1'), 'of a process that was killed');
    await clickhouse.restart();
    expect(filesLeft()).toEqual([]);
    await sql('INSERT INTO texts FORMAT Native', nativeTexts(['after the restart']));
    expect(await sql("SELECT count() FROM texts WHERE text = 'after the restart'")).toBe('1\n');
  });
});

describe('a file that a client names', () => {
  const body = nativeTexts(['a']);

  it.each(['RowBinary', 'Native', 'CSV', 'LineAsString'])(
    'is not read as %s, with a body or without',
    async (format) => {
      await sql('TRUNCATE TABLE texts');
      const attacks = [
        `INSERT INTO texts (text) FROM INFILE '${secret}' FORMAT ${format}`,
        `INSERT INTO texts FROM INFILE '${secret}' COMPRESSION 'none' SETTINGS async_insert = 0 FORMAT ${format}`,
        `INSERT INTO texts FROM INFILE '/proc/self/fd/3' FORMAT ${format}`,
        `INSERT INTO texts SELECT * FROM file('${secret}') FORMAT ${format}`,
        `INSERT INTO FUNCTION file('${secret}', 'RowBinary', 'text String') FORMAT ${format}`,
        `INSERT INTO \`${secret}\` FORMAT ${format}`,
      ];
      for (const attack of attacks) {
        for (const as of ['service', 'reader'] as const) {
          for (const options of [{ as }, { as, body }, { as, body: Buffer.from(`FROM INFILE '${secret}'`) }]) {
            const { status, text } = await runSql(clickhouse, attack, options);
            expect(status, `${as}: ${attack}`).toBeGreaterThanOrEqual(400);
            expect(text).not.toContain(CANARY);
          }
        }
      }
      expect(await sql('SELECT count() FROM texts')).toBe('0\n');
      expect(statSync(secret).size).toBe(CANARY.length + 1);
    },
  );

  it('is not read by an INSERT whose data is an INSERT', async () => {
    await sql('TRUNCATE TABLE texts');
    for (const format of ['Native', 'RowBinary', 'TabSeparated']) {
      // Refused in most formats, which read other bytes.
      await runSql(clickhouse, `INSERT INTO texts FORMAT ${format}`, {
        body: Buffer.from(`\n\nINSERT INTO texts FROM INFILE '${secret}' FORMAT RowBinary`),
      });
    }
    expect(await sql(`SELECT count() FROM texts WHERE text = '${CANARY}'`)).toBe('0\n');
  });

  it('is written by no reader, as a reader may not insert', async () => {
    const answer = await runSql(clickhouse, 'INSERT INTO texts (text) FORMAT Native', { as: 'reader', body });
    expect(answer.text).toMatch(/READONLY|ACCESS_DENIED/);
    expect(answer.status).toBeGreaterThanOrEqual(400);
  });
});
