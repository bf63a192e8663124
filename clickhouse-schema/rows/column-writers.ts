import { createByteBuffer, type ByteBuffer } from './byte-buffer.ts';
import { storable, type ColumnType, type Encoding, type Value } from './column-types.ts';

/** The values of one column, in ClickHouse's Native format. */
export interface ColumnWriter {
  add(value: Value): void;
  appendTo(out: ByteBuffer): void;
  clear(): void;
}

export function createColumnWriter({ encoding, nullable }: ColumnType): ColumnWriter {
  if (encoding === 'texts') return arrayWriter((to, element) => to.text(String(element)));
  if (encoding === 'float64s') return arrayWriter((to, element) => putFloat64(to, Number(element)));
  const plain = encoding === 'text' ? textWriter() : plainWriter(PUT[encoding]);
  return nullable ? nullableWriter(plain) : plain;
}

type Put = (to: ByteBuffer, value: Value) => void;

const PUT: Readonly<Record<Exclude<Encoding, 'text' | 'texts' | 'float64s'>, Put>> = {
  uuid: (to, value) => to.uuid(typeof value === 'string' ? value : NO_UUID),
  bool: (to, value) => to.uint8(value === true ? 1 : 0),
  int8: (to, value) => to.uint8(Number(value ?? 0)),
  uint8: (to, value) => to.uint8(Number(value ?? 0)),
  uint16: (to, value) => to.uint16(Number(value ?? 0)),
  uint32: (to, value) => to.uint32(Number(value ?? 0)),
  int64: putInt64,
  uint64: putInt64,
  uint128(to, value) {
    const number = typeof value === 'bigint' ? value : 0n;
    putBigInt(to, number);
    putBigInt(to, number >> 64n);
  },
  float64: (to, value) => putFloat64(to, Number(value ?? 0)),
  time: (to, value) => putInt64(to, storable(Number(value ?? 0))),
  money: putInt64,
};

const NO_UUID = '00000000-0000-0000-0000-000000000000';

/** An integer as 64 bits in two's complement. */
function putInt64(to: ByteBuffer, value: Value): void {
  if (typeof value === 'bigint') {
    putBigInt(to, value);
    return;
  }
  const number = Number(value ?? 0);
  to.uint32(number);
  to.uint32(Math.floor(number / 2 ** 32));
}

function putBigInt(to: ByteBuffer, value: bigint): void {
  to.uint32(Number(value & 0xff_ff_ff_ffn));
  to.uint32(Number((value >> 32n) & 0xff_ff_ff_ffn));
}

/** A negative zero becomes 0, as JavaScript writes it. */
function putFloat64(to: ByteBuffer, value: number): void {
  to.float64(value + 0);
}

function plainWriter(put: Put): ColumnWriter {
  const values = createByteBuffer();
  return {
    add: (value) => put(values, value),
    appendTo: (out) => out.append(values),
    clear: () => values.clear(),
  };
}

function textWriter(): ColumnWriter {
  const values = createByteBuffer();
  return {
    add: (value) => values.text(typeof value === 'string' ? value : ''),
    appendTo: (out) => out.append(values),
    clear: () => values.clear(),
  };
}

/** A map with 1 for each NULL, then the values, with the type's zero for NULL. */
function nullableWriter(values: ColumnWriter): ColumnWriter {
  const nulls = createByteBuffer();
  return {
    add(value) {
      nulls.uint8(value === null || value === undefined ? 1 : 0);
      values.add(value);
    },
    appendTo(out) {
      out.append(nulls);
      values.appendTo(out);
    },
    clear() {
      nulls.clear();
      values.clear();
    },
  };
}

/** The end of each array among all elements, then the elements. */
function arrayWriter(put: (to: ByteBuffer, element: string | number) => void): ColumnWriter {
  const ends = createByteBuffer();
  const elements = createByteBuffer();
  let count = 0;
  return {
    add(value) {
      if (Array.isArray(value)) {
        for (const element of value) put(elements, element);
        count += value.length;
      }
      putInt64(ends, count);
    },
    appendTo(out) {
      out.append(ends);
      out.append(elements);
    },
    clear() {
      ends.clear();
      elements.clear();
      count = 0;
    },
  };
}
