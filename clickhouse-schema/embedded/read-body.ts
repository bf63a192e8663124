import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { LIMITS } from '../../src/kernel/limits.ts';
import { RefusedRequest } from './exceptions.ts';

/** The request's body, decompressed. Throws `RefusedRequest` beyond the bound, whatever it was before decompression. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of decompressed(request)) {
    const bytes: Uint8Array = part;
    sizeBytes += bytes.length;
    if (sizeBytes > LIMITS.clickhouseBodyBytes) {
      throw new RefusedRequest('TOO_LARGE_STRING_SIZE', `The body is over ${LIMITS.clickhouseBodyBytes} bytes`);
    }
    parts.push(bytes);
  }
  return Buffer.concat(parts, sizeBytes);
}

function decompressed(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  switch (encoding) {
    case 'identity':
      return request;
    case 'gzip':
      return request.pipe(createGunzip());
    case 'deflate':
      return request.pipe(createInflate());
    case 'br':
      return request.pipe(createBrotliDecompress());
    case 'zstd':
      return request.pipe(createZstdDecompress());
    default:
      throw new RefusedRequest('UNKNOWN_COMPRESSION_METHOD', `Unknown Content-Encoding ${encoding.slice(0, 40)}`);
  }
}
