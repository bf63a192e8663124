import { zstdDecompressSync } from 'node:zlib';
import { RefusedRequest } from '../../../../clickhouse-schema/queries/statements/exceptions.ts';
import { cityHash128 } from './city-hash.ts';
import { compressBlock, decompressBlock } from './lz4-block.ts';

/*
 * ClickHouse's own compression (`compress=1`, `decompress=1`). A block has a checksum of 16 bytes over the rest of it,
 * the method (1 byte), its size without the checksum (4 bytes), its size after decompression (4 bytes), and the data.
 */

const CHECKSUM_BYTES = 16;
const HEADER_BYTES = 9;
const METHODS = { none: 0x02, lz4: 0x82, zstd: 0x90 } as const;
/** A block of an answer takes about 3 ms, mostly for its checksum. */
const BLOCK_BYTES = 64 * 1024;

/** Blocks that together hold `data`. */
export function* compressedBlocks(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += BLOCK_BYTES) yield compressedBlock(data.subarray(at, at + BLOCK_BYTES));
}

function compressedBlock(data: Buffer): Buffer {
  const packed = compressBlock(data);
  const block = Buffer.allocUnsafe(CHECKSUM_BYTES + HEADER_BYTES + packed.length);
  block[CHECKSUM_BYTES] = METHODS.lz4;
  block.writeUInt32LE(HEADER_BYTES + packed.length, CHECKSUM_BYTES + 1);
  block.writeUInt32LE(data.length, CHECKSUM_BYTES + 5);
  packed.copy(block, CHECKSUM_BYTES + HEADER_BYTES);
  cityHash128(block.subarray(CHECKSUM_BYTES)).copy(block);
  return block;
}

/** The data of whole blocks. Throws `RefusedRequest` if they are damaged or have more than `maxBytes`. */
export function decompressBlocks(body: Buffer, maxBytes: number): Buffer {
  const parts: Buffer[] = [];
  let total = 0;
  for (let at = 0; at < body.length;) {
    const start = at + CHECKSUM_BYTES;
    if (start + HEADER_BYTES > body.length) throw damaged();
    const end = start + body.readUInt32LE(start + 1);
    const size = body.readUInt32LE(start + 5);
    total += size;
    if (total > maxBytes) throw new RefusedRequest('TOO_LARGE_STRING_SIZE', `The body is over ${maxBytes} bytes`);
    if (end < start + HEADER_BYTES || end > body.length) throw damaged();
    if (!cityHash128(body.subarray(start, end)).equals(body.subarray(at, start))) throw damaged();
    parts.push(unpacked(body[start] ?? 0, body.subarray(start + HEADER_BYTES, end), size));
    at = end;
  }
  return Buffer.concat(parts, total);
}

function unpacked(method: number, data: Buffer, size: number): Buffer {
  const found = byMethod(method, data, size);
  if (found?.length !== size) throw damaged();
  return found;
}

function byMethod(method: number, data: Buffer, size: number): Buffer | undefined {
  switch (method) {
    case METHODS.none:
      return data;
    case METHODS.lz4:
      return decompressBlock(data, size);
    case METHODS.zstd:
      try {
        return zstdDecompressSync(data, { maxOutputLength: Math.max(size, 1) });
      } catch {
        return undefined;
      }
    default:
      throw new RefusedRequest(
        'UNKNOWN_COMPRESSION_METHOD',
        `A compressed block has the method ${method}. Known are LZ4 (${METHODS.lz4}), ZSTD (${METHODS.zstd}) and none (${METHODS.none})`,
      );
  }
}

function damaged(): RefusedRequest {
  return new RefusedRequest(
    'BAD_ARGUMENTS',
    'With decompress=1 the body is compressed blocks of ClickHouse; a block is damaged or incomplete',
  );
}
