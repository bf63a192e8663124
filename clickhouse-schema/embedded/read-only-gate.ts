/**
 * Whether a read-only statement names something a reader must not use. Grants cover tables and table functions; the scalar
 * function `file` escapes them in the embedded engine and would show any file this process can read, so its name is
 * refused wherever it could be an identifier: called, quoted, handed to arrayMap or APPLY, or bound as a parameter.
 *
 * @returns why the statement is refused, or undefined
 */
export function refusedName(sql: string, parameters: ReadonlyMap<string, string>): string | undefined {
  for (const value of parameters.values()) {
    if (/\bIdentifier\b/.test(sql) && REFUSED.test(value)) return WHY;
  }
  if (!REFUSED.test(sql) && !sql.includes('\\')) return undefined;
  const visible = withoutStrings(sql);
  if (/(["`])(?:(?!\1)[^\\])*\\/.test(visible))
    return 'Quoted identifiers with escapes are not allowed for read-only users';
  return REFUSED.test(visible) ? WHY : undefined;
}

const REFUSED = /\b(?:file|eval)\b/i;
const WHY = 'The names file and eval are not allowed as identifiers for read-only users';

/**
 * Texts that this small lexer and ClickHouse's might read differently: other comments, heredocs, typographic quotes,
 * binary literals. In their presence nothing is taken for a string, which refuses more and never less.
 */
const AMBIGUOUS = /[#$\u2018\u2019\u201c\u201d\u2212]|[xb]'/i;

/** The statement with its string literals and comments blanked; identifiers stay. In doubt nothing is blanked. */
export function withoutStrings(sql: string): string {
  if (AMBIGUOUS.test(sql)) return sql;
  let visible = '';
  for (let at = 0; at < sql.length;) {
    const end = endOfHidden(sql, at);
    if (end > at) {
      visible += ' ';
      at = end;
      continue;
    }
    const quote = sql[at];
    if (quote === '"' || quote === '`') {
      const close = endOfQuoted(sql, at);
      visible += sql.slice(at, close);
      at = close;
      continue;
    }
    visible += quote;
    at += 1;
  }
  return visible;
}

/** Where the string or comment that starts at `at` ends; `at` itself when none starts there. */
function endOfHidden(sql: string, at: number): number {
  if (sql[at] === "'") return endOfQuoted(sql, at);
  if (sql.startsWith('--', at)) return orEnd(sql, sql.indexOf('\n', at));
  if (sql.startsWith('/*', at)) return orEnd(sql, sql.indexOf('*/', at + 2), 2);
  return at;
}

/** Where a quoted token ends. A doubled quote reads as two tokens side by side, which hides nothing. */
function endOfQuoted(sql: string, at: number): number {
  for (let i = at + 1; i < sql.length; i++) {
    if (sql[i] === '\\') i += 1;
    else if (sql[i] === sql[at]) return i + 1;
  }
  return sql.length;
}

function orEnd(sql: string, found: number, tokenLength = 0): number {
  return found === -1 ? sql.length : found + tokenLength;
}
