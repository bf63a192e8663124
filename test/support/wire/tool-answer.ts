import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { decompressBlocks } from '../../../src/local/clickhouse/wire/compressed-blocks.ts';
import { decompressBlock } from '../../../src/local/clickhouse/wire/lz4-block.ts';

/* Reads answers as tools do. */

/** The body without the encoding of HTTP or ClickHouse's own blocks. */
export function plain(body: Buffer, encoding: string | undefined, isBlocks: boolean): Buffer {
  if (isBlocks) return decompressBlocks(body, 1e9);
  switch (encoding) {
    case undefined:
      return body;
    case 'gzip':
      return gunzipSync(body);
    case 'deflate':
      return inflateSync(body);
    case 'br':
      return brotliDecompressSync(body);
    case 'zstd':
      return zstdDecompressSync(body);
    case 'lz4':
      return ofLz4Frame(body);
    default:
      throw new Error(`unknown encoding ${encoding}`);
  }
}

function ofLz4Frame(frame: Buffer): Buffer {
  if (frame.readUInt32LE(0) !== 0x184d2204) throw new Error('no frame of LZ4');
  const parts: Buffer[] = [];
  for (let at = 7; ;) {
    const size = frame.readUInt32LE(at);
    at += 4;
    if (size === 0) return Buffer.concat(parts);
    const bytes = size & 0x7fff_ffff;
    const data = frame.subarray(at, at + bytes);
    at += bytes;
    parts.push(size >>> 31 === 1 ? data : sizedBlock(data));
  }
}

/** A frame does not say how large a block is after decompression: adds up its literals and copies. */
function sizedBlock(data: Buffer): Buffer {
  let at = 0;
  let size = 0;
  const rest = (nibble: number): number => {
    let length = nibble;
    for (let byte = nibble === 15 ? 255 : 0; byte === 255; length += byte) byte = data.readUInt8(at++);
    return length;
  };
  while (at < data.length) {
    const token = data.readUInt8(at++);
    const literals = rest(token >> 4);
    at += literals;
    size += literals;
    if (at >= data.length) break;
    at += 2;
    size += rest(token & 15) + 4;
  }
  const found = decompressBlock(data, size);
  if (found === undefined) throw new Error('a block of LZ4 is damaged');
  return found;
}

export interface ToolAnswer {
  names: string[];
  types: string[];
  hasRows: boolean;
}

/** The first block of the Native format. */
export function nativeAnswer(bytes: Buffer, revision: number): ToolAnswer & { info: Buffer } {
  const reader = new Reader(bytes);
  const info = revision > 0 ? reader.bytes(8) : Buffer.alloc(0);
  const columns = reader.varint();
  const rows = reader.varint();
  const names: string[] = [];
  const types: string[] = [];
  for (let column = 0; column < columns; column++) {
    names.push(reader.text());
    types.push(reader.text());
    if (revision >= 54_454 && reader.varint() !== 0) throw new Error('a column has a special serialization');
    // Only types of a fixed size and texts can be skipped here; the others end the reading.
    if (rows > 0 && !reader.skip(types.at(-1) ?? '', rows)) break;
  }
  return { info, names, types, hasRows: rows > 0 };
}

export function rowBinaryAnswer(bytes: Buffer): ToolAnswer {
  const reader = new Reader(bytes);
  const columns = reader.varint();
  const names = Array.from({ length: columns }, () => reader.text());
  const types = Array.from({ length: columns }, () => reader.text());
  return { names, types, hasRows: reader.at < bytes.length };
}

const SIZES: Readonly<Record<string, number>> = { UInt8: 1, UInt32: 4, UInt64: 8, DateTime: 4, DateTime64: 8 };

class Reader {
  at = 0;
  readonly #bytes: Buffer;
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }
  varint(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes.readUInt8(this.at++);
      value |= (byte & 127) << shift;
      if (byte < 128) return value;
    }
  }
  bytes(count: number): Buffer {
    this.at += count;
    return this.#bytes.subarray(this.at - count, this.at);
  }
  text(): string {
    return this.bytes(this.varint()).toString('utf8');
  }
  skip(type: string, rows: number): boolean {
    const size = SIZES[type.split('(')[0] ?? ''];
    if (size !== undefined) this.bytes(size * rows);
    else if (type === 'String') for (let row = 0; row < rows; row++) this.text();
    else return false;
    return true;
  }
}
