import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { loadNativeEngine } from '../../../local/clickhouse/engine/native-engine.ts';
import { parquetType } from './parquet-types.ts';
import { readParquet } from './read-parquet.ts';

/* The files are made by DuckDB: test/fixtures/imports/parquet.sql. */

/** The properties of each row as text, so that no digit is lost on the way. */
async function propertiesOf(path: string): Promise<string[]> {
  const lines = await linesOf(path);
  return lines.map((line) => /"properties":(.*)\}$/.exec(line)?.[1] ?? 'none');
}

async function linesOf(path: string): Promise<string[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of readParquet(path)) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8').trimEnd().split('\n');
}

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../../test/fixtures/imports/${name}.parquet`, import.meta.url));

const MIXED = [
  '{"level":12,"app.version":"1.2","nul":null,"empty":{},"list":[1,"a"],"at":"2026-01-02T03:04:05Z","d":"2026-01-02",' +
    '"id":"0d9a8f54-e20e-11ef-9cd2-0242ac120002","f":1.5,"b":true,"o":{"x":1,"y":[1,2]},"os":[{"q":1},{"r":"z"}]}',
  '{"level":9007199254740993,"o":{"x":null}}',
];

const ODD = ['{"a":1,"a.b":2}', '[1,2]', '{"n":123456789012345678901234567890}', '{"level":2}', 'none', '7'];

it('a struct gives numbers', async () => {
  expect(await linesOf(fixture('struct'))).toEqual([
    '{"event_id":"1","external_id":"p","event_name":"x","timestamp":"2026-01-01T00:00:00Z","properties":{"level":2}}',
  ]);
});

it('a column of JSON gives its text, with dots in names, nulls, empty objects and all digits', async () => {
  expect(await propertiesOf(fixture('json'))).toEqual(MIXED);
  expect(await propertiesOf(fixture('odd'))).toEqual(ODD);
});

it('a struct of all rows gives each row its own members', async () => {
  expect(await propertiesOf(fixture('mixed'))).toEqual([
    MIXED[0]?.replace('"nul":null,"empty":{},', ''),
    '{"level":9007199254740993}',
  ]);
});

it('a map gives its names, and an id that is a number keeps its digits', async () => {
  const [line] = await linesOf(fixture('map'));
  expect(line).toContain('"external_id":"76561198000000001"');
  expect(line).toContain('"timestamp":"2026-01-01T00:00:00.123Z","properties":{"a":1,"b.c":2}');
});

it('each type gives what JSON has for it', async () => {
  const [line = ''] = await linesOf(fixture('types'));
  expect(line).toContain('"timestamp":"2026-01-01T00:00:00.123456789Z"');
  for (const member of [
    '"i8":1,"u64":18446744073709551615,"i64":9007199254740993,"hug":1.2345678901234568e+29',
    '"dec":1.5,"dec30":123456789012345678901234567.125,"f":0.1,"d":0.1,"b":false,"dt":"2026-01-02"',
    '"ts":"2026-01-02T03:04:05Z","tms":"2026-01-02T03:04:05.500Z","tns":"2026-01-02T03:04:05.000000001Z"',
    '"ttz":"2026-01-02T01:04:05Z","tm":"03:04:05"',
    '"en":"x","l":[1,null,3],"ll":[[1],[2,3]],"s":{"k":1},"m":{"k":{"z":1}}',
    '"js":{"a":1,"a.b":null},"ljs":[1,"a",{"q":null}],"big":9007199254740991',
  ]) {
    expect(line).toContain(member);
  }
  // None of them is a value in JSON.
  for (const absent of ['"nan"', '"inf"', '"nul"', '"empty"']) expect(line).not.toContain(absent);
});

it('a file of many rows keeps their order, and a text with JSON that a writer calls a text stays one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'read-parquet-'));
  try {
    const path = join(folder, 'many.parquet');
    const engine = loadNativeEngine();
    const connection = engine.CreateConnection(folder, []);
    if (connection === null) throw new Error('the engine did not start');
    await engine.QueryAsyncConnection(
      connection,
      `INSERT INTO FUNCTION file('${path}', 'Parquet') SELECT number AS n, 'a\nb' AS external_id, ` +
        `map('constructor', number) AS properties FROM numbers(20000) SETTINGS output_format_parquet_row_group_size = 3000`,
      'Null',
    );
    engine.CloseConnection(connection);
    const lines = await linesOf(path);
    expect(lines).toEqual(
      Array.from({ length: 20_000 }, (_, n) => `{"n":"${n}","external_id":"a\\nb","properties":{"constructor":${n}}}`),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it('a VARIANT is refused instead of stored as its bytes, and a struct with its names is none', async () => {
  await expect(linesOf(fixture('variant'))).rejects.toThrow('VARIANT, which is not read; write JSON');
  const struct = 'Tuple(metadata Nullable(String), value Nullable(String))';
  expect(parquetType(struct, ['String', 'String'])).toHaveProperty('kind', 'struct');
  expect(parquetType(struct.replace('value', 'size'), ['None', 'None'])).toHaveProperty('kind', 'struct');
});

it('names of members may have any characters', () => {
  expect(
    parquetType('Tuple(`a b(,)` Nullable(Int8), `c\\`d` Map(String, Array(Nullable(String))))', ['', '', 'JSON']),
  ).toEqual({
    kind: 'struct',
    members: [
      { name: 'a b(,)', type: { kind: 'number' } },
      { name: 'c`d', type: { kind: 'map', value: { kind: 'list', item: { kind: 'json' } } } },
    ],
  });
});
