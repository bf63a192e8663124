import { SQL_GATE_LIMITS } from './limits.ts';
import { RefusedRequest } from '../../clickhouse-schema/queries/statements/exceptions.ts';

/**
 * One token of a statement. `word` is a bare word, `name` a quoted identifier or the value of an `{x:Identifier}`
 * parameter, `parameter` any other query parameter. Operators are one `symbol` each.
 */
export interface Token {
  kind: 'word' | 'name' | 'string' | 'number' | 'symbol' | 'parameter';
  /** The text that is sent to the engine. */
  text: string;
  /** Lower-case word, or the identifier as written; the symbol itself; empty for literals. */
  value: string;
  /** Whether space or a comment precedes it. */
  spaced: boolean;
}

export interface Tokens {
  tokens: Token[];
  /** The text after the format's name of an INSERT, unchanged. */
  data: string;
}

/**
 * Splits a statement into tokens, in linear time, and refuses text that ClickHouse's lexer might interpret differently:
 * heredocs, escapes inside quoted identifiers, nested comments, unquoted characters outside ASCII. The engine receives
 * only the text of these tokens (`render`), so comments and quotes cannot hide anything from the checks.
 *
 * @param parameters values of `{name:Type}`
 */
export function tokenize(sql: string, parameters: ReadonlyMap<string, string>): Tokens {
  const tokens: Token[] = [];
  let at = 0;
  let spaced = false;
  const push = (kind: Token['kind'], end: number, value: string, text = sql.slice(at, end)) => {
    if (tokens.length >= SQL_GATE_LIMITS.clickhouseStatementTokens) {
      refuse(`A statement has at most ${SQL_GATE_LIMITS.clickhouseStatementTokens} tokens.`);
    }
    tokens.push({ kind, text, value, spaced });
    spaced = false;
    at = end;
  };
  while (at < sql.length) {
    const character = sql.charAt(at);
    const gap = endOfGap(sql, at);
    if (gap > at) {
      spaced = true;
      at = gap;
    } else if (isWordStart(character)) {
      const end = endOfWord(sql, at);
      const literal = endOfBinaryLiteral(sql, at, end);
      if (literal > end) push('string', literal, '');
      else push('word', end, sql.slice(at, end).toLowerCase());
      if (isInsertFormat(tokens)) return { tokens, data: sql.slice(at) };
    } else if (isDigit(character) || (character === '.' && startsFraction(sql, at, tokens.at(-1)))) {
      push('number', endOfNumber(sql, at, tokens.at(-1)?.value === '.'), '');
    } else if (character === "'") {
      push('string', endOfString(sql, at), '');
    } else if (character === '"' || character === '`') {
      const end = endOfIdentifier(sql, at);
      push('name', end, sql.slice(at + 1, end - 1));
    } else if (character === '{') {
      const { end, name, type } = readParameter(sql, at);
      const isIdentifier = type === 'Identifier';
      push(
        isIdentifier ? 'name' : 'parameter',
        end,
        isIdentifier ? (parameters.get(name) ?? '') : '',
        `{${name}:${type}}`,
      );
    } else {
      const end = at + symbolLength(sql, at);
      push('symbol', end, sql.slice(at, end));
    }
  }
  return { tokens, data: '' };
}

/** The text of tokens, with one space in place of each run of space and comments. */
export function render(tokens: readonly Token[]): string {
  return tokens.map(({ text, spaced }, place) => (spaced && place > 0 ? ` ${text}` : text)).join('');
}

function refuse(message: string): never {
  throw new RefusedRequest('SYNTAX_ERROR', message);
}

/** The end of the space or comment at `at`; `at` itself if there is none. */
function endOfGap(sql: string, at: number): number {
  const character = sql.charAt(at);
  if (isSpace(character)) return at + 1;
  const next = sql.charAt(at + 1);
  if (character === '-' && next === '-') return endOfLine(sql, at);
  if (character === '#' && (next === ' ' || next === '!')) return endOfLine(sql, at);
  if (character !== '/' || next !== '*') return at;
  const end = sql.indexOf('*/', at + 2);
  if (end === -1) refuse('A comment does not end: `*/` is missing.');
  if (sql.slice(at + 2, end).includes('/*')) refuse('A comment contains `/*`; comments cannot be nested here.');
  return end + 2;
}

function endOfLine(sql: string, at: number): number {
  const feed = sql.indexOf('\n', at);
  const end = feed === -1 ? sql.length : feed + 1;
  // The engine might end a comment at a carriage return alone.
  const line = sql.slice(at, end).trimEnd();
  if (line.includes('\r')) refuse('A comment contains a carriage return; end lines with a line feed.');
  return end;
}

function endOfWord(sql: string, at: number): number {
  let end = at;
  while (end < sql.length && isWordPart(sql.charAt(end))) end += 1;
  if (sql.charAt(end) === '$') refuse('`$` is only allowed inside quotes; heredocs are not supported.');
  return end;
}

/** The end of `x'…'` or `b'…'`; `end` for a plain word. */
function endOfBinaryLiteral(sql: string, at: number, end: number): number {
  const quote = sql.charAt(end);
  if (quote !== "'" && quote !== '"' && quote !== '`') return end;
  const digits = { x: '0123456789abcdefABCDEF', b: '01' }[sql.slice(at, end).toLowerCase()];
  if (digits === undefined || quote !== "'") refuse('A word and a quote need a space between them.');
  let close = end + 1;
  while (close < sql.length && digits.includes(sql.charAt(close))) close += 1;
  if (sql.charAt(close) !== "'") refuse("A literal x'…' holds hexadecimal digits, and b'…' binary digits.");
  return close + 1;
}

/** A dot before a digit starts a number, except after a token whose element it can select. */
function startsFraction(sql: string, at: number, before: Token | undefined): boolean {
  if (!isDigit(sql.charAt(at + 1)) || before === undefined) return false;
  return before.kind === 'symbol' && before.value !== ')' && before.value !== ']';
}

function endOfNumber(sql: string, at: number, isIndex: boolean): number {
  const digits = (from: number, allowed: (character: string) => boolean) => {
    let end = from;
    while (end < sql.length && allowed(sql.charAt(end))) end += 1;
    return end;
  };
  const decimal = (character: string) => isDigit(character) || character === '_';
  let end: number;
  const prefix = sql.slice(at, at + 2).toLowerCase();
  if (prefix === '0x' || prefix === '0b') {
    end = digits(at + 2, (character) => '0123456789abcdefABCDEF_'.includes(character));
  } else {
    end = digits(at, decimal);
    if (!isIndex && sql.charAt(end) === '.') end = digits(end + 1, decimal);
    const exponent = sql.charAt(end);
    if (exponent === 'e' || exponent === 'E') {
      const sign = sql.charAt(end + 1);
      end = digits(sign === '+' || sign === '-' ? end + 2 : end + 1, decimal);
    }
  }
  const next = sql.charAt(end);
  if (next !== '' && (isWordPart(next) || '$\'"`'.includes(next)))
    refuse('A number and what follows it need a space between them.');
  return end;
}

/** A backslash escapes the next character, and a doubled quote is a quote of the string. */
function endOfString(sql: string, at: number): number {
  for (let i = at + 1; i < sql.length; i++) {
    const character = sql.charAt(i);
    if (character === '\\') i += 1;
    else if (character === "'") {
      if (sql.charAt(i + 1) !== "'") return i + 1;
      i += 1;
    }
  }
  return refuse("A string does not end: `'` is missing.");
}

function endOfIdentifier(sql: string, at: number): number {
  const quote = sql.charAt(at);
  const close = sql.indexOf(quote, at + 1);
  if (close === -1) refuse(`A quoted identifier does not end: ${quote} is missing.`);
  if (sql.charAt(close + 1) === quote || sql.slice(at, close).includes('\\')) {
    refuse('Quoted identifiers cannot contain quotes or backslashes.');
  }
  return close + 1;
}

function readParameter(sql: string, at: number): { end: number; name: string; type: string } {
  const close = sql.indexOf('}', at);
  const colon = sql.indexOf(':', at);
  if (close === -1 || colon === -1 || colon > close) refuse('Braces hold query parameters only: {name:Type}.');
  const name = sql.slice(at + 1, colon).trim();
  const type = sql.slice(colon + 1, close).trim();
  if (!isPlainName(name)) refuse('The name of a query parameter has letters, digits and underscores only.');
  for (const character of type) {
    if (!isWordPart(character) && !" (),'/+-".includes(character))
      refuse(`The type of the query parameter ${name} is not valid.`);
  }
  if (type !== 'Identifier' && type.toLowerCase().includes('identifier'))
    refuse('Write the type of an identifier as {name:Identifier}.');
  return { end: close + 1, name, type };
}

function symbolLength(sql: string, at: number): number {
  const character = sql.charAt(at);
  if ('()[],;.*+%?'.includes(character)) return 1;
  for (const symbol of LONG_SYMBOLS) if (sql.startsWith(symbol, at)) return symbol.length;
  if (character === '/' && sql.charAt(at + 1) === '/') refuse('`//` begins no comment here; use `--`.');
  if (!'-/=<>:'.includes(character)) refuse(unexpected(sql, at));
  return 1;
}

const LONG_SYMBOLS = ['<=>', '->', '::', '||', '<=', '>=', '!=', '<>', '=='];

function unexpected(sql: string, at: number): string {
  const code = sql.codePointAt(at) ?? 0;
  const shown = code > 0x20 && code !== 0x7f ? String.fromCodePoint(code) : `U+${code.toString(16).padStart(4, '0')}`;
  return `The character ${shown} at position ${at + 1} is not allowed outside quotes`;
}

function isInsertFormat(tokens: readonly Token[]): boolean {
  return tokens[0]?.value === 'insert' && tokens[0].kind === 'word' && isWord(tokens.at(-2), 'format');
}

/** Whether the token is this bare word (lower case). */
export function isWord(token: Token | undefined, ...words: readonly string[]): boolean {
  return token?.kind === 'word' && words.includes(token.value);
}

/** Whether a name has letters, digits and underscores only, so that it cannot be a path. */
export function isPlainName(name: string): boolean {
  if (name === '' || name.length > 128) return false;
  for (const character of name) if (!isWordPart(character)) return false;
  return true;
}

function isSpace(character: string): boolean {
  return character === ' ' || (character >= '\t' && character <= '\r');
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isWordStart(character: string): boolean {
  return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') || character === '_';
}

function isWordPart(character: string): boolean {
  return isWordStart(character) || isDigit(character);
}
