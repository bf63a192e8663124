import { RefusedRequest } from '../../clickhouse-schema/queries/statements/exceptions.ts';
import { AGGREGATE_FUNCTIONS, COMBINATORS, REFUSED_FUNCTIONS, SCALAR_FUNCTIONS } from './reviewed-functions.ts';
import {
  PARAMETERISED_VIEWS,
  PARAMETRIC_TYPES,
  SYSTEM_TABLES,
  TABLE_FUNCTIONS,
  WORDS_BEFORE_PARENTHESIS,
  WORDS_OF_TABLE_DEFINITIONS,
} from './reviewed-names.ts';
import { isPlainName, isWord, tokenize, type Token } from './sql-tokens.ts';

/** Throws `RefusedRequest` with the reason. */
export function refuse(message: string): never {
  throw new RefusedRequest('READONLY', message);
}

export interface NameRules {
  /** Words of CREATE TABLE and ALTER TABLE may precede parentheses. */
  definesTables: boolean;
  /** Every table of `system` may be read. */
  readsSystem: boolean;
}

/**
 * Throws unless every name that could call a function is allowed, anywhere in the statement. A name before a
 * parenthesis must be listed as allowed. Another name could be an argument of a function that calls it (`arrayMap(file,
 * …)`, `APPLY file`), so it must not be a refused function of the engine.
 */
export function checkNames(tokens: readonly Token[], rules: NameRules): void {
  tokens.forEach((token, place) => {
    if (token.kind !== 'word' && token.kind !== 'name') return;
    const next = tokens[place + 1];
    if (next?.value === '(' && next.kind === 'symbol') checkCall(tokens, place, rules);
    else checkBareName(tokens, place, rules);
  });
}

function checkCall(tokens: readonly Token[], place: number, rules: NameRules): void {
  const token = tokens[place];
  if (token === undefined) return;
  const name = token.value.toLowerCase();
  // The column list of INSERT INTO t (a, b) or CREATE TABLE t (a String): its name is checked as a table.
  if (isTableBefore(tokens, place)) return;
  if (rules.definesTables && isProjectionName(tokens, place)) return;
  if (tokens[place - 1]?.value === '.') refuse(`${token.text.slice(0, 100)} follows a dot and cannot be called`);
  if (token.kind === 'word') {
    if (name === 'in') return checkOperator(tokens, place);
    if (WORDS_BEFORE_PARENTHESIS.has(name)) return;
    if (rules.definesTables && WORDS_OF_TABLE_DEFINITIONS.has(name)) return;
  }
  if (name === 'values') return checkStructure(tokens, place);
  if (isAllowedFunction(name) || PARAMETRIC_TYPES.has(name) || TABLE_FUNCTIONS.has(name)) return;
  // Names of views are case-sensitive.
  if (PARAMETERISED_VIEWS.has(token.value)) return;
  refuseFunction(token);
}

/** As a call, `in('x', t)` interprets its second argument as a table. As an operator, `in` follows an operand. */
function checkOperator(tokens: readonly Token[], place: number): void {
  let before = tokens[place - 1];
  if (isWord(before, 'not', 'global')) before = tokens[place - 2];
  if (isWord(before, 'global')) before = tokens[place - 3];
  const isOperand =
    before !== undefined &&
    (before.kind !== 'symbol' || before.value === ')' || before.value === ']' || before.value === '*') &&
    !isWord(before, ...WORDS_BEFORE_EXPRESSIONS);
  if (!isOperand) refuse('The function `in` is not allowed; use the operator: x IN (…).');
}

/** Bare words before an expression, so `in (` after them is a call. */
const WORDS_BEFORE_EXPRESSIONS =
  `all and any apply array as between by case distinct div else except explain fetch fill from
  global group having ilike in interpolate interval is join like limit materialized mod not offset on or order prewhere
  qualify regexp replace returning rlike sample select settings staleness step then to top union using values when where
  with xor`.split(/\s+/);

function isTableBefore(tokens: readonly Token[], place: number): boolean {
  if (place > 9 || !isWord(tokens[0], 'insert', 'create')) return false;
  let at = place;
  while (tokens[at - 1]?.value === '.') at -= 2;
  return isWord(tokens[at - 1], 'into', 'table', 'exists', 'view');
}

/** `PROJECTION [IF NOT EXISTS] name (`. */
function isProjectionName(tokens: readonly Token[], place: number): boolean {
  const isGuarded =
    isWord(tokens[place - 1], 'exists') && isWord(tokens[place - 2], 'not') && isWord(tokens[place - 3], 'if');
  return isWord(tokens[isGuarded ? place - 4 : place - 1], 'projection');
}

function refuseFunction(token: Token): never {
  const isKnown = REFUSED_FUNCTIONS.has(token.value.toLowerCase());
  const name = token.text.slice(0, 100);
  if (isKnown) {
    refuse(`The function ${name} is not allowed. Allowed are functions that only compute values from their arguments`);
  }
  throw new RefusedRequest('UNKNOWN_FUNCTION', `There is no function ${name}, or it is not allowed`);
}

/** Whether the lower-case name is an allowed function, with or without aggregate combinators. */
function isAllowedFunction(name: string): boolean {
  if (SCALAR_FUNCTIONS.has(name) || AGGREGATE_FUNCTIONS.has(name)) return true;
  let base = name.length > LONGEST_NAME ? '' : name;
  for (let suffix = suffixOf(base); suffix !== undefined; suffix = suffixOf(base)) {
    base = base.slice(0, -suffix.length);
    if (AGGREGATE_FUNCTIONS.has(base)) return true;
  }
  return false;
}

/** Longer than the longest name with several combinators. */
const LONGEST_NAME = 80;

function suffixOf(name: string): string | undefined {
  return COMBINATORS.find((suffix) => name.length > suffix.length && name.endsWith(suffix));
}

function checkBareName(tokens: readonly Token[], place: number, rules: NameRules): void {
  const token = tokens[place];
  if (token === undefined) return;
  const name = token.value.toLowerCase();
  if (token.kind === 'word' && name === 'in') return;
  if (token.kind === 'word' && (name === 'outfile' || name === 'infile')) refuse('Files cannot be read or written');
  if (REFUSED_FUNCTIONS.has(name)) {
    refuse(`The name ${token.text.slice(0, 100)} is not allowed, as it is the name of a function that is not allowed`);
  }
  if (name !== 'system' || rules.readsSystem || tokens[place + 1]?.value !== '.') return;
  const table = tokens[place + 2]?.value ?? '';
  if (!SYSTEM_TABLES.has(table.toLowerCase())) refuseSystemTable(table);
}

/** Throws for a table of `system` that readers cannot read. */
export function refuseSystemTable(table: string): never {
  refuse(`The table system.${table.slice(0, 100)} is not allowed. Allowed are: ${[...SYSTEM_TABLES].join(', ')}`);
}

/**
 * The first argument of `values` may be a structure as a string, whose DEFAULT expressions the engine would run. So no
 * string of the first argument may contain a call.
 */
function checkStructure(tokens: readonly Token[], place: number): void {
  const first = tokens[place + 2];
  let depth = 0;
  for (let at = place + 2; at < tokens.length; at++) {
    const token = tokens[at];
    if (token === undefined) return;
    if (token.kind === 'symbol') {
      if ('([{'.includes(token.value)) depth += 1;
      else if (')]}'.includes(token.value)) depth -= 1;
      if (depth < 0 || (depth === 0 && token.value === ',')) return;
    }
    if (
      token.kind === 'parameter' ||
      (token.kind !== 'symbol' && token !== first && depth === 0 && token.kind !== 'number')
    ) {
      refuse('The first argument of values() must be a literal');
    }
    if (token.kind === 'string') checkStructureText(token.text.slice(1, -1));
  }
}

function checkStructureText(structure: string): void {
  if (structure.includes('\\')) refuse('The structure of values() cannot contain backslashes');
  const { tokens } = tokenize(structure.replaceAll("''", "'"), new Map());
  tokens.forEach((token, place) => {
    const isCall = tokens[place + 1]?.value === '(' && (token.kind === 'word' || token.kind === 'name');
    if (isCall && !PARAMETRIC_TYPES.has(token.value.toLowerCase())) {
      refuse(`The structure of values() names ${token.text.slice(0, 100)}, which is no data type`);
    }
    if (isWord(token, 'default', 'materialized', 'alias', 'ephemeral')) {
      refuse('The structure of values() holds names and types only');
    }
  });
}

/** Throws if the name could be a path: the engine interprets the name of a missing table as a file. */
export function checkPlainName(token: Token | undefined): string {
  if (token === undefined || (token.kind !== 'word' && token.kind !== 'name') || !isTableName(token.value)) {
    refuse('A table or database has a name of letters, digits, underscores, spaces and hyphens; files cannot be read');
  }
  return token.value;
}

function isTableName(name: string): boolean {
  return isPlainName(name.replaceAll(' ', '_').replaceAll('-', '_'));
}
