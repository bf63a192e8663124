import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { RefusedRequest } from '../../../clickhouse-schema/queries/statements/exceptions.ts';

/**
 * Reads and decompresses a request's body. Throws `RefusedRequest` if it has more than `maxBytes` after decompression.
 * The rest then stays unread, and the response closes the connection.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  try {
    for await (const part of decompressed(request).iterator({ destroyOnReturn: false })) {
      const bytes: Uint8Array = part;
      sizeBytes += bytes.length;
      if (sizeBytes > maxBytes) {
        throw new RefusedRequest('TOO_LARGE_STRING_SIZE', `The body is over ${maxBytes} bytes`);
      }
      parts.push(bytes);
    }
  } catch (error) {
    if (error instanceof RefusedRequest) throw error;
    throw new RefusedRequest('BAD_ARGUMENTS', `The body could not be read: ${String(error)}`);
  }
  return Buffer.concat(parts, sizeBytes);
}

function decompressed(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  switch (encoding) {
    case 'identity':
      return request;
    case 'gzip':
      return through(request, createGunzip());
    case 'deflate':
      return through(request, createInflate());
    case 'br':
      return through(request, createBrotliDecompress());
    case 'zstd':
      return through(request, createZstdDecompress());
    default:
      throw new RefusedRequest('UNKNOWN_COMPRESSION_METHOD', `Unknown Content-Encoding ${encoding.slice(0, 40)}`);
  }
}

/** Unlike pipe(), this fails the decompression if the client disconnects. */
function through(request: IncomingMessage, decompress: Transform): Transform {
  pipeline(request, decompress, () => {});
  return decompress;
}
