/** A data type, as far as its size in the Native format needs it. */
export type NativeType =
  | { kind: 'fixed'; sizeBytes: number }
  | { kind: 'string' }
  | { kind: 'nullable'; of: NativeType }
  | { kind: 'lowCardinality'; of: NativeType }
  | { kind: 'array'; of: NativeType }
  | { kind: 'tuple'; of: readonly NativeType[] };

/** Undefined for types whose size only their own code finds: states of aggregate functions, JSON, Dynamic, Variant. */
export function parseNativeType(text: string): NativeType | undefined {
  const { name, args } = split(text.trim());
  const sizeBytes = FIXED.get(name);
  if (sizeBytes !== undefined) return { kind: 'fixed', sizeBytes };
  const first = args[0] ?? '';
  switch (name) {
    case 'String':
      return { kind: 'string' };
    case 'FixedString':
      return { kind: 'fixed', sizeBytes: Number(first) };
    case 'Decimal':
      return { kind: 'fixed', sizeBytes: decimalBytes(Number(first)) };
    case 'Nullable':
      return wrap('nullable', first);
    case 'LowCardinality':
      return wrap('lowCardinality', first);
    case 'Array':
      return wrap('array', first);
    case 'SimpleAggregateFunction':
      return parseNativeType(args[1] ?? '');
    case 'Map':
      return arrayOf(tupleOf(args.map(parseNativeType)));
    case 'Nested':
      return arrayOf(tupleOf(args.map((arg) => parseNativeType(withoutName(arg)))));
    case 'Tuple':
      return tupleOf(args.map((arg) => parseNativeType(withoutName(arg))));
    default:
      return name in SHAPES ? parseNativeType(SHAPES[name] ?? '') : undefined;
  }
}

const FIXED = new Map(
  [
    [1, 'Bool Int8 UInt8 Enum8 Nothing'],
    [2, 'Int16 UInt16 Enum16 Date BFloat16'],
    [4, 'Int32 UInt32 Float32 Date32 DateTime Decimal32 IPv4 Time'],
    [8, 'Int64 UInt64 Float64 DateTime64 Decimal64 Time64'],
    [16, 'Int128 UInt128 Decimal128 UUID IPv6'],
    [32, 'Int256 UInt256 Decimal256'],
    [
      8,
      `IntervalNanosecond IntervalMicrosecond IntervalMillisecond IntervalSecond IntervalMinute IntervalHour IntervalDay
      IntervalWeek IntervalMonth IntervalQuarter IntervalYear`,
    ],
  ].flatMap(([size, names]): [string, number][] =>
    String(names)
      .split(/\s+/)
      .map((name) => [name, Number(size)]),
  ),
);

const SHAPES: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  Polygon: 'Array(Ring)',
  MultiLineString: 'Array(LineString)',
  MultiPolygon: 'Array(Polygon)',
};

function decimalBytes(precision: number): number {
  if (precision <= 9) return 4;
  if (precision <= 18) return 8;
  return precision <= 38 ? 16 : 32;
}

function wrap(kind: 'nullable' | 'lowCardinality' | 'array', text: string): NativeType | undefined {
  const of = parseNativeType(text);
  return of && { kind, of };
}

const arrayOf = (of: NativeType | undefined): NativeType | undefined => of && { kind: 'array', of };

function tupleOf(found: readonly (NativeType | undefined)[]): NativeType | undefined {
  const of = found.filter((type) => type !== undefined);
  return of.length === found.length ? { kind: 'tuple', of } : undefined;
}

/** The name of a type and its arguments. */
function split(text: string): { name: string; args: string[] } {
  const open = text.indexOf('(');
  if (open === -1) return { name: text, args: [] };
  const args: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let at = open + 1; at < text.length; at++) {
    const character = text[at];
    if (character === "'" || character === '`') at = endOfQuoted(text, at, character);
    else if (character === '(') depth += 1;
    else if (character === ')' || character === ',') {
      if (depth === 0) {
        args.push(text.slice(start, at).trim());
        start = at + 1;
      }
      if (character === ')') depth -= 1;
    }
  }
  return { name: text.slice(0, open), args: args.filter((arg) => arg !== '') };
}

/** The place of the quote that ends what begins at `at`. */
function endOfQuoted(text: string, at: number, quote: string): number {
  let end = at + 1;
  while (end < text.length && text[end] !== quote) end += text[end] === '\\' ? 2 : 1;
  return end;
}

/** An element of a tuple without its name: `a UInt8` or `UInt8`. */
function withoutName(text: string): string {
  if (text.startsWith('`')) return text.slice(endOfQuoted(text, 0, '`') + 1).trim();
  const space = text.indexOf(' ');
  const bracket = text.indexOf('(');
  return space === -1 || (bracket !== -1 && bracket < space) ? text : text.slice(space + 1).trim();
}
