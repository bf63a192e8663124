import { createByteBuffer, type ByteBuffer } from '../../core/kernel/bytes/byte-buffer.ts';
import { storable, type ColumnType, type Encoding, type Value } from './column-types.ts';

/** The values of one column, in ClickHouse's Native format. */
export interface ColumnWriter {
  add(value: Value): void;
  /** Adds the values of a run of rows. */
  addRun(run: ColumnRun, rows: number): void;
  appendTo(out: ByteBuffer): void;
  clear(): void;
}

/**
 * The values of a column in a run of rows: one value for all, a number that grows by `step`, or the encoded values. Of
 * a nullable column `nulls` has a byte for each value, 1 for NULL.
 */
export type ColumnRun =
  | { value: Value }
  | { from: number; step: number }
  | { encoded: Uint8Array; nulls?: Uint8Array | undefined };

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
    addRun: (run, rows) => addRun(values, put, run, rows),
    appendTo: (out) => out.append(values),
    clear: () => values.clear(),
  };
}

const putText: Put = (to, value) => to.text(typeof value === 'string' ? value : '');

function textWriter(): ColumnWriter {
  const values = createByteBuffer();
  return {
    add: (value) => putText(values, value),
    addRun: (run, rows) => addRun(values, putText, run, rows),
    appendTo: (out) => out.append(values),
    clear: () => values.clear(),
  };
}

function addRun(values: ByteBuffer, put: Put, run: ColumnRun, rows: number): void {
  if ('encoded' in run) values.raw(run.encoded);
  else if ('from' in run) for (let row = 0; row < rows; row++) put(values, run.from + row * run.step);
  else if (rows > 0) {
    const from = values.length;
    put(values, run.value);
    values.repeat(from, rows - 1);
  }
}

/** A map with 1 for each NULL, then the values, with the type's zero for NULL. */
function nullableWriter(values: ColumnWriter): ColumnWriter {
  const nulls = createByteBuffer();
  return {
    add(value) {
      nulls.uint8(value === null || value === undefined ? 1 : 0);
      values.add(value);
    },
    addRun(run, rows) {
      if ('encoded' in run && run.nulls !== undefined) nulls.raw(run.nulls);
      else addRun(nulls, PUT.uint8, { value: 'value' in run && (run.value ?? null) === null ? 1 : 0 }, rows);
      values.addRun(run, rows);
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
  function add(value: Value): void {
    if (Array.isArray(value)) {
      for (const element of value) put(elements, element);
      count += value.length;
    }
    putInt64(ends, count);
  }
  return {
    add,
    addRun(run, rows) {
      if (!('value' in run)) throw new Error('arrays have no encoded runs');
      for (let row = 0; row < rows; row++) add(run.value);
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
