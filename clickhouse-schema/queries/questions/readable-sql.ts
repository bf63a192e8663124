import type { Statement } from './bindings.ts';

/** A moment of a scope as bindings.ts and cohorts.ts write it. */
const MOMENT = /fromUnixTimestamp64Milli\(\{(p\d+):Int64\}(?:, 'UTC')?\)/g;
const PLACEHOLDER = /\{(p\d+):(\w+(?:\(\w+\))?)\}/g;

/**
 * A statement as one text that a person can run: its values are literals. The same rows follow, because it is the same
 * statement. Only the text of this folder is searched for placeholders, never a value.
 */
export function readableSql({ sql, parameters }: Statement): string {
  const moments = sql
    .trim()
    .replaceAll(MOMENT, (_, name: string) => `toDateTime64('${momentText(parameters[name])}', 3, 'UTC')`);
  return moments.replaceAll(PLACEHOLDER, (_, name: string, type: string) => literal(parameters[name], type));
}

function literal(value: unknown, type: string): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, '')).join(', ')}]`;
  if (typeof value === 'number') return type === 'Int64' ? `toInt64(${value})` : String(value);
  return quoted(String(value));
}

/** As ClickHouse reads a string: a backslash escapes what follows. */
function quoted(text: string): string {
  const escaped = text
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')
    .replaceAll('\0', '\\0');
  return `'${escaped}'`;
}

function momentText(ms: unknown): string {
  return new Date(Number(ms)).toISOString().replace('T', ' ').replace('Z', '');
}
