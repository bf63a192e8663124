/**
 * The types of a Parquet file's columns: the engine's, whose texts name their structure, with the logical types of the
 * file, which say what a text or a time is. The leaves of both stand in the same order.
 */
export type ParquetType =
  | { kind: 'struct'; members: readonly { name: string; type: ParquetType }[] }
  | { kind: 'list'; item: ParquetType }
  | { kind: 'map'; value: ParquetType }
  | { kind: Leaf };
export type Struct = Extract<ParquetType, { kind: 'struct' }>;

/**
 * `number`: digits that a double might not hold; `json`: a text with JSON; `bytes`: what the file does not call a text;
 * `plain`: as the engine writes it.
 */
type Leaf = 'number' | 'json' | 'time' | 'timeOfDay' | 'bytes' | 'plain';

/**
 * Throws for a VARIANT.
 * @param logical of the leaves that are left, in their order; this type's are taken from the front
 */
export function parquetType(text: string, logical: string[]): ParquetType {
  const { name, parts } = splitType(text);
  switch (name) {
    case 'Nullable':
    case 'LowCardinality':
      return parquetType(parts[0] ?? '', logical);
    case 'Tuple':
      return structOf(parts.map((part) => memberOf(part, logical)));
    case 'Array':
      return { kind: 'list', item: parquetType(parts[0] ?? '', logical) };
    case 'Map':
      parquetType(parts[0] ?? '', logical);
      return { kind: 'map', value: parquetType(parts[1] ?? '', logical) };
    default:
      return { kind: leafOf(name, logical.shift() ?? '') };
  }
}

const VARIANT: ReadonlySet<string> = new Set(['metadata', 'value', 'typed_value']);

/** The engine reads a VARIANT as a struct of its encoded parts, and nothing else encodes a member `metadata`. */
function structOf(members: Struct['members']): Struct {
  const isEncoded = members.some(({ name, type }) => name === 'metadata' && type.kind === 'bytes');
  if (isEncoded && members.every(({ name }) => VARIANT.has(name))) {
    throw new Error('It has a column of the type VARIANT, which is not read; write JSON (DuckDB: `properties::JSON`).');
  }
  return { kind: 'struct', members };
}

function leafOf(name: string, logical: string): Leaf {
  if (logical === 'JSON') return 'json';
  if (logical.startsWith('Time(')) return 'timeOfDay';
  if (name.startsWith('DateTime')) return 'time';
  if (name === 'String' && logical === 'None') return 'bytes';
  return /^(?:Int|UInt|Decimal)/.test(name) ? 'number' : 'plain';
}

function memberOf(part: string, logical: string[]): { name: string; type: ParquetType } {
  const end = part.startsWith('`') ? closingQuote(part) + 1 : part.indexOf(' ');
  const name = part.startsWith('`') ? unquoted(part.slice(1, end - 1)) : part.slice(0, end);
  return { name, type: parquetType(part.slice(end), logical) };
}

/** `Map(String, Tuple(a Int8))` is the name `Map` and the parts `String` and `Tuple(a Int8)`. */
function splitType(text: string): { name: string; parts: string[] } {
  const whole = text.trim();
  const open = whole.indexOf('(');
  if (open < 0) return { name: whole, parts: [] };
  const parts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let at = open + 1; at < whole.length; at++) {
    const character = whole[at];
    if (character === '`') at = closingQuote(whole, at);
    else if (character === '(') depth += 1;
    else if (depth === 0 && (character === ',' || character === ')')) {
      parts.push(whole.slice(from, at).trim());
      from = at + 1;
    } else if (character === ')') depth -= 1;
  }
  return { name: whole.slice(0, open), parts };
}

function closingQuote(text: string, open = 0): number {
  let at = open + 1;
  while (at < text.length && text[at] !== '`') at += text[at] === '\\' ? 2 : 1;
  return at;
}

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', 0: '\0' };

const unquoted = (name: string): string => name.replaceAll(/\\(.)/gs, (_, one: string) => ESCAPES[one] ?? one);
