import { array, assert as assertProperty, property, tuple } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readNativeBlock } from '../../test/support/wire/native-block.ts';
import { anyValue, storedText } from '../../test/support/wire/row-values.ts';
import { withZeros } from '../../test/support/wire/tab-separated.ts';
import { createNativeBlock } from './native-block.ts';
import { storable, typeName, type ColumnType, type Value } from './column-types.ts';
import { TABLE_NAMES, TABLES } from './tables/tables.ts';

const column = (encoding: ColumnType['encoding'], nullable = false) => ({ name: encoding, encoding, nullable });

/** A value as it is read back. */
function stored({ encoding }: ColumnType, value: Value): Value {
  if (value === null) return value;
  // No column stores a negative zero.
  if (encoding === 'time') return storable(Number(value)) + 0;
  if (encoding === 'money' || encoding === 'float64') return Number(value) + 0;
  if (encoding === 'int64' || encoding === 'uint64') return BigInt(String(value));
  if (encoding === 'texts' && Array.isArray(value)) return value.map((text) => storedText(String(text)));
  if (encoding === 'float64s' && Array.isArray(value)) return value.map((number) => Number(number) + 0);
  return typeof value === 'string' ? storedText(value) : value;
}

describe('a block in the Native format', () => {
  it('is what ClickHouse reads: names, types and values of each column', () => {
    const block = createNativeBlock([column('text'), column('uint32', true), column('uuid'), column('texts')]);
    block.add(['ü', 7, '00112233-4455-6677-8899-aabbccddeeff', ['a', '']]);
    block.add([undefined, null, null, []]);
    expect(Buffer.from(block.bytes()).toString('hex')).toBe(
      [
        '0402',
        `04${hex('text')}06${hex('String')}02${hex('ü')}00`,
        `06${hex('uint32')}10${hex('Nullable(UInt32)')}00010700000000000000`,
        `04${hex('uuid')}04${hex('UUID')}7766554433221100ffeeddccbbaa9988${'00'.repeat(16)}`,
        `05${hex('texts')}0d${hex('Array(String)')}02000000000000000200000000000000`,
        `01${hex('a')}00`,
      ].join(''),
    );
  });

  it.each(TABLE_NAMES)('holds any rows of `%s`', (table) => {
    const { columns, types } = TABLES[table];
    const rows = array(tuple(...types.map((type) => anyValue(type))), { maxLength: 5 });
    const block = createNativeBlock(columns.map((name, place) => ({ ...(types[place] ?? column('text')), name })));
    assertProperty(
      property(rows, (given) => {
        block.clear();
        for (const values of given) block.add(values);
        const read = readNativeBlock(block.bytes());
        expect(read.rows).toEqual(
          given.map((values) =>
            withZeros(types, values).map((value, at) => stored(types[at] ?? column('text'), value)),
          ),
        );
        if (given.length === 0) return;
        expect(read.columns).toEqual(
          columns.map((name, at) => ({ name, type: typeName(types[at] ?? column('text')) })),
        );
      }),
      { numRuns: 30 },
    );
  });

  it.each([0, 23, 24, 25, 42, 63, 64, 127, 128, 5_461, 5_462, 8_191, 16_383, 16_384, 700_000])(
    'holds texts of %i characters, of one to four bytes each',
    (units) => {
      const block = createNativeBlock([column('text')]);
      const texts = ['a', 'ü', '€', '🎮'].flatMap((unit) => [unit.repeat(units), `${'a'.repeat(units)}${unit}`]);
      for (const text of texts) block.add([text]);
      expect(readNativeBlock(block.bytes()).rows.flat()).toEqual(texts);
    },
  );

  it('grows beyond its initial memory, and `clear` hides all earlier rows', () => {
    const block = createNativeBlock([column('text'), column('text')]);
    const long = 'ü'.repeat(50_000);
    block.add(['a', long]);
    block.add(['b', long]);
    const rows = (): Value[][] => readNativeBlock(block.bytes()).rows;
    expect(rows()).toEqual([
      ['a', long],
      ['b', long],
    ]);
    block.clear();
    expect(block.bytes().length).toBe(0);
    block.add(['c', '']);
    expect(rows()).toEqual([['c', '']]);
  });

  it.each([
    '',
    '0',
    '00112233-4455-6677-8899-aabbccddeef',
    '00112233-4455-6677-8899-aabbccddeefg',
    '00112233x4455-6677-8899-aabbccddeeff',
    '00112233-4455-6677-8899-aabbccddeefé',
  ])('refuses %j as a UUID', (text) => {
    expect(() => createNativeBlock([column('uuid')]).add([text])).toThrow('is no UUID');
  });
});

const hex = (text: string): string => Buffer.from(text).toString('hex');
