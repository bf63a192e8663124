import type { Random } from '../sim/random.ts';
import {
  READER_KINDS,
  SERVICE_KINDS,
  setting,
  settingValue,
  type Bait,
  type EngineNames,
} from './clickhouse-attacks.ts';

export interface FuzzedStatement {
  caller: 'reader' | 'service';
  sql: string;
  /** URL parameters. */
  search: Record<string, string>;
}

/** A statement that tries to read, write or connect, or a harmless one with a few changes. */
export function fuzzedStatement(random: Random, names: EngineNames, bait: Bait): FuzzedStatement {
  const caller = random.chance(0.25) ? 'service' : 'reader';
  const make = random.pick(caller === 'service' ? SERVICE_KINDS : READER_KINDS);
  let sql = make({ random, names, bait });
  const search: Record<string, string> = {};
  if (sql.includes('{p:')) search['param_p'] = parameter(random, names, bait);
  // Half of them stay unchanged, so that the engine gets what the gate accepts.
  if (random.chance(0.5)) return { caller, sql, search };
  if (random.chance(0.4)) sql = wrapped(random, sql);
  if (random.chance(0.2)) sql = `${settingsPrefix(random, names, bait)} ${sql}`;
  for (let i = random.pick([0, 0, 1, 1, 2, 4]); i > 0; i--) sql = mutated(random, sql);
  if (random.chance(0.1)) search[random.pick(names.settings)] = settingValue(random, bait);
  if (random.chance(0.05)) search['default_format'] = random.pick(names.formats);
  if (random.chance(0.05)) search['database'] = random.pick(['system', 'information_schema', bait.readPath, '_']);
  if (sql.includes('{p:')) search['param_p'] ??= parameter(random, names, bait);
  return { caller, sql, search };
}

function wrapped(random: Random, sql: string): string {
  return random.pick([
    `EXPLAIN ${sql}`,
    `EXPLAIN AST ${sql}`,
    `EXPLAIN AST optimize = 1 ${sql}`,
    `EXPLAIN SYNTAX run_query_tree_passes = 1 ${sql}`,
    `EXPLAIN QUERY TREE run_passes = 1 ${sql}`,
    `EXPLAIN PIPELINE ${sql}`,
    `EXPLAIN ESTIMATE ${sql}`,
    `SELECT (${sql})`,
    `SELECT * FROM (${sql})`,
    `SELECT 1 IN (${sql})`,
    `(${sql}) UNION ALL (SELECT 1)`,
    `WITH x AS (${sql}) SELECT * FROM x`,
    `DESCRIBE (${sql})`,
    `SELECT exists(${sql})`,
    `SELECT 1; ${sql}`,
    `${sql}; SELECT 1`,
    `SELECT '\\'', ${sql.replace(/^SELECT /, '')}, '\\''`,
    `CREATE VIEW IF NOT EXISTS made AS ${sql}`,
    `SELECT /* ' */ ${sql.replace(/^SELECT /, '')} /* ' */`,
    `# '\n${sql} # '`,
    `SELECT x'\\', ${sql.replace(/^SELECT /, '')} --'`,
    `SELECT $q$ ' $q$, ${sql.replace(/^SELECT /, '')}`,
    `PARALLEL WITH ${sql} PARALLEL WITH SELECT 1`,
    `EXECUTE AS default ${sql}`,
  ]);
}

function settingsPrefix(random: Random, names: EngineNames, bait: Bait): string {
  return random.pick(['optimize = 1', 'oneline = 1', 'run_passes = 1,', setting({ random, names, bait }), 'EXPLAIN']);
}

function parameter(random: Random, names: EngineNames, bait: Bait): string {
  return random.pick(['x', 'file', bait.readPath, '`', "'", 'system', 'baited', random.pick(names.functions)]);
}

/** Single characters that may confuse a lexer, and longer pieces. */
const INSERTIONS = [
  ...Array.from(' \n\t\r\0\v\f\u00a0\u2003\u2212\u200b\ufeff#\'"`\\‘’“”;()[]{},.@|?:💥'),
  ..."/* */ /**/ -- // $$ $q$ :: -> x' b' 0x 1e \\G {p:Identifier} {p:String}".split(' '),
  ...'FROM IN AS SETTINGS FORMAT SELECT UNION COLUMNS APPLY JOIN ARRAY file'.split(' ').map((word) => ` ${word} `),
  '-- \n',
  '# \n',
  '#!\n',
  ' INTO OUTFILE ',
];

function mutated(random: Random, sql: string): string {
  const at = random.int(0, sql.length);
  const length = random.int(1, 6);
  switch (random.int(0, 4)) {
    case 0:
      return sql.slice(0, at) + random.pick(INSERTIONS) + sql.slice(at);
    case 1:
      return sql.slice(0, at) + sql.slice(at + length);
    case 2:
      return sql.slice(0, at) + sql.slice(at, at + length).repeat(2) + sql.slice(at + length);
    case 3: {
      // Between two words, where a comment or a quote has the most effect.
      const space = sql.indexOf(' ', at);
      return space === -1 ? sql : sql.slice(0, space) + random.pick(INSERTIONS) + sql.slice(space + 1);
    }
    default:
      return sql.slice(0, at) + sql.slice(at, at + length).toUpperCase() + sql.slice(at + length);
  }
}
