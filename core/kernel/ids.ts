import { createHash, randomBytes, randomUUID } from 'node:crypto';

/** The service's source of ids and randomness. The simulation replaces it with a seeded one. */
export interface Ids {
  /** A UUIDv7 (RFC 9562): ordered by `nowMs`, then by the order of calls (about 2,000 in one millisecond). */
  uuidv7(nowMs: number): string;
  /** A UUIDv4. */
  uuidv4(): string;
  /** `sizeBytes` random bytes. */
  bytes(sizeBytes: number): Uint8Array;
  /** A number in [0, 1). */
  random(): number;
}

/**
 * A UUIDv5 (RFC 9562, section 5.5): SHA-1 over the namespace's 16 bytes and the name's UTF-8 bytes.
 * @param namespace a UUID in its text form
 */
export function uuidv5(namespace: string, name: string): string {
  const digest = createHash('sha1')
    .update(Buffer.from(namespace.replaceAll('-', ''), 'hex'))
    .update(name, 'utf8')
    .digest();
  return formatUuid(digest.subarray(0, 16), 5);
}

const HEX = Buffer.from('0123456789abcdef', 'latin1');
/** The text that is being written; reused, since every event gets an id. */
const text = Buffer.alloc(36, '-', 'latin1');

/** Formats 16 bytes as a UUID of the given version. Replaces the version and variant bits. */
function formatUuid(bytes: Uint8Array, version: 4 | 5 | 7): string {
  let at = 0;
  for (let index = 0; index < 16; index++) {
    let byte = bytes[index] ?? 0;
    if (index === 6) byte = (byte & 0x0f) | (version << 4);
    if (index === 8) byte = (byte & 0x3f) | 0x80;
    text[at] = HEX[byte >> 4] ?? 0;
    text[at + 1] = HEX[byte & 0x0f] ?? 0;
    // Dashes stand before bytes 4, 6, 8 and 10.
    at += index === 3 || index === 5 || index === 7 || index === 9 ? 3 : 2;
  }
  return text.toString('latin1');
}

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let poolOffset = 0;

/**
 * Takes random bytes from a pool: one system call per 4 KiB instead of one per id.
 * @returns the position of the first in `pool`
 */
function takePooled(sizeBytes: number): number {
  if (poolOffset + sizeBytes > pool.length) {
    pool = randomBytes(Math.max(POOL_BYTES, sizeBytes));
    poolOffset = 0;
  }
  poolOffset += sizeBytes;
  return poolOffset - sizeBytes;
}

const COUNTER_LIMIT = 0x1000;
let counterMs = -1;
let counter = 0;

/**
 * The 12 bits after the time: a counter (RFC 9562, section 6.2, method 1), seeded at random in the lower half for the
 * first id of a millisecond. When it overflows it is seeded again: such ids stay distinct but lose their order.
 */
function nextCounter(nowMs: number, seed: number): number {
  counter = nowMs === counterMs && counter + 1 < COUNTER_LIMIT ? counter + 1 : seed & 0x7ff;
  counterMs = nowMs;
  return counter;
}

/** The bytes of the id that is being made; reused. */
const id = Buffer.alloc(16);

/** Ids from the operating system's random bytes. */
export const systemIds: Ids = {
  uuidv7(nowMs) {
    const first = takePooled(10);
    id.writeUIntBE(nowMs, 0, 6);
    id.writeUInt16BE(nextCounter(nowMs, pool.readUInt16BE(first)), 6);
    for (let index = 8; index < 16; index++) id[index] = pool[first + index - 6] ?? 0;
    return formatUuid(id, 7);
  },
  uuidv4: () => randomUUID(),
  bytes(sizeBytes) {
    const first = takePooled(sizeBytes);
    return Uint8Array.from(pool.subarray(first, first + sizeBytes));
  },
  random: () => Math.random(),
};
