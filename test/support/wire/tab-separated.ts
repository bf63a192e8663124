import { storable, type ColumnType, type Encoding, type Value } from '../../../clickhouse-schema/rows/column-types.ts';

/**
 * One row in ClickHouse's TabSeparated format, without its line feed: a second way to write the values of a block.
 * `\N` stands for NULL, and for the default of a column that is not nullable.
 */
export function lineOf(types: readonly ColumnType[], values: readonly Value[]): string {
  return types.map((type, place) => textOf(type, values[place])).join('\t');
}

/** The values as a block can hold them: without a value, a column that is not nullable has the zero of its type. */
export function withZeros(types: readonly ColumnType[], values: readonly Value[]): Value[] {
  return types.map(({ encoding, nullable }, place) => values[place] ?? (nullable ? null : ZEROS[encoding]));
}

const ZEROS: Readonly<Record<Encoding, Value>> = {
  text: '',
  uuid: '00000000-0000-0000-0000-000000000000',
  bool: false,
  int8: 0,
  uint8: 0,
  uint16: 0,
  uint32: 0,
  int64: 0,
  uint64: 0,
  uint128: 0n,
  float64: 0,
  time: 0,
  money: 0,
  texts: [],
  float64s: [],
};

function textOf({ encoding }: ColumnType, value: Value): string {
  if (value === null || value === undefined) return '\\N';
  if (isTexts(value)) return `[${value.map((text) => `'${escaped(text).replaceAll("'", "\\'")}'`).join(',')}]`;
  if (isNumbers(value)) return `[${value.join(',')}]`;
  if (encoding === 'time') return timeText(Number(value));
  if (encoding === 'money') return moneyText(Number(value));
  return typeof value === 'string' ? escaped(value) : String(value);
}

function isTexts(value: Value): value is readonly string[] {
  return Array.isArray(value) && typeof value[0] === 'string';
}

function isNumbers(value: Value): value is readonly number[] {
  return Array.isArray(value);
}

function timeText(epochMs: number): string {
  return new Date(storable(epochMs)).toISOString().replace('T', ' ').replace('Z', '');
}

/** Integer ten-thousandths as a Decimal(18, 4). */
function moneyText(tenThousandths: number): string {
  const digits = String(Math.abs(tenThousandths)).padStart(5, '0');
  return `${tenThousandths < 0 ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(text: string): string {
  return text.replaceAll(/[\\\t\n\r]/g, (character) => ESCAPES[character] ?? character);
}
