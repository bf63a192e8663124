import type { Value } from '../../../clickhouse-schema/rows/column-types.ts';

/** The columns and rows of a block in ClickHouse's Native format. */
export interface ReadBlock {
  columns: { name: string; type: string }[];
  rows: Value[][];
}

/**
 * Reads one block, of the types that the tables have. Values are those of the row's declaration: times in milliseconds,
 * decimals in ten-thousandths, 64-bit integers as bigint.
 */
export function readNativeBlock(bytes: Uint8Array): ReadBlock {
  const from = createReader(bytes);
  if (bytes.length === 0) return { columns: [], rows: [] };
  const [width, height] = [from.varint(), from.varint()];
  const columns: ReadBlock['columns'] = [];
  const rows = Array.from({ length: height }, (): Value[] => []);
  for (let place = 0; place < width; place++) {
    const [name, type] = [from.text(), from.text()];
    columns.push({ name, type });
    from.column(type, height).forEach((value, row) => rows[row]?.push(value));
  }
  from.end();
  return { columns, rows };
}

function createReader(bytes: Uint8Array) {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const skip = (size: number): number => {
    at += size;
    if (at > view.length) throw new Error('The block ends inside a value.');
    return at - size;
  };

  function varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = view.readUInt8(skip(1));
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  }

  function text(): string {
    const size = varint();
    const start = skip(size);
    return view.toString('utf8', start, start + size);
  }

  function uuid(): string {
    const half = () => view.readBigUInt64LE(skip(8)).toString(16).padStart(16, '0');
    const digits = half() + half();
    return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  }

  function uint128(): bigint {
    const low = view.readBigUInt64LE(skip(8));
    return (view.readBigUInt64LE(skip(8)) << 64n) | low;
  }

  const READERS: Readonly<Record<string, () => Value>> = {
    String: text,
    UUID: uuid,
    Bool: () => view.readUInt8(skip(1)) === 1,
    Int8: () => view.readInt8(skip(1)),
    UInt8: () => view.readUInt8(skip(1)),
    UInt16: () => view.readUInt16LE(skip(2)),
    UInt32: () => view.readUInt32LE(skip(4)),
    Int64: () => view.readBigInt64LE(skip(8)),
    UInt64: () => view.readBigUInt64LE(skip(8)),
    UInt128: uint128,
    Float64: () => view.readDoubleLE(skip(8)),
    "DateTime64(3, 'UTC')": () => Number(view.readBigInt64LE(skip(8))),
    'Decimal(18, 4)': () => Number(view.readBigInt64LE(skip(8))),
  };

  function column(type: string, height: number): Value[] {
    const inner = /^(Nullable|Array)\((.*)\)$/.exec(type);
    if (inner === null) {
      const read = READERS[type];
      if (read === undefined) throw new Error(`No column has the type ${type}.`);
      return Array.from({ length: height }, read);
    }
    const [, outer, element = ''] = inner;
    if (outer === 'Nullable') {
      const nulls = Array.from({ length: height }, () => view.readUInt8(skip(1)) === 1);
      return column(element, height).map((value, row) => (nulls[row] === true ? null : value));
    }
    const ends = Array.from({ length: height }, () => Number(view.readBigUInt64LE(skip(8))));
    const elements = column(element, ends.at(-1) ?? 0);
    return ends.map((end, row) => listOf(elements.slice(ends[row - 1] ?? 0, end)));
  }

  return {
    varint,
    text,
    column,
    end() {
      if (at !== view.length) throw new Error(`${view.length - at} bytes follow the block.`);
    },
  };
}

function listOf(elements: readonly Value[]): Value {
  const numbers = elements.filter((element) => typeof element === 'number');
  return numbers.length === elements.length ? numbers : elements.map(String);
}
