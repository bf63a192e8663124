import { checkTableFunction, createTableCheck, type TableRules } from './check-tables.ts';
import {
  isArrayJoin,
  isDistinctFrom,
  isFillFrom,
  isFormatName,
  isOperand,
  isPartOfName,
  isQueryAt,
} from './clause-words.ts';
import { SQL_GATE_LIMITS } from './limits.ts';
import { checkPlainName, refuse } from './check-names.ts';
import type { SettingVerdict } from './allowed-settings.ts';
import { RefusedRequest } from '../../clickhouse-schema/queries/statements/exceptions.ts';
import { FORMATS } from './reviewed-names.ts';
import { isWord, type Token } from './sql-tokens.ts';

/** The names that the clauses of a query may contain. */
export interface ClauseRules extends TableRules {
  setting: (name: string, value: string) => SettingVerdict;
}

/** The FORMAT and SETTINGS clauses of the outermost query. */
export interface FoundClauses {
  format: string | undefined;
  /** The place of the format's name. */
  formatAt: number | undefined;
  settings: Map<string, string>;
}

/** The position of the scan in a query: `expectTable` after FROM and JOIN, `tables` until the next clause. */
type State = 'expectTable' | 'tables' | 'joined' | 'other';

const MAX_DEPTH = SQL_GATE_LIMITS.clickhouseStatementDepth;
/** Functions whose arguments are separated by FROM. */
const FROM_FUNCTIONS = ['trim', 'ltrim', 'rtrim', 'extract', 'substring', 'substr', 'mid', 'overlay', 'position'];
const CLAUSES = `select prewhere where group order by having qualify limit window settings format union except intersect
  fetch with using`.split(/\s+/);

/**
 * Scans a query's clauses and throws unless every table, table function, setting and format is allowed. Parentheses
 * that start with SELECT, WITH or FROM contain another query. An ambiguous token counts as a table, so the scan may
 * refuse too much but never too little.
 */
export function checkClauses(
  tokens: readonly Token[],
  rules: ClauseRules,
  options: { start: number; state: State },
): FoundClauses {
  const closing = pairs(tokens);
  const tables = createTableCheck(tokens, closing, rules);
  const found: FoundClauses = { format: undefined, formatAt: undefined, settings: new Map() };

  function query(start: number, end: number, begin: State, isOutermost: boolean): void {
    let state = begin;
    // The last token of a table or an alias: a word there is a name, even if it is also a keyword.
    let lastName = -1;
    for (let at = start; at < end; at++) {
      const token = tokens[at];
      if (token === undefined) return;
      if (state === 'expectTable') {
        at = table(at);
        lastName = at;
        state = 'tables';
      } else if (token.kind === 'symbol') {
        if (token.value === ',' && (state === 'tables' || state === 'joined')) state = 'expectTable';
        else at = group(at);
      } else if (token.kind !== 'word' || isPartOfName(tokens, at)) {
        continue;
      } else if (token.value === 'as') {
        // An alias may be any word, including a keyword.
        if (tokens[at + 1]?.kind === 'word' && !isQueryAt(tokens, at + 1)) at += 1;
        lastName = at;
      } else if (token.value === 'from') {
        if (!isDistinctFrom(tokens, at) && !isFillFrom(tokens, at)) state = 'expectTable';
      } else if (token.value === 'join') {
        state = isArrayJoin(tokens, at, lastName) ? 'other' : 'expectTable';
      } else if (token.value === 'on') {
        state = 'joined';
      } else if (token.value === 'in') {
        at = membership(at);
      } else if (token.value === 'into') {
        refuse('INTO OUTFILE is not allowed; results are answered to the client');
      } else if (isOperand(tokens, at)) {
        continue;
      } else if (token.value === 'settings') {
        at = settings(at + 1, end, isOutermost);
        state = 'other';
      } else if (token.value === 'format' && isFormatName(tokens, at, end)) {
        at = format(at + 1, isOutermost);
        state = 'other';
      } else if (CLAUSES.includes(token.value)) {
        if (state !== 'other' && tokens[at + 1]?.value === ',') refuse(`Quote the name ${token.text}`);
        state = 'other';
      }
    }
    if (state === 'expectTable') throw new RefusedRequest('SYNTAX_ERROR', 'A table is missing after FROM or JOIN');
  }

  function expression(start: number, end: number): void {
    for (let at = start; at < end; at++) {
      const token = tokens[at];
      if (token?.kind === 'symbol') at = group(at);
      else if (isWord(token, 'in') && !isPartOfName(tokens, at)) at = membership(at);
      else if (isWord(token, 'from') && !isPartOfName(tokens, at) && !isWord(tokens[start - 2], ...FROM_FUNCTIONS))
        at = table(at + 1);
    }
  }

  /** Checks the parentheses that open at `at`, if any; returns their last token. */
  function group(at: number): number {
    const close = closing.get(at);
    if (close === undefined) return at;
    if (tokens[at]?.value === '(' && isQueryAt(tokens, at + 1)) query(at + 1, close, 'other', false);
    else if (isWord(tokens[at + 1], 'explain') && tokens[at + 2]?.kind === 'word') {
      refuse('EXPLAIN is allowed at the beginning of a statement only');
    } else expression(at + 1, close);
    return close;
  }

  /** Checks the table, table function or subquery at `at`; returns its last token. */
  function table(at: number): number {
    const token = tokens[at];
    if (token?.value === '(' && token.kind === 'symbol') {
      if (!isQueryAt(tokens, at + 1) && !isWord(tokens[at + 1], 'values')) refuse('FROM ( needs a subquery');
      return group(at);
    }
    const next = tokens[at + 1];
    if (next?.value === '(' && next.kind === 'symbol') return tableFunction(at);
    return tables.named(at);
  }

  function tableFunction(at: number): number {
    checkTableFunction(tokens[at]);
    return group(at + 1);
  }

  /** Checks the operand of IN: a subquery, a list, or the name of a table. */
  function membership(at: number): number {
    const token = tokens[at + 1];
    if (token?.value === '(' && token.kind === 'symbol') tables.members(at + 1);
    if (token?.kind !== 'word' && token?.kind !== 'name') return at;
    const next = tokens[at + 2];
    if (next?.value === '(' && next.kind === 'symbol') {
      // `format` is both a function and a table function; only the function is allowed.
      if (token.value.toLowerCase() === 'format') return tableFunction(at + 1);
      return group(at + 2);
    }
    if (next?.value !== '.') return tables.named(at + 1);
    // A column of a table, or a table of a database: tables of `system` are checked by name.
    checkPlainName(token);
    checkPlainName(tokens[at + 3]);
    return at + 3;
  }

  function settings(start: number, end: number, isOutermost: boolean): number {
    const { values, last } = settingsAt(tokens, start, end, rules.setting);
    if (isOutermost) for (const [name, value] of values) found.settings.set(name, value);
    return last;
  }

  function format(at: number, isOutermost: boolean): number {
    const name = tokens[at]?.text ?? '';
    checkFormat(name);
    if (isOutermost) {
      found.format = name;
      found.formatAt = at;
    }
    return at;
  }

  query(options.start, tokens.length, options.state, true);
  return found;
}

/**
 * Reads `name = value, …` from `start` to the token `last`, and rewrites the clause: a setting beyond its bound gets
 * the bound, a setting that is dropped disappears. Throws unless every setting is allowed.
 */
export function settingsAt(
  tokens: readonly Token[],
  start: number,
  end: number,
  setting: ClauseRules['setting'],
): { values: [string, string][]; last: number } {
  const values: [string, string][] = [];
  const kept: string[] = [];
  let isChanged = false;
  for (let at = start; ; at += 4) {
    const name = tokens[at]?.value ?? '';
    const value = tokens[at + 2];
    if (tokens[at + 1]?.value !== '=' || value === undefined || at + 2 >= end) {
      refuse(`SETTINGS needs name = value; found ${name.slice(0, 100)}`);
    }
    const text = settingValue(value);
    const verdict = setting(name, text);
    if (verdict.kind === 'refused') refuse(verdict.why);
    isChanged ||= verdict.value !== text;
    if (verdict.value !== undefined) {
      values.push([name, verdict.value]);
      kept.push(`${name} = ${verdict.value === text ? value.text : verdict.value}`);
    }
    if (tokens[at + 3]?.value !== ',' || at + 3 >= end) {
      if (isChanged) rewrite(tokens.slice(kept.length === 0 ? start - 1 : start, at + 3), kept.join(', '));
      return { values, last: at + 2 };
    }
  }
}

/** Puts `text` in place of the text of these tokens. */
export function rewrite(tokens: readonly Token[], text: string): void {
  tokens.forEach((token, place) => (token.text = place === 0 ? text : ''));
}

/** Throws unless the format needs no file. */
export function checkFormat(name: string): void {
  if (!FORMATS.has(name.toLowerCase())) {
    throw new RefusedRequest('UNKNOWN_FORMAT', `There is no format ${name.slice(0, 100)}, or it is not allowed`);
  }
}

function settingValue(token: Token): string {
  if (token.kind === 'word' || token.kind === 'number') return token.text;
  if (token.kind !== 'string' || token.text.includes('\\') || !token.text.startsWith("'")) {
    refuse('The value of a setting is a number or a plain string');
  }
  return token.text.slice(1, -1);
}

/** The position of each closing bracket, by the position of its opening bracket. */
export function pairs(tokens: readonly Token[]): Map<number, number> {
  const closing = new Map<number, number>();
  const open: { at: number; close: string }[] = [];
  tokens.forEach(({ kind, value }, at) => {
    if (kind !== 'symbol') return;
    if (value === '(' || value === '[') open.push({ at, close: value === '(' ? ')' : ']' });
    if (open.length > MAX_DEPTH) throw new RefusedRequest('SYNTAX_ERROR', `Brackets are nested over ${MAX_DEPTH} deep`);
    if (value !== ')' && value !== ']') return;
    const last = open.pop();
    if (last?.close !== value) throw new RefusedRequest('SYNTAX_ERROR', `A bracket ${value} closes nothing`);
    closing.set(last.at, at);
  });
  if (open.length > 0) throw new RefusedRequest('SYNTAX_ERROR', 'A bracket is not closed');
  return closing;
}
