import { gunzipSync } from 'node:zlib';
import { LIMITS } from '../kernel/limits.ts';

/** What came of a compressed body. */
export type Inflated = { kind: 'whole'; bytes: Buffer } | { kind: 'too_large' } | { kind: 'broken' };

/**
 * Inflates a gzip body (RFC 1952). It stops at `LIMITS.bodyBytes`, so a small body that inflates to gigabytes costs no more than
 * others. It runs on the main thread: bodies take 0.02 to 3 ms, and the worst mebibyte found (blocks that are nearly all
 * Huffman tables) 10 ms, while the thread pool would be shared with the look-ups and files of everybody.
 */
export function inflateBody(compressed: Buffer): Inflated {
  try {
    return { kind: 'whole', bytes: gunzipSync(compressed, { maxOutputLength: LIMITS.bodyBytes }) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ERR_BUFFER_TOO_LARGE') return { kind: 'too_large' };
    if (typeof code === 'string' && code.startsWith('Z_')) return { kind: 'broken' };
    throw error;
  }
}
