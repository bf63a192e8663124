import type { Caller } from './caller.ts';
import { checkClauses, type ClauseRules, rewrite, settingsAt } from './check-clauses.ts';
import { checkDatabase } from './check-tables.ts';
import { checkNames, checkPlainName, refuse } from './check-names.ts';
import { checkZones } from './check-zones.ts';
import { RefusedRequest } from '../../clickhouse-schema/queries/statements/exceptions.ts';
import { readerSetting, serviceSetting, tableSetting } from './allowed-settings.ts';
import { INPUT_FORMATS, TABLE_ENGINES } from './reviewed-names.ts';
import { isWord, render, tokenize, type Token } from './sql-tokens.ts';

export interface StatementInput {
  caller: Caller;
  /** Whether the caller reads one game only. */
  isOfGame?: boolean;
  sql: string;
  /** Values of `{name:Type}` placeholders. */
  parameters: ReadonlyMap<string, string>;
  /** The service's database, and the default database for names without one. */
  database: string;
  currentDatabase: string;
}

/** A statement that is allowed to run. */
export interface ApprovedStatement {
  kind: 'select' | 'insert' | 'other';
  /** The text for the engine: rendered from the checked tokens, without comments. */
  sql: string;
  /** The format in the FORMAT clause. */
  format: string | undefined;
  /** Settings of the outermost SETTINGS clause. */
  settings: ReadonlyMap<string, string>;
  /** Whether it reads `system.settings` and sets none itself. */
  showsSettings: boolean;
  /** Whether totals may follow the rows. */
  hasTotals: boolean;
  /** Whether the text of an INSERT with a FORMAT also contains its data. */
  hasData: boolean;
  /** The two parts of an INSERT without a query, between which its data can be named. */
  insert: { into: string; format: string } | undefined;
}

/**
 * Decides whether a statement may reach the engine. This includes its parser, because parsing can run code (constant
 * folding). A reader may run one SELECT, SHOW, DESCRIBE, EXISTS or EXPLAIN of those; the service may also insert into
 * and change tables. Every name in a statement must be on a list of allowed names.
 *
 * Pure, and linear in the length of the text. Throws `RefusedRequest`.
 */
export function approveStatement(input: StatementInput): ApprovedStatement {
  const { tokens: all, data } = tokenize(input.sql, input.parameters);
  const tokens = withoutLastSemicolon(all);
  const first = tokens[0];
  if (first === undefined) throw new RefusedRequest('SYNTAX_ERROR', 'Empty query');
  if (tokens.some(({ kind, value }) => kind === 'symbol' && value === ';')) {
    throw new RefusedRequest('SYNTAX_ERROR', 'Multi-statements are not allowed');
  }
  const found = check(tokens, input, data);
  const isSelect = isQueryStart(first);
  // The format is the engine's second argument, so that the same query can be asked for its columns alone.
  if (isSelect && found.formatAt !== undefined) rewrite(tokens.slice(found.formatAt - 1, found.formatAt + 1), '');
  return {
    kind: isSelect ? 'select' : isWord(first, 'insert') ? 'insert' : 'other',
    sql: render(tokens) + data,
    format: found.format,
    settings: found.settings,
    showsSettings: showsSettings(tokens),
    hasTotals: tokens.some((token) => isWord(token, 'totals')),
    hasData: data.trim() !== '',
    insert: partsOfInsert(tokens),
  };
}

interface Found {
  format: string | undefined;
  formatAt: number | undefined;
  settings: ReadonlyMap<string, string>;
}
const NOTHING: Found = { format: undefined, formatAt: undefined, settings: new Map() };

function check(tokens: readonly Token[], input: StatementInput, data: string): Found {
  const isReader = input.caller === 'analyst';
  const first = tokens[0]?.kind === 'word' ? tokens[0].value : '';
  if (isReader) checkDatabase(input.currentDatabase, clauseRules(input));
  if (isReader || !SERVICE_WORDS.has(first)) {
    if (input.isOfGame === true && first === 'explain')
      refuse('A reader of one game cannot EXPLAIN: it counts all rows');
    const query = READER_STATEMENTS.get(tokens[0]?.value === '(' ? 'select' : first);
    if (query === undefined) refuseKind(first, isReader);
    checkNames(tokens, { definesTables: false, readsSystem: !isReader });
    if (isReader) checkZones(tokens, input.parameters);
    return query(tokens, clauseRules(input));
  }
  if (first === 'insert') return checkInsert(tokens, input, data);
  checkNames(tokens, { definesTables: first === 'create' || first === 'alter', readsSystem: true });
  for (const token of tokens) if (token.kind === 'name') checkPlainName(token);
  const kind = SERVICE_STATEMENTS.find((pattern) => startsWith(tokens, pattern));
  if (kind === undefined) refuseKind(first, false);
  if (first === 'create') checkEngines(tokens);
  if (first === 'alter') checkAlter(tokens);
  const rules = clauseRules(input);
  checkClauses(tokens, { ...rules, setting: tableSetting }, { start: kind.length, state: 'other' });
  return NOTHING;
}

function clauseRules(input: StatementInput): ClauseRules {
  const isReader = input.caller === 'analyst';
  return {
    database: input.database,
    currentDatabase: input.currentDatabase,
    readsEverything: !isReader,
    isOfGame: input.isOfGame === true,
    setting: isReader ? readerSetting : serviceSetting,
  };
}

type Check = (tokens: readonly Token[], rules: ClauseRules) => Found;

const select: Check = (tokens, rules) => checkClauses(tokens, rules, { start: 0, state: 'other' });

const READER_STATEMENTS = new Map<string, Check>([
  ['select', select],
  ['with', select],
  ['from', select],
  ['show', checkShow],
  ['describe', checkDescribe],
  ['desc', checkDescribe],
  ['exists', checkExists],
  ['explain', checkExplain],
]);

const SHOWN = `databases schemas tables columns fields index indexes indices keys functions engines`.split(' ');

function checkShow(tokens: readonly Token[], rules: ClauseRules): Found {
  let at = 1;
  while (isWord(tokens[at], 'full', 'extended')) at += 1;
  if (isWord(tokens[at], 'create')) return checkObject(tokens, rules, at + 1);
  if (!isWord(tokens[at], ...SHOWN)) {
    refuse(`SHOW is allowed for CREATE, ${SHOWN.join(', ').toUpperCase()}`);
  }
  at += 1;
  while (isWord(tokens[at], 'from', 'in')) {
    checkPlainName(tokens[at + 1]);
    at += 2;
    if (tokens[at]?.value !== '.') continue;
    checkPlainName(tokens[at + 1]);
    at += 2;
  }
  return checkClauses(tokens, rules, { start: at, state: 'other' });
}

function checkExists(tokens: readonly Token[], rules: ClauseRules): Found {
  return checkObject(tokens, rules, 1);
}

/** `[TABLE | VIEW | DATABASE] name`. */
function checkObject(tokens: readonly Token[], rules: ClauseRules, start: number): Found {
  let at = start;
  const isDatabase = isWord(tokens[at], 'database');
  if (isWord(tokens[at], 'table', 'view', 'database') && tokens[at + 1] !== undefined) at += 1;
  const end = tokens[at + 1]?.value === '.' ? at + 3 : at + 1;
  if (tokens[end] !== undefined && !isWord(tokens[end], 'format', 'settings')) {
    refuse('SHOW CREATE and EXISTS are allowed for TABLE, VIEW and DATABASE');
  }
  if (!isDatabase) return checkClauses(tokens, rules, { start: at, state: 'expectTable' });
  checkPlainName(tokens[at]);
  return checkClauses(tokens, rules, { start: at + 1, state: 'other' });
}

function checkDescribe(tokens: readonly Token[], rules: ClauseRules): Found {
  const start = isWord(tokens[1], 'table') && tokens[2] !== undefined ? 2 : 1;
  return checkClauses(tokens, rules, { start, state: 'expectTable' });
}

/** Settings with numbers that do not make the engine fold constants during EXPLAIN. */
const EXPLAIN_SETTINGS =
  `header description indexes projections actions json graph compact passes dump_ast dump_passes dump_tree
  run_passes oneline run_query_tree_passes query_tree_passes distributed`.split(/\s+/);

function checkExplain(tokens: readonly Token[], rules: ClauseRules): Found {
  let at = 1;
  if (isWord(tokens[at], 'ast', 'syntax', 'plan', 'pipeline', 'estimate')) at += 1;
  else if (isWord(tokens[at], 'query') && isWord(tokens[at + 1], 'tree')) at += 2;
  while (tokens[at + 1]?.value === '=') {
    if (!isWord(tokens[at], ...EXPLAIN_SETTINGS) || tokens[at + 2]?.kind !== 'number') {
      refuse(`EXPLAIN has the settings ${EXPLAIN_SETTINGS.join(', ')}, with whole numbers`);
    }
    at += tokens[at + 3]?.value === ',' ? 4 : 3;
  }
  const start = tokens[at];
  if (start === undefined || !isQueryStart(start)) {
    refuse('EXPLAIN is allowed as PLAN, PIPELINE, ESTIMATE, SYNTAX, QUERY TREE or AST of a SELECT');
  }
  return checkClauses(tokens, rules, { start: at, state: 'other' });
}

/** The first words of the service's statements, besides INSERT and the statements of readers. */
const SERVICE_STATEMENTS =
  `create table,create view,create materialized view,create database,create or replace view,alter table,
  drop table,drop view,drop database,truncate table,rename table,optimize table,delete from,system stop merges,
  system start merges`
    .split(',')
    .map((pattern) => pattern.trim().split(' '));
const SERVICE_WORDS = new Set(['insert', ...SERVICE_STATEMENTS.map(([word]) => word ?? '')]);
const ALTER_COMMANDS = 'add drop modify rename comment materialize delete update clear'.split(' ');
const REFUSED_COMMANDS = 'attach detach freeze unfreeze fetch move export unlock reset to'.split(' ');

function checkInsert(tokens: readonly Token[], input: StatementInput, data: string): Found {
  if (!isWord(tokens[1], 'into')) throw new RefusedRequest('SYNTAX_ERROR', 'INSERT needs INTO and a table');
  const target = isWord(tokens[2], 'table') ? 3 : 2;
  if (isWord(tokens[target], 'function')) refuse('INSERT INTO FUNCTION is not allowed; insert into a table');
  if (tokens.some((token, at) => isWord(token, 'input') && tokens[at + 1]?.value === '(')) {
    throw new RefusedRequest('UNSUPPORTED_METHOD', 'INSERT … SELECT FROM input() is not supported here');
  }
  checkPlainName(tokens[target]);
  const hasDatabase = tokens[target + 1]?.value === '.';
  if (hasDatabase) checkPlainName(tokens[target + 2]);
  const values = placeOfValues(tokens);
  const names = { definesTables: false, readsSystem: true };
  checkNames(tokens.slice(0, values), names);
  checkNames(tokens.slice(values + 1), names);
  const found = checkClauses(tokens, clauseRules(input), { start: target + (hasDatabase ? 3 : 1), state: 'other' });
  if (found.format !== undefined && !INPUT_FORMATS.has(found.format.toLowerCase())) {
    throw new RefusedRequest('UNKNOWN_FORMAT', `Data cannot be inserted as ${found.format.slice(0, 100)}`);
  }
  if (data.trim() !== '' && tokens.some((token) => isWord(token, 'select'))) {
    throw new RefusedRequest('SYNTAX_ERROR', 'An INSERT … SELECT takes no data');
  }
  return { ...found, settings: new Map() };
}

/** `INSERT INTO table (columns)` and `SETTINGS … FORMAT name`; undefined for any other statement. */
function partsOfInsert(tokens: readonly Token[]): ApprovedStatement['insert'] {
  if (!isWord(tokens[0], 'insert')) return undefined;
  let end = endOfTarget(tokens);
  if (tokens[end]?.value === '(' && tokens[end]?.kind === 'symbol') end = endOfGroup(tokens, end);
  if (!isWord(tokens[end], 'format', 'settings')) return undefined;
  return { into: render(tokens.slice(0, end)), format: render(tokens.slice(end)) };
}

/** The position after `INSERT INTO [TABLE] [database.]table`. */
function endOfTarget(tokens: readonly Token[]): number {
  const target = isWord(tokens[2], 'table') ? 3 : 2;
  return tokens[target + 1]?.value === '.' ? target + 3 : target + 1;
}

/** The position after the bracket that closes the one at `open`. */
function endOfGroup(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind !== 'symbol') continue;
    if (token.value === '(') depth += 1;
    if (token.value === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return tokens.length;
}

/** The position of the VALUES clause of an INSERT, which is not a call; the length if there is none. */
function placeOfValues(tokens: readonly Token[]): number {
  let depth = 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind === 'symbol' && token.value === '(') depth += 1;
    if (token.kind === 'symbol' && token.value === ')') depth -= 1;
    if (depth === 0 && isWord(token, 'select')) break;
    if (depth === 0 && isWord(token, 'values')) return at;
  }
  return tokens.length;
}

function checkEngines(tokens: readonly Token[]): void {
  tokens.forEach((token, at) => {
    if (!isWord(token, 'engine')) return;
    const engine = tokens[at + 1]?.value === '=' ? tokens[at + 2] : tokens[at + 1];
    if (!TABLE_ENGINES.has(engine?.value.toLowerCase() ?? '')) {
      const allowed = [...TABLE_ENGINES].join(', ');
      refuse(`The table engine ${engine?.text.slice(0, 100) ?? ''} is not allowed. Allowed are: ${allowed}`);
    }
  });
}

function checkAlter(tokens: readonly Token[]): void {
  const command = tokens[3]?.value === '.' ? 5 : 3;
  if (!isWord(tokens[command], ...ALTER_COMMANDS)) refuse(`ALTER TABLE is allowed with ${ALTER_COMMANDS.join(', ')}`);
  const refused = tokens.slice(command).find((token) => isWord(token, ...REFUSED_COMMANDS));
  if (refused !== undefined && !isWord(tokens[command], 'rename'))
    refuse(`ALTER TABLE … ${refused.text} is not allowed`);
  checkModifiedSettings(tokens);
}

/** Settings that a table or a column keeps, wherever the statement names them: commands may be in parentheses. */
function checkModifiedSettings(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    if (isWord(token, 'setting') && isWord(tokens[at - 1], 'modify'))
      settingsAt(tokens, at + 1, tokens.length, tableSetting);
  }
}

/** Throws ClickHouse's error for an unknown statement, or one that this caller may not run. */
function refuseKind(first: string, isReader: boolean): never {
  if (!STATEMENT_WORDS.has(first)) {
    throw new RefusedRequest(
      'SYNTAX_ERROR',
      `A statement cannot begin with ${first === '' ? 'this' : first.slice(0, 100)}`,
    );
  }
  if (isReader) {
    refuse('Without the password of the service only SELECT, SHOW, DESCRIBE, EXISTS and EXPLAIN SELECT are allowed');
  }
  const allowed = SERVICE_STATEMENTS.map((pattern) => pattern.join(' ')).join(', ');
  refuse(
    'The service cannot run this kind of statement. Allowed are SELECT, SHOW, DESCRIBE, EXISTS, EXPLAIN, ' +
      `INSERT INTO, ${allowed}`,
  );
}

const STATEMENT_WORDS = new Set(
  `alter attach backup begin check commit copy create delete describe detach drop exchange execute explain export grant insert
  kill move optimize parallel rename replace restore revoke rollback set show snapshot system truncate undrop unfreeze update
  use watch`.split(/\s+/),
);

function showsSettings(tokens: readonly Token[]): boolean {
  const places = tokens.flatMap((token, at) => (token.value.toLowerCase() === 'settings' ? [at] : []));
  const isTable = (at: number): boolean => tokens[at - 1]?.value === '.' && tokens[at - 2]?.value === 'system';
  return places.length > 0 && places.every(isTable);
}

function startsWith(tokens: readonly Token[], pattern: readonly string[]): boolean {
  return pattern.every((word, at) => isWord(tokens[at], word));
}

function isQueryStart(token: Token): boolean {
  return isWord(token, 'select', 'with', 'from') || (token.kind === 'symbol' && token.value === '(');
}

function withoutLastSemicolon(tokens: Token[]): Token[] {
  const last = tokens.at(-1);
  return last?.kind === 'symbol' && last.value === ';' ? tokens.slice(0, -1) : tokens;
}
