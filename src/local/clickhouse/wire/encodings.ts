import { Transform } from 'node:stream';
import { createBrotliCompress, createDeflate, createGzip, createZstdCompress, constants } from 'node:zlib';
import { compressedBlocks } from './compressed-blocks.ts';
import { compressBlock } from './lz4-block.ts';

/** `blocks` is ClickHouse's own compression (`compress=1`); the others are encodings of HTTP. */
export type Compression = 'none' | 'blocks' | Encoding;
/** In order of preference: those that run outside this thread first. */
const ENCODINGS = ['zstd', 'gzip', 'br', 'deflate', 'lz4'] as const;
type Encoding = (typeof ENCODINGS)[number];

/** The encoding for a client that accepts these; `none` if it accepts none that is known. */
export function chosenEncoding(accepted: string): 'none' | Encoding {
  const names = new Set<string>();
  for (const part of accepted.toLowerCase().split(',')) {
    const [name = '', quality = ''] = part.split(';');
    if (Number(quality.trim().replace('q=', '') || 1) > 0) names.add(name.trim());
  }
  return ENCODINGS.find((name) => names.has(name)) ?? 'none';
}

/** Compresses a response; undefined for none. */
export function compressor(compression: Compression): Transform | undefined {
  switch (compression) {
    case 'none':
      return undefined;
    case 'blocks':
      return inPieces((chunk) => compressedBlocks(chunk));
    case 'zstd':
      return createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
    case 'gzip':
      return createGzip({ level: 1 });
    case 'br':
      return createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
    case 'deflate':
      return createDeflate({ level: 1 });
    case 'lz4':
      return inPieces(lz4FrameBlocks, LZ4_FRAME, Buffer.alloc(4));
  }
}

/**
 * A frame of LZ4: version 1, independent blocks of at most 64 KiB, no checksums of the content; the last byte is the
 * checksum of the two before it.
 */
const LZ4_FRAME = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82]);
const LZ4_BLOCK_BYTES = 64 * 1024;
const UNCOMPRESSED = 0x8000_0000;

function* lz4FrameBlocks(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += LZ4_BLOCK_BYTES) {
    const piece = data.subarray(at, at + LZ4_BLOCK_BYTES);
    const packed = compressBlock(piece);
    const head = Buffer.alloc(4);
    const isSmaller = packed.length < piece.length;
    head.writeUInt32LE(isSmaller ? packed.length : piece.length + UNCOMPRESSED);
    yield Buffer.concat([head, isSmaller ? packed : piece]);
  }
}

/** A transform whose work on a chunk is in turns with other events of this thread. */
function inPieces(pieces: (chunk: Buffer) => Generator<Buffer>, before?: Buffer, after?: Buffer): Transform {
  let isFirst = true;
  const begin = (stream: Transform): void => {
    if (isFirst && before !== undefined) stream.push(before);
    isFirst = false;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      begin(this);
      const rest = pieces(chunk);
      const step = (): void => {
        const next = rest.next();
        if (next.done === true || this.destroyed) {
          done();
          return;
        }
        this.push(next.value);
        setImmediate(step);
      };
      step();
    },
    flush(done) {
      begin(this);
      done(null, after);
    },
  });
}
