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

/** Formats 16 bytes as a UUID of the given version. Overwrites the version and variant bits. */
function formatUuid(bytes: Uint8Array, version: 4 | 5 | 7): string {
  const copy = Buffer.from(bytes);
  copy[6] = ((copy[6] ?? 0) & 0x0f) | (version << 4);
  copy[8] = ((copy[8] ?? 0) & 0x3f) | 0x80;
  const hex = copy.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`;
}

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);
let poolOffset = 0;

/** Takes random bytes from a pool: one system call per 4 KiB instead of one per id. */
function pooledBytes(sizeBytes: number): Buffer {
  if (poolOffset + sizeBytes > pool.length) {
    pool = randomBytes(Math.max(POOL_BYTES, sizeBytes));
    poolOffset = 0;
  }
  poolOffset += sizeBytes;
  return pool.subarray(poolOffset - sizeBytes, poolOffset);
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

/** Ids from the operating system's random bytes. */
export const systemIds: Ids = {
  uuidv7(nowMs) {
    const bytes = Buffer.from(pooledBytes(16));
    bytes.writeUIntBE(nowMs, 0, 6);
    bytes.writeUInt16BE(nextCounter(nowMs, bytes.readUInt16BE(6)), 6);
    return formatUuid(bytes, 7);
  },
  uuidv4: () => randomUUID(),
  bytes: (sizeBytes) => Uint8Array.from(pooledBytes(sizeBytes)),
  random: () => Math.random(),
};
