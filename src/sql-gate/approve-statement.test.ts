import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { approveStatement, type ApprovedStatement } from './approve-statement.ts';
import type { Caller } from './caller.ts';
import { happenedAt } from '../../clickhouse-schema/event-time.ts';
import { statementsOf } from '../../clickhouse-schema/schema-record.ts';
import { expanded } from '../../clickhouse-schema/templates.ts';
import { viewMacros } from '../../clickhouse-schema/views/view-macros.ts';
import { RefusedRequest } from '../../clickhouse-schema/queries/statements/exceptions.ts';
import { AGGREGATE_FUNCTIONS, REFUSED_FUNCTIONS, SCALAR_FUNCTIONS } from './reviewed-functions.ts';

function approve(
  sql: string,
  options: { caller?: Caller; parameters?: Record<string, string>; currentDatabase?: string } = {},
): ApprovedStatement {
  return approveStatement({
    caller: options.caller ?? 'analyst',
    sql,
    parameters: new Map(Object.entries(options.parameters ?? {})),
    database: 'default',
    currentDatabase: options.currentDatabase ?? 'default',
  });
}

describe("a reader's statement that only reads known names is approved", () => {
  it.each([
    'SELECT 1',
    '(SELECT 1) UNION ALL (SELECT 2)',
    'FROM events SELECT count()',
    'WITH x AS (SELECT 1 AS a) SELECT * FROM x;',
    'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r',
    "SELECT count() FROM events WHERE event_name = 'a(b)' -- a file('x')",
    'SELECT e.player_id, p.country FROM default.events AS e LEFT JOIN players p ON e.player_id = p.player_id, purchases WHERE 1',
    'SELECT * FROM events ARRAY JOIN [1, 2] AS x, [3] AS y JOIN players USING (player_id)',
    "SELECT player_id FROM events WHERE player_id IN (SELECT player_id FROM purchases) AND event_name NOT IN ('a', 'b')",
    'SELECT * FROM events WHERE player_id IN players',
    "SELECT a IN (b, 'c', NULL), a NOT IN (e.country), a GLOBAL NOT IN ((1, 2), (b, c)), a IN (b + 1, lower(c)) FROM t",
    "SELECT trim(BOTH ' ' FROM event_name), extract(YEAR FROM received_at), substring(event_name FROM 2) FROM events",
    'SELECT event_name IS DISTINCT FROM e.country FROM events e',
    'SELECT quantilesTDigestIf(0.5, 0.9)(amount, is_payer), uniqExactIf(player_id, x > 1), sumMap(m), groupArrayArray(a) FROM t',
    "SELECT * EXCEPT (state) REPLACE (1 AS a), COLUMNS('^p') APPLY(toString) APPLY(x -> x + 1) FROM players",
    'SELECT arrayMap(x -> x * 2, arrayFilter((x, y) -> x > y, a, b)), a.1, t.2.1, (1, 2).1 FROM t',
    "SELECT CAST(a AS Decimal(18, 4)), b::Array(Tuple(x String, y UInt8)), toDateTime64(c, 3, 'UTC') FROM t",
    'SELECT count() OVER (PARTITION BY a ORDER BY b ROWS BETWEEN 1 PRECEDING AND CURRENT ROW), rank() OVER w FROM t WINDOW w AS (ORDER BY a)',
    'SELECT a, count() FROM t GROUP BY GROUPING SETS ((a), ()) HAVING count() > 1 ORDER BY a WITH FILL FROM 1 TO 5 LIMIT 1 BY a LIMIT 10 OFFSET 2',
    'SELECT CASE WHEN a = 1 THEN (2) ELSE (3) END, a ? b : c, INTERVAL 1 DAY + now(), date_add(DAY, 1, today()) FROM t',
    "SELECT EXISTS (SELECT 1), NOT (1), -(1), [1, 2][1], 0x1F, .5, 1e-3, 1_000, x'41', b'01'",
    'SELECT * FROM numbers(10), generate_series(1, 3) AS g, zeros(2) z',
    "SELECT * FROM values('a String, b Decimal(18, 4)', ('x', 1)), (VALUES (1, 2)) AS t",
    'SELECT * FROM view(SELECT 1)',
    'SELECT format FROM (SELECT 1 AS format)',
    'SELECT (explain), sum(explain) FROM (SELECT 1 AS explain)',
    'SELECT "a/b", `revenue %` FROM (SELECT 1 AS "a/b", 2 AS `revenue %`)',
    'SELECT {text:String}, {list:Array(String)} FROM {table:Identifier} WHERE n < {below: UInt32}',
    'SELECT 1 FORMAT JSONEachRow',
    'SELECT 1 SETTINGS max_threads = 1, join_use_nulls = 1 FORMAT JSON',
    'SELECT name FROM system.tables WHERE database = currentDatabase()',
    'SELECT table_name FROM information_schema.tables',
    'SHOW TABLES',
    "SHOW FULL TABLES FROM default LIKE '%s' LIMIT 5",
    'SHOW CREATE TABLE events',
    'SHOW CREATE DATABASE default',
    'SHOW COLUMNS FROM events FROM default',
    'SHOW DATABASES FORMAT JSON',
    'DESCRIBE TABLE events',
    'DESC (SELECT 1)',
    'DESCRIBE numbers(3)',
    'EXISTS TABLE default.events',
    'EXPLAIN SELECT 1',
    'EXPLAIN PLAN indexes = 1, actions = 1 SELECT count() FROM events',
    'EXPLAIN QUERY TREE SELECT 1',
    'EXPLAIN AST SELECT 1',
    'EXPLAIN ESTIMATE SELECT count() FROM events',
  ])('%s', (sql) => {
    expect(approve(sql, { parameters: { table: 'events' } }).sql).not.toBe('');
  });

  it('and loses its comments, but no space that separates', () => {
    expect(approve('SELECT/* a */1 -- b\n,2 # c\n;').sql).toBe('SELECT 1 ,2');
  });

  it.each([
    ['SELECT 1 SETTINGS max_execution_time = 64', 'SELECT 1 SETTINGS max_execution_time = 60', '60'],
    ['SELECT 1 SETTINGS max_execution_time = 0', 'SELECT 1 SETTINGS max_execution_time = 60', '60'],
    ['SELECT 1 SETTINGS max_execution_time = 7', 'SELECT 1 SETTINGS max_execution_time = 7', '7'],
    ['SELECT 1 SETTINGS "readonly" = 0', 'SELECT 1', undefined],
    ['SELECT * FROM (SELECT 1 SETTINGS readonly = 0)', 'SELECT * FROM (SELECT 1)', undefined],
    [
      "SELECT 1 SETTINGS log_comment = 'x', max_execution_time = 99, extremes = 0 FORMAT JSON",
      'SELECT 1 SETTINGS max_execution_time = 60, extremes = 0',
      '60',
    ],
  ])('%s has its settings within their bounds', (sql, text, seconds) => {
    const approved = approve(sql);
    expect(approved.sql.replaceAll(/ +/g, ' ').replaceAll(' )', ')').trim()).toBe(text);
    expect(approved.settings.get('max_execution_time')).toBe(seconds);
  });

  it.each([
    ['SELECT name, value, readonly FROM system.settings LIMIT 10000', true],
    ['SELECT 1', false],
    ['SELECT name FROM system.settings SETTINGS max_threads = 1', false],
    ['SELECT name FROM (SELECT name FROM system.settings SETTINGS max_threads = 1)', false],
    ['SELECT settings FROM system.settings', false],
  ])('%s shows settings that it cannot set: %s', (sql, shows) => {
    expect(approve(sql).showsSettings).toBe(shows);
  });

  it('names its format and settings', () => {
    const approved = approve('SELECT 1 WITH TOTALS SETTINGS max_threads = 1 FORMAT CSV');
    expect(approved).toMatchObject({ kind: 'select', format: 'CSV', hasTotals: true });
    expect([...approved.settings]).toEqual([['max_threads', '1']]);
  });
});

const file = "file('/etc/passwd')";
const quotedFile = "file(\\'/etc/passwd\\')";

describe("a reader's statement is refused without asking the engine", () => {
  it.each([
    `optimize = 1 SELECT ${file}`,
    `EXPLAIN AST optimize = 1 SELECT 1`,
    'EXPLAIN TABLE OVERRIDE mysql(1) COLUMNS (a String)',
    'EXPLAIN CURRENT TRANSACTION',
    'EXPLAIN INSERT INTO t SELECT 1',
    'EXPLAIN SHOW TABLES',
    'SELECT (EXPLAIN SYNTAX SELECT * FROM a, "/etc/passwd")',
    'SELECT * FROM view(EXPLAIN SELECT 1)',
    `SELECT ${file}`,
    `SELECT FILE ('/etc/passwd')`,
    `SELECT file/**/('/etc/passwd')`,
    `SELECT \`file\`('/etc/passwd')`,
    `SELECT "file" ('/etc/passwd')`,
    String.raw`SELECT "\x66ile"('/etc/passwd')`,
    'SELECT "a""b"',
    "SELECT arrayMap(file, ['/etc/passwd'])",
    "SELECT arrayMap(`file`, ['/etc/passwd'])",
    'SELECT * APPLY file FROM t',
    'SELECT * APPLY(file) FROM t',
    'WITH file AS f SELECT f(1)',
    "SELECT arrayMap({f:Identifier}, ['/etc/passwd'])",
    "SELECT x'\\', file('/etc/passwd') --'",
    "SELECT $q$ ' $q$",
    'SELECT $q$',
    "# '\nSELECT file('/etc/passwd') # '",
    `SELECT 1 # comment\r, ${file}`,
    `SELECT 1 -- comment\r, ${file}\n`,
    'SELECT /* a /* b */ 1 */',
    'SELECT 1 // comment',
    "SELECT ‘’, file('/etc/passwd')",
    'SELECT “a”',
    'SELECT 1 − 1',
    'SELECT\u00a01',
    'SELECT 1\0',
    `SELECT arrayReduce('topK(toUInt64(${quotedFile}))', [1])`,
    // Quadratic, and not interrupted by a limit of time.
    'SELECT levenshteinDistance(name, name) FROM system.tables',
    'SELECT arrayLevenshteinDistance([1], [2])',
    `SELECT initializeAggregation('topK(toUInt64(${quotedFile}))', 1)`,
    `SELECT * FROM values('a UInt64 DEFAULT toUInt64(${quotedFile})', (1))`,
    "SELECT * FROM values('a UInt64 DEFAULT file(''/etc/passwd'')', (1))",
    "SELECT * FROM values(('a UInt64 DEFAULT now()'), (1))",
    "SELECT * FROM values(concat('a UInt64 DEFAULT ', 'now()'), (1))",
    'SELECT * FROM values({text:String}, (1))',
    "SELECT 1 IN values('a UInt64 DEFAULT now()', 1)",
    `SELECT * FROM generateRandom('a UInt64 DEFAULT toUInt64(${quotedFile})')`,
    `SELECT * FROM null('a UInt64 DEFAULT toUInt64(${quotedFile})')`,
    "SELECT * FROM '/etc/passwd'",
    'SELECT * FROM `/etc/passwd`',
    'SELECT * FROM default."/etc/passwd"',
    'SELECT * FROM "default"."x.csv"',
    'SELECT * FROM events, "/etc/passwd"',
    'SELECT * FROM events JOIN "/etc/passwd" ON 1',
    'SELECT * FROM events a JOIN events b ON a.x = b.x, "/etc/passwd"',
    'SELECT * FROM events a JOIN events b ON 1 = limit + 1, "/etc/passwd"',
    'SELECT * FROM events SAMPLE 0.1 OFFSET 0.1, "/etc/passwd"',
    'SELECT * FROM array JOIN "/etc/passwd" ON 1',
    'SELECT * FROM events AS array JOIN "/etc/passwd" ON 1',
    'SELECT * FROM events WHERE x IN "/etc/passwd"',
    'SELECT * FROM {table:Identifier}',
    'SELECT * FROM {table:String}',
    'SELECT * FROM {table: identifier }',
    'SELECT (SELECT * FROM "/etc/passwd")',
    'SELECT toString((((SELECT * FROM "/etc/passwd"))))',
    'SELECT in(1, system.users)',
    "SELECT `in`('x', t)",
    'SELECT * FROM system.users',
    'SELECT * FROM `system`.`users`',
    'SELECT * FROM SYSTEM.processes',
    'SELECT x IN system.processes',
    'SELECT * FROM secret.events',
    ...`file url s3 remote remoteSecure cluster clusterAllReplicas mysql postgresql sqlite mongodb redis
      jdbc odbc hdfs executable merge dictionary eval input format loop filesystem icebergLocal deltaLakeLocal mergeTreeIndex viewIfPermitted viewExplain
      fuzzQuery fuzzJSON generateRandom null arrowstream Python`
      .split(/\s+/)
      .flatMap((name) => [`SELECT * FROM ${name}('a')`, `SELECT 1 IN ${name}('a', 'b')`, `DESCRIBE ${name}('a')`]),
    ...`dictGet joinGet catboostEvaluate aiGenerate getServerSetting hostName sleep formatRow structureToProtobufSchema
      addressToLine hasColumnInTable getMacro showCertificate _CAST __getScalar timeSeriesStoreTags`
      .split(/\s+/)
      .flatMap((name) => [
        `SELECT ${name}('a')`,
        `SELECT ${name.toUpperCase()} ('a')`,
        `SELECT arrayMap(${name}, [1])`,
      ]),
    'SELECT missing(1)',
    'SELECT t.now()',
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "SELECT 1 INTO OUTFILE '/tmp/x' FORMAT CSV",
    'SELECT 1 FORMAT Template',
    'SELECT 1 FORMAT Protobuf',
    'SELECT 1 FORMAT CapnProto',
    "SELECT 1 SETTINGS format_schema = '/etc/passwd'",
    'SELECT 1 SETTINGS readonly',
    'SELECT 1 SETTINGS max_threads = -1',
    "SELECT 1 SETTINGS additional_table_filters = ''",
    "SELECT 1 SETTINGS session_timezone = '/etc/passwd'",
    "SELECT 1 SETTINGS session_timezone = '../x'",
    'SELECT 1; SELECT 2',
    'SELECT 1;;',
    'SELECT (1',
    'SELECT 1)',
    'SELECT (1]',
    `SELECT ${'('.repeat(1000)}1${')'.repeat(1000)}`,
    "SELECT 'a",
    'SELECT "a',
    'SELECT /* a',
    'SELECT 1abc',
    "SELECT abc'x'",
    'SELECT {a',
    'SELECT @@version',
    'SHOW PROCESSLIST',
    'SHOW USERS',
    'SHOW GRANTS',
    'SHOW ACCESS',
    'SHOW CREATE USER default',
    'SHOW CREATE TABLE "/etc/passwd"',
    'SHOW TABLES FROM "/etc"',
    'EXISTS TABLE "/etc/passwd"',
    'DESCRIBE "/etc/passwd"',
    ...`INSERT INTO t VALUES (1);CREATE TABLE t (a UInt8);ALTER TABLE t DROP COLUMN a;DROP TABLE t;TRUNCATE TABLE t;RENAME TABLE a TO b;
      OPTIMIZE TABLE t;DELETE FROM t WHERE 1;UPDATE t SET a = 1 WHERE 1;SET a = 1;USE x;KILL QUERY WHERE 1;SYSTEM SHUTDOWN;GRANT a TO b;
      BACKUP TABLE t TO x;ATTACH TABLE t;DETACH TABLE t;CHECK TABLE t;WATCH t;EXECUTE AS x SELECT 1;BEGIN;COPY t TO x;SELEC 1;;1;'a'`.split(
      ';',
    ),
  ])('%s', (sql) => {
    expect(() => approve(sql, { parameters: { f: 'file', table: '/etc/passwd', text: 'a DEFAULT 1' } })).toThrow(
      RefusedRequest,
    );
  });

  it('in a database that is not its own', () => {
    expect(() => approve('SELECT 1', { currentDatabase: 'secret' })).toThrow('There is no database secret');
    expect(() => approve('SELECT * FROM users', { currentDatabase: 'system' })).toThrow('system.users is not allowed');
    expect(() => approve("SELECT 'x' IN processes", { currentDatabase: 'system' })).toThrow('system.processes');
  });

  it.each([
    'SELECT * FROM processes AS p',
    'WITH processes AS (SELECT * FROM processes) SELECT * FROM processes',
    'SELECT * FROM processes WHERE 1 IN (WITH processes AS (SELECT 1) SELECT * FROM processes)',
    'SELECT 1 IN (processes)',
    'SELECT 1 NOT IN ((processes))',
    'SELECT 1 IN (processes AS p)',
    'SELECT NOT in(1, processes)',
    'SELECT NOT in(1, (processes))',
    "SELECT 'x' LIKE in(1, processes)",
    'SELECT 1 LIMIT in(1, processes)',
    'SELECT if(1 IN (processes), 1, 2)',
  ])('in the database system, whatever an alias or a WITH is called: %s', (sql) => {
    expect(() => approve(sql, { currentDatabase: 'system' })).toThrow(RefusedRequest);
  });

  it.each([
    '\'x\' IN ("/etc/passwd")',
    '\'x\' IN (("/etc/passwd"))',
    '\'x\' NOT IN ("/etc/passwd" AS f)',
    '\'x\' GLOBAL IN ("/etc/passwd")',
    "'x' IN ({table:Identifier})",
    '\'x\' IN ("/etc"."passwd")',
    'NOT in(\'x\', "/etc/passwd")',
    "1 + NOT in('x', {table:Identifier})",
    'arrayMap(x -> x IN ("/etc/passwd"), [1])',
    'if(1 IN ("/etc/passwd"), 1, 2)',
  ])('that names a file after IN: %s', (expression) => {
    const parameters = { table: '/etc/passwd' };
    expect(() => approve(`SELECT ${expression}`, { parameters })).toThrow(RefusedRequest);
    expect(() => approve(`SELECT ${expression}`, { caller: 'service', parameters })).toThrow(RefusedRequest);
    expect(() => approve(`SELECT 1 FROM events WHERE ${expression}`, { parameters })).toThrow(RefusedRequest);
  });
});

describe("the service's statement", () => {
  const folder = new URL('../../clickhouse-schema/', import.meta.url);
  const macros = { ...viewMacros(new Map([['far', 'America/Sao_Paulo']])), happened_at: happenedAt };
  const migrations = globSync('*/*.sql', { cwd: folder })
    .toSorted()
    .flatMap((name) => statementsOf(expanded(readFileSync(new URL(name, folder), 'utf8'), macros)));

  it.each([
    ...migrations,
    'INSERT INTO events (a, b) FORMAT TabSeparated\n1\t2',
    'INSERT INTO default.events FORMAT JSONEachRow {"a": "$x$ ‘"}',
    "INSERT INTO t VALUES (1, 'a (b)'), (now(), toString(2))",
    'INSERT INTO t SELECT number FROM numbers(10)',
    'ALTER TABLE t DELETE WHERE a IN [1, 2] AND b < arrayElement(CAST([1] AS Array(UInt128)), 1)',
    'CREATE DATABASE IF NOT EXISTS {name:Identifier}',
    'SELECT * FROM system.mutations',
    'ALTER TABLE t ADD COLUMN setting String, (MODIFY SETTING old_parts_lifetime = 1, fsync_after_insert = 0)',
    'OPTIMIZE TABLE t FINAL',
    'SYSTEM STOP MERGES t',
    'DROP TABLE IF EXISTS t',
  ])('is approved: %s', (sql) => {
    expect(approve(sql, { caller: 'service', parameters: { name: 'analytics' } }).sql).not.toBe('');
  });

  it.each([
    "INSERT INTO FUNCTION file('/tmp/x', 'CSV') SELECT 1",
    "INSERT INTO TABLE FUNCTION file('/tmp/x', 'CSV') SELECT 1",
    "INSERT INTO FUNCTION url('http://127.0.0.1') SELECT 1",
    "INSERT INTO t FROM INFILE '/etc/passwd' FORMAT CSV",
    "INSERT INTO t (a) FROM INFILE '/proc/self/fd/9' COMPRESSION 'none' FORMAT Native",
    "INSERT INTO t (a) FROM INFILE '/etc/passwd' FORMAT RowBinary",
    "INSERT INTO t SETTINGS async_insert = 0 FROM INFILE '/etc/passwd' FORMAT Native",
    "INSERT INTO t FROM/**/INFILE'/etc/passwd'FORMAT Native",
    "INSERT INTO t FROM iNfIlE '/etc/passwd' SETTINGS async_insert = 0 FORMAT Native",
    'INSERT INTO t FROM INFILE {path:String} FORMAT Native',
    "INSERT INTO t FROM INFILE x'2f' FORMAT Native",
    'INSERT INTO "/tmp/x.csv" VALUES (1)',
    `INSERT INTO t VALUES (${file})`,
    `INSERT INTO t SELECT ${file}`,
    `INSERT INTO t FORMAT Values (${file})`,
    'INSERT INTO t FORMAT Template x',
    `SELECT ${file}`,
    "SELECT 1 INTO OUTFILE '/tmp/x'",
    "CREATE TABLE t (a String) ENGINE = File(CSV, '/etc/passwd')",
    "CREATE TABLE t (a String) ENGINE File('CSV')",
    "CREATE TABLE t (a String) ENGINE = URL('http://127.0.0.1', CSV)",
    "CREATE TABLE t AS file('/etc/passwd')",
    'CREATE TABLE t (a String) ENGINE = Log',
    "CREATE TABLE t (a String) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = 'local', path = '/tmp/x')",
    "CREATE TABLE t (a String) ENGINE = MergeTree ORDER BY a SETTINGS storage_policy = 'x'",
    `CREATE TABLE t (a String DEFAULT ${file}) ENGINE = MergeTree ORDER BY a`,
    "CREATE DATABASE d ENGINE = Filesystem('/etc')",
    `CREATE VIEW v AS SELECT ${file}`,
    'CREATE VIEW v AS SELECT * FROM "/etc/passwd"',
    "CREATE DICTIONARY d (a String) PRIMARY KEY a SOURCE(FILE(path '/etc/passwd' format 'CSV')) LIFETIME(0) LAYOUT(FLAT())",
    'CREATE FUNCTION f AS (x) -> x',
    'CREATE USER eve',
    'CREATE NAMED COLLECTION c AS a = 1',
    "ATTACH TABLE t FROM '/tmp/x' (a String) ENGINE = MergeTree ORDER BY a",
    "ALTER TABLE t FETCH PARTITION 1 FROM '/x'",
    "ALTER TABLE t FREEZE WITH NAME 'x'",
    "ALTER TABLE t ADD COLUMN a String, MOVE PARTITION 1 TO DISK 'x'",
    "ALTER TABLE t MODIFY SETTING storage_policy = 'x'",
    "ALTER TABLE t MODIFY SETTING disk = disk(type = 'local', path = '/tmp/x')",
    'ALTER TABLE t MODIFY SETTING fsync_after_insert = 1, "max_digestion_size_per_segment" = 1',
    'ALTER TABLE t ADD COLUMN setting String, (MODIFY SETTING max_part_loading_threads = 1)',
    'ALTER TABLE t MODIFY COLUMN a MODIFY SETTING unknown = 1',
    'ALTER TABLE t RESET SETTING fsync_after_insert',
    'ALTER TABLE t ADD COLUMN a String, (RESET SETTING fsync_after_insert)',
    `ALTER TABLE t DELETE WHERE ${file} = 'x'`,
    "BACKUP TABLE t TO Disk('default', 'x')",
    "RESTORE TABLE t FROM File('/tmp/x')",
    'SYSTEM SHUTDOWN',
    'SYSTEM STOP LISTEN',
    'SET format_schema = 1',
    'GRANT ALL ON *.* TO default',
    'KILL QUERY WHERE 1',
    "SELECT * FROM remote('127.0.0.1', system.one)",
  ])('is refused: %s', (sql) => {
    expect(() => approve(sql, { caller: 'service' })).toThrow(RefusedRequest);
  });
});

describe('the parts of an INSERT, between which the server may name a file', () => {
  const partsOf = (sql: string) => approve(sql, { caller: 'service' }).insert;

  it.each([
    ['INSERT INTO t FORMAT Native', 'INSERT INTO t', ' FORMAT Native'],
    ['insert into table t format rowbinary', 'insert into table t', ' format rowbinary'],
    ['INSERT INTO default.t (a, b)FORMAT Native', 'INSERT INTO default.t (a, b)', 'FORMAT Native'],
    ['INSERT INTO "a b" (`c (d`) FORMAT Native', 'INSERT INTO "a b" (`c (d`)', ' FORMAT Native'],
    ['INSERT INTO t (* EXCEPT(a)) /* ( */ FORMAT Native', 'INSERT INTO t (* EXCEPT(a))', ' FORMAT Native'],
    [
      'INSERT INTO t (a) SETTINGS async_insert = 0 FORMAT Native',
      'INSERT INTO t (a)',
      ' SETTINGS async_insert = 0 FORMAT Native',
    ],
  ])('%s', (sql, into, format) => {
    expect(partsOf(sql)).toEqual({ into, format: format.trimStart() });
  });

  it.each([
    'INSERT INTO t VALUES (1)',
    'INSERT INTO t SELECT 1',
    'INSERT INTO t (a) SELECT 1 FORMAT Native',
    'INSERT INTO t (a) WITH 1 AS b SELECT b FORMAT Native',
    'SELECT 1 FORMAT Native',
    'OPTIMIZE TABLE t',
  ])('%s has none', (sql) => expect(partsOf(sql)).toBeUndefined());
});

describe('the approval', () => {
  it.each([
    ['brackets', (n: number) => '(['.repeat(n / 2)],
    ['comments', (n: number) => 'SELECT 1 ' + '--\n'.repeat(n / 3)],
    ['spaces before FORMAT', (n: number) => `SELECT 1 FORMAT${' '.repeat(n)}x`],
    ['words FORMAT', (n: number) => 'SELECT ' + 'FORMAT '.repeat(n / 7)],
    ['quotes', (n: number) => `SELECT ${"'".repeat(n)}`],
    ['combinators', (n: number) => `SELECT sum${'if'.repeat(n / 2)}(1)`],
    ['joins', (n: number) => 'SELECT * FROM a' + ' ARRAY JOIN'.repeat(n / 11)],
    ['parameters', (n: number) => 'SELECT ' + '{a:b}'.repeat(n / 5)],
    ['aliases', (n: number) => 'SELECT ' + 'a AS b, '.repeat(n / 8) + '1'],
    ['subqueries', (n: number) => 'SELECT ' + '(SELECT 1),'.repeat(n / 11) + '1'],
    ['values', (n: number) => 'SELECT * FROM ' + "values('a b', 1), ".repeat(n / 18) + 't'],
    ['braces', (n: number) => 'SELECT ' + '{'.repeat(n)],
    ['slashes', (n: number) => 'SELECT ' + '/* */'.repeat(n / 5)],
  ])('of 256 KiB of %s is decided: a quadratic check would take minutes', (_, make) => {
    const sql = make(256 * 1024);
    try {
      approve(sql);
    } catch (error) {
      expect(error).toBeInstanceOf(RefusedRequest);
    }
  });

  it('has no name that is both allowed and refused', () => {
    const both = [...REFUSED_FUNCTIONS].filter((name) => SCALAR_FUNCTIONS.has(name) || AGGREGATE_FUNCTIONS.has(name));
    expect(both).toEqual([]);
  });
});
