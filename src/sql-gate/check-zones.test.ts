import { describe, expect, it } from 'vitest';
import { approveStatement } from './approve-statement.ts';
import { checkZones } from './check-zones.ts';
import { tokenize } from './sql-tokens.ts';
import { RefusedRequest } from '../../clickhouse-schema/queries/statements/exceptions.ts';

function approve(sql: string, parameters: Record<string, string> = {}): void {
  approveStatement({
    caller: 'analyst',
    sql,
    parameters: new Map(Object.entries(parameters)),
    database: 'default',
    currentDatabase: 'default',
  });
}

const PATH = 'file:/dev/ptmx';

describe('a time zone that may be a file is refused', () => {
  it.each([
    `SELECT toDateTime(0, '${PATH}')`,
    `SELECT toDateTime(0, 3, '${PATH}')`,
    `SELECT todatetime(0, '${PATH}')`,
    "SELECT toDateTime(0, '/dev/ptmx')",
    "SELECT toDateTime(0, '../../dev/ptmx')",
    "SELECT toDateTime(0, 'file\\x3a/dev/ptmx')",
    "SELECT toDateTime(0, x'66696c653a2f6465762f70746d78')",
    "SELECT toDateTime(0, concat('file:', '/dev/ptmx'))",
    "SELECT toDateTime(0, 'file:' || '/dev/ptmx')",
    "SELECT toDateTime(0, unhex('66696C653A2F6465762F70746D78'))",
    `SELECT toDateTime(0, (SELECT '${PATH}'))`,
    `SELECT toDateTime(0, ('${PATH}'))`,
    `WITH '${PATH}' AS tz SELECT toDateTime(0, tz)`,
    `SELECT toDateTime(0, tz) FROM (SELECT '${PATH}' AS tz)`,
    `SELECT toDateTimeOrDefault('x', '${PATH}')`,
    `SELECT toString(now(), '${PATH}')`,
    `SELECT now('${PATH}')`,
    `SELECT toYear(now(), '${PATH}')`,
    `SELECT addDays(now(), 1, '${PATH}')`,
    `SELECT dateDiff('day', now(), now(), '${PATH}')`,
    `SELECT toStartOfInterval(now(), INTERVAL 1 DAY, '${PATH}')`,
    `SELECT toStartOfInterval(now(), INTERVAL 1 DAY, concat('file:', '/dev/ptmx'))`,
    `SELECT makeDateTime(2024, 1, 1, 0, 0, 0, '${PATH}')`,
    `SELECT arrayMap(x -> toDateTime(x, '${PATH}'), [1])`,
    `SELECT CAST(0 AS DateTime('${PATH}'))`,
    `SELECT CAST(0 AS Array(Nullable(DateTime64(3, '${PATH}'))))`,
    `SELECT CAST(0 AS TIMESTAMP('${PATH}'))`,
    `SELECT 0::DateTime('${PATH}')`,
    `SELECT CAST(0, 'DateTime(\\'${PATH}\\')')`,
    `SELECT CAST(0, 'DateTime(''${PATH}'')')`,
    `SELECT CAST(0, concat('DateTime(', unhex('27'), '${PATH}', unhex('27'), ')'))`,
    `SELECT CAST(0, 'Date\\x54ime(''${PATH}'')')`,
    `SELECT accurateCastOrNull(0, 'DateTime(\\'${PATH}\\')')`,
    `SELECT reinterpret(0, 'DateTime(''${PATH}'')')`,
    `SELECT JSONExtract('{"a":1}', 'a', 'DateTime(''${PATH}'')')`,
    `SELECT JSONExtract('{"a":1}', 'a', (SELECT 'DateTime'))`,
    `SELECT JSONExtractKeysAndValues('{"a":1}', 'DateTime(''${PATH}'')')`,
    `SELECT defaultValueOfTypeName('Tuple(a DateTime(''${PATH}''))')`,
    `SELECT * FROM values('x DateTime(''${PATH}'')', 0)`,
    `SELECT j.a.:\`DateTime('${PATH}')\` FROM t`,
    "SELECT {x:DateTime('/dev/ptmx')}",
    "SELECT 1 SETTINGS session_timezone = 'Mars/Olympus'",
  ])('%s', (sql) => {
    expect(() => approve(sql)).toThrow(RefusedRequest);
  });

  it('also as the value of a parameter', () => {
    expect(() => approve('SELECT toDateTime(0, {tz:String})', { tz: PATH })).toThrow(RefusedRequest);
    expect(() => approve('SELECT CAST(0, {t:String})', { t: `DateTime('${PATH}')` })).toThrow(RefusedRequest);
  });

  it('with the remedy', () => {
    expect(() => approve("SELECT toDateTime(0, concat('UTC', ''))")).toThrow(
      "todatetime: write the time zone as a literal with the name of a zone, as 'Europe/Berlin'",
    );
  });

  it('also if a statement names very many', () => {
    const many = Array.from({ length: 60 }, () => "toDateTime(0, 'US/Pacific')").join(', ');
    expect(() => approve(`SELECT ${many}`)).toThrow('at most 50 uncommon time zones');
  });
});

describe('a known zone is approved', () => {
  it.each([
    "SELECT toDateTime(0, 'Europe/Berlin'), toDateTime(0, 'UTC'), toDateTime64(0, 3, 'US/Pacific'), toDateTime(0, 3)",
    "SELECT toStartOfInterval(ts, INTERVAL 1 DAY, toDateTime('2024-01-01', 'UTC')), toStartOfInterval(ts, INTERVAL 1 DAY, 'Asia/Tokyo') FROM t",
    "SELECT toDayOfWeek(ts, 1, 'Etc/GMT+2'), toWeek(ts, 1), toString(ts), toDate(ts, 'Asia/Kolkata'), now(), now64(3) FROM t",
    "SELECT parseDateTimeBestEffort(text, 3, 'UTC'), formatDateTime(ts, '%H:%M', 'UTC'), dateDiff('day', a, b) FROM t",
    "SELECT CAST(a AS DateTime('UTC')), CAST(a, 'DateTime64(3, \\'Asia/Tokyo\\')'), a::TIMESTAMP, CAST(a AS Float64) FROM t",
    "SELECT JSONExtract(p, 'a', 'Array(Tuple(DateTime(''UTC''), String))'), JSONExtract(p, 'Float64') FROM t",
    "SELECT timestamp('2024-01-01 10:00:00'), timestamp(d), toDateTimeOrDefault(x, 'UTC', toDateTime(0)) FROM t",
    "SELECT count() FROM t WHERE text LIKE '%datetime(%it''s%' OR match(text, 'timestamp \\\\(\\'')",
    "SELECT now('UTC') - INTERVAL 1 DAY, CAST(x AS Enum8('a' = 1, 'DateTime' = 2)) FROM t",
    "SELECT 1 SETTINGS session_timezone = 'Europe/Berlin'",
  ])('%s', (sql) => {
    expect(() => approve(sql)).not.toThrow();
  });

  it('also as the value of a parameter', () => {
    expect(() => approve('SELECT toDateTime(0, {tz:String})', { tz: 'Europe/Berlin' })).not.toThrow();
  });
});

it('reads each token a few times, however deep the calls are', () => {
  const { tokens } = tokenize(
    `SELECT ${'toString('.repeat(180)}${"'x', ".repeat(5_000)}'x'${')'.repeat(180)}`,
    new Map(),
  );
  let reads = 0;
  const counted = new Proxy(tokens, {
    get(target, name) {
      reads += 1;
      return Reflect.get(target, name);
    },
  });
  expect(() => checkZones(counted, new Map())).toThrow(RefusedRequest);
  expect(reads).toBeGreaterThan(tokens.length);
  expect(reads).toBeLessThan(20 * tokens.length);
});
