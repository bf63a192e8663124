/**
 * A value of a row, as its column's type takes it: times are epoch milliseconds, money is integer ten-thousandths.
 * `undefined` and null are written alike: as NULL in nullable columns, otherwise as the type's zero.
 */
export type Value = string | number | bigint | boolean | readonly string[] | readonly number[] | null | undefined;

/** How a column's values are written. ClickHouse converts `text` to the column's LowCardinality type. */
export type Encoding =
  | 'text'
  | 'uuid'
  | 'bool'
  | 'int8'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'uint128'
  | 'float64'
  | 'time'
  | 'money'
  | 'texts'
  | 'float64s';

/** The type of a column in a block. */
export interface ColumnType {
  readonly encoding: Encoding;
  readonly nullable: boolean;
}

/** A column of a table: its type, and its value in the row of a source. */
export interface Column<S extends readonly unknown[]> extends ColumnType {
  valueOf(...source: S): Value;
}

/** ClickHouse's name of each type. */
const TYPE_NAMES: Readonly<Record<Encoding, string>> = {
  text: 'String',
  uuid: 'UUID',
  bool: 'Bool',
  int8: 'Int8',
  uint8: 'UInt8',
  uint16: 'UInt16',
  uint32: 'UInt32',
  int64: 'Int64',
  uint64: 'UInt64',
  uint128: 'UInt128',
  float64: 'Float64',
  time: "DateTime64(3, 'UTC')",
  money: 'Decimal(18, 4)',
  texts: 'Array(String)',
  float64s: 'Array(Float64)',
};

/** Declares a column with its value in a row. A `nullable…` column stores null and `undefined` as NULL. */
type Declare<V extends Value> = <S extends readonly unknown[]>(
  valueOf: (...source: S) => V | null | undefined,
) => Column<S>;

const columnOf =
  (encoding: Encoding, nullable = false): Declare<Value> =>
  (valueOf) => ({ encoding, nullable, valueOf });

export const text: Declare<string> = columnOf('text');
export const nullableText: Declare<string> = columnOf('text', true);
export const uuid: Declare<string> = columnOf('uuid');
export const bool: Declare<boolean> = columnOf('bool');
export const int8: Declare<number> = columnOf('int8');
export const uint8: Declare<number> = columnOf('uint8');
export const uint16: Declare<number> = columnOf('uint16');
export const nullableUint16: Declare<number> = columnOf('uint16', true);
export const uint32: Declare<number> = columnOf('uint32');
export const int64: Declare<number> = columnOf('int64');
export const uint64: Declare<number | bigint> = columnOf('uint64');
export const uint128: Declare<bigint> = columnOf('uint128');
export const float64: Declare<number> = columnOf('float64');
/** Epoch milliseconds. */
export const time: Declare<number> = columnOf('time');
export const nullableTime: Declare<number> = columnOf('time', true);
/** Integer ten-thousandths. */
export const money: Declare<number> = columnOf('money');
export const nullableMoney: Declare<number> = columnOf('money', true);
export const texts: Declare<readonly string[]> = columnOf('texts');
export const float64s: Declare<readonly number[]> = columnOf('float64s');

/** ClickHouse's name of a column's type. */
export function typeName({ encoding, nullable }: ColumnType): string {
  return nullable ? `Nullable(${TYPE_NAMES[encoding]})` : TYPE_NAMES[encoding];
}

/**
 * The bounds of DateTime64. Times of devices are arbitrary, and one outside these bounds would be stored as another.
 */
const EARLIEST_MS = Date.UTC(1900, 0, 1);
const LATEST_MS = Date.UTC(2299, 11, 31, 23, 59, 59, 999);

/** The nearest time within the bounds of DateTime64, in whole epoch milliseconds. */
export function storable(epochMs: number): number {
  return Math.min(LATEST_MS, Math.max(EARLIEST_MS, Math.trunc(epochMs)));
}
