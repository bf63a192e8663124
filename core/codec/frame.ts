import { Packr, RESET_BUFFER_MODE, Unpackr } from 'msgpackr';
import { UnknownVersionError } from './unknown-version.ts';

/**
 * The frame of all that is written: the version, the number of values (16 bits), the lengths of all values but the last
 * (32 bits each), and the values in MessagePack.
 *
 * Invariants
 * 1. Each value decodes alone, and the values before it need not be decoded.
 * 2. A value of more than `BUNDLED_BYTES` has no bundled strings: msgpackr stores the length of a bundle in 16 bits,
 *    and cuts that of a longer one.
 * 3. A frame that ends early, or goes on behind its last value, is an error.
 */
const VERSION = 1;
const HEADER_BYTES = 3;
const LENGTH_BYTES = 4;
const BUNDLED_BYTES = 0xffff;
/** Items of a list in one value: few enough that most values have bundled strings, so many that values cost little. */
const ITEMS = 128;

// Bundled strings: reading costs a third, writing two thirds of the time without.
const OPTIONS = { useRecords: true, bundleStrings: true, moreTypes: false } as const;
const packr = new Packr({ ...OPTIONS, encodeUndefinedAsNil: false });
const plainPackr = new Packr({ ...OPTIONS, bundleStrings: false, encodeUndefinedAsNil: false });
const unpackr = new Unpackr(OPTIONS);

/** Where a frame is put together; one that is larger gets memory of its own, which is not kept. */
const SCRATCH_BYTES = 0x4_0000;
const scratch = Buffer.allocUnsafeSlow(SCRATCH_BYTES);

/** @param encoded values that follow, from `encodeValue` */
export function encodeFrame(values: readonly unknown[], encoded: readonly Uint8Array[] = []): Uint8Array {
  const count = values.length + encoded.length;
  const last = count - 1;
  let frame: Buffer = scratch;
  let at = HEADER_BYTES + LENGTH_BYTES * last;
  for (let place = 0; place <= last; place++) {
    const body = encoded[place - values.length] ?? packed(values[place]);
    if (at + body.length > frame.length) frame = grown(frame, at, body.length);
    if (place < last) frame.writeUInt32BE(body.length, HEADER_BYTES + LENGTH_BYTES * place);
    frame.set(body, at);
    at += body.length;
  }
  frame[0] = VERSION;
  frame.writeUInt16BE(count, 1);
  const bytes = Buffer.allocUnsafe(at);
  frame.copy(bytes, 0, 0, at);
  return bytes;
}

/** A value of a frame that is put together later. */
export const encodeValue = (value: unknown): Uint8Array => Buffer.from(packed(value));

function grown(frame: Buffer, used: number, more: number): Buffer {
  const larger = Buffer.allocUnsafeSlow(2 * (used + more));
  frame.copy(larger, 0, 0, used);
  return larger;
}

/** @returns bytes that the next call overwrites: fresh memory for large values took longer than writing them */
function packed(value: unknown): Uint8Array {
  const body = packr.pack(value, RESET_BUFFER_MODE);
  return body.length <= BUNDLED_BYTES ? body : plainPackr.pack(value);
}

/**
 * The value at a place. Trusts our own encoders: the gateway validates input, and only this service writes the log. `T`
 * states that trust.
 * @throws UnknownVersionError if another version wrote the frame
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it names the type that the caller encoded
export function decodeValue<T>(bytes: Uint8Array, place: number): T {
  const last = countIn(bytes) - 1;
  if (place > last) throw new RangeError(`a frame of ${last + 1} values has no value ${place}`);
  let start = HEADER_BYTES + LENGTH_BYTES * last;
  for (let before = 0; before < place; before++) start += lengthAt(bytes, before);
  return unpacked(bytes, start, place === last ? bytes.length : start + lengthAt(bytes, place));
}

/** The values from a place on; as `decodeValue`. */
export function decodeValues<T>(bytes: Uint8Array, from = 0): T[] {
  const last = countIn(bytes) - 1;
  const values: T[] = [];
  let start = HEADER_BYTES + LENGTH_BYTES * last;
  for (let place = 0; place <= last; place++) {
    const end = place === last ? bytes.length : start + lengthAt(bytes, place);
    if (place >= from) values.push(unpacked<T>(bytes, start, end));
    start = end;
  }
  return values;
}

function countIn(bytes: Uint8Array): number {
  if (bytes[0] !== VERSION)
    throw new UnknownVersionError(`a record has version ${bytes[0]}; this program reads version ${VERSION}`);
  const count = uint16(bytes, 1);
  if (count === 0) throw new RangeError('a frame has no value');
  return count;
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in `decodeValue`
function unpacked<T>(bytes: Uint8Array, start: number, end: number): T {
  if (end > bytes.length) throw new RangeError(`a frame ends after ${bytes.length} bytes of at least ${end}`);
  const value: T = unpackr.unpack(bytes.subarray(start, end));
  return value;
}

const lengthAt = (bytes: Uint8Array, place: number): number => {
  const at = HEADER_BYTES + LENGTH_BYTES * place;
  return uint16(bytes, at) * 0x1_0000 + uint16(bytes, at + 2);
};
const uint16 = (bytes: Uint8Array, at: number): number => (bytes[at] ?? 0) * 0x100 + (bytes[at + 1] ?? 0);

/** Lists of at most `ITEMS`, at least one list. */
export function inParts<T>(items: readonly T[]): [readonly T[], ...(readonly T[])[]] {
  if (items.length <= ITEMS) return [items];
  const parts: [readonly T[], ...(readonly T[])[]] = [items.slice(0, ITEMS)];
  for (let from = ITEMS; from < items.length; from += ITEMS) parts.push(items.slice(from, from + ITEMS));
  return parts;
}

export const encodeList = (items: readonly unknown[]): Uint8Array => encodeFrame(inParts(items));

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as in `decodeValue`
export function decodeList<W, T>(bytes: Uint8Array, fromWire: (wire: W) => T): T[] {
  const items: T[] = [];
  for (const part of decodeValues<readonly W[]>(bytes)) for (const wire of part) items.push(fromWire(wire));
  return items;
}
