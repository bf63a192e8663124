import { array, bigInt, boolean, constant, double, integer, oneof, string, uuid, type Arbitrary } from 'fast-check';
import type { ColumnType, Encoding, Value } from '../../../clickhouse-schema/rows/column-types.ts';

/** Texts with NUL, quotes, separators, lone surrogates and other planes, with lengths of one byte and of two. */
const TEXTS: Arbitrary<string> = oneof(
  string({ unit: 'binary', maxLength: 40 }),
  string({ unit: integer({ min: 0, max: 0xff_ff }).map((unit) => String.fromCharCode(unit)), maxLength: 60 }),
  string({ minLength: 100, maxLength: 200 }),
  oneof(...['', '\0', '\n\n', '\\N', '\\', "'", '\t', '\r\n', '\ud800', '\udc00a', 'NULL'].map((one) => constant(one))),
);
const INT64 = oneof(integer(), integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER }));
const whole = (max: number) => oneof(integer({ min: 0, max }), constant(0), constant(max));

const VALUES: Readonly<Record<Encoding, Arbitrary<Value>>> = {
  text: TEXTS,
  uuid: uuid(),
  bool: boolean(),
  int8: integer({ min: -128, max: 127 }),
  uint8: whole(255),
  uint16: whole(65_535),
  uint32: whole(4_294_967_295),
  int64: INT64,
  uint64: oneof(whole(Number.MAX_SAFE_INTEGER), bigInt({ min: 0n, max: (1n << 64n) - 1n })),
  uint128: oneof(bigInt({ min: 0n, max: (1n << 128n) - 1n }), constant((1n << 128n) - 1n)),
  float64: double({ noNaN: true, noDefaultInfinity: true }),
  // Also beyond what a column holds.
  time: oneof(integer({ min: -3e12, max: 1.2e13 }), double({ min: -1e15, max: 1e15, noNaN: true })),
  money: integer({ min: -9e15, max: 9e15 }),
  texts: array(TEXTS, { maxLength: 4 }),
  float64s: array(double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 4 }),
};

/** Any value that a column of this type may get. */
export function anyValue({ encoding, nullable }: ColumnType, options: { missing?: boolean } = {}): Arbitrary<Value> {
  const value = VALUES[encoding];
  if (!nullable && options.missing === false) return value;
  return oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: constant(null) }, constant(undefined));
}

/** The text as it is stored: lone surrogates are replaced. */
export const storedText = (text: string): string => text.toWellFormed();
