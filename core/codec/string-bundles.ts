/*
 * The bundles of strings that msgpackr writes, as far as they must be corrected.
 *
 * msgpackr collects short strings in bundles. Each bundle but the last is in the message as an extension with a length
 * of 16 bits: `c8`, length, `62`, the distance to its predecessor's strings, strings. Its bound of 21,760 characters
 * leaves out the first string, so 4,000 characters of three bytes more make a bundle of 77 kB, whose length is cut to
 * 16 bits. Such a message cannot be decoded: 12 events with 2,000 Chinese characters each made one.
 * `withWholeBundles` writes these extensions with a length of 32 bits (`c9`), which every version reads.
 */

/** A message up to this size has no bundle that is too long. */
const MOST_NARROW_BYTES = 0xffff;

/**
 * A MessagePack message of msgpackr with the right lengths of its bundles: `body` itself if they are right.
 * @returns `undefined` if this is not the form that msgpackr writes
 */
export function withWholeBundles(body: Uint8Array): Uint8Array | undefined {
  if (body.length <= MOST_NARROW_BYTES) return body;
  const cut = cutBundles(body);
  if (cut === undefined || cut.length === 0) return cut && body;
  return widened(body, cut);
}

/** A bundle whose length is cut. Positions are those of its reference and of the one before: a distance in 32 bits. */
interface CutBundle {
  reference: number;
  before: number;
  sizeBytes: number;
}

const EXT_8 = 0xd6;
const EXT_16 = 0xc8;
const EXT_32 = 0xc9;
const BUNDLE = 0x62;
const FIRST = Buffer.from([EXT_8, BUNDLE]);
const REFERENCE_BYTES = 4;

/** Follows the references from bundle to bundle, to the last one, which ends the message. */
function cutBundles(body: Uint8Array): CutBundle[] | undefined {
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const first = Buffer.from(body.buffer, body.byteOffset, body.byteLength).indexOf(FIRST);
  // No string is short.
  if (first < 0) return [];
  const cut: CutBundle[] = [];
  for (let reference = first + FIRST.length; reference + REFERENCE_BYTES <= body.length;) {
    const strings = reference + view.getUint32(reference);
    if (strings < reference + REFERENCE_BYTES || strings >= body.length) return undefined;
    const end = endOfText(view, endOfText(view, strings));
    if (end < 0) return undefined;
    if (end === body.length) return cut;
    const next = strings - REFERENCE_BYTES;
    const sizeBytes = end - next;
    if (body[next - 1] !== BUNDLE) return undefined;
    if (body[next - 4] === EXT_16 && view.getUint16(next - 3) === (sizeBytes & 0xffff)) {
      if (sizeBytes > 0xffff) cut.push({ reference: next, before: reference, sizeBytes });
    } else if (body[next - 6] !== EXT_32 || view.getUint32(next - 5) !== sizeBytes) return undefined;
    reference = next;
  }
  return undefined;
}

/** The end of the string at a position; -1: there is none. */
function endOfText(view: DataView, at: number): number {
  if (at < 0 || at + 5 > view.byteLength) return at >= 0 && at < view.byteLength ? endOfShort(view, at) : -1;
  switch (view.getUint8(at)) {
    case 0xda:
      return within(view, at + 3 + view.getUint16(at + 1));
    case 0xdb:
      return within(view, at + 5 + view.getUint32(at + 1));
    default:
      return endOfShort(view, at);
  }
}

function endOfShort(view: DataView, at: number): number {
  const code = view.getUint8(at);
  if (code >= 0xa0 && code <= 0xbf) return within(view, at + 1 + (code & 31));
  return code === 0xd9 && at + 1 < view.byteLength ? within(view, at + 2 + view.getUint8(at + 1)) : -1;
}

const within = (view: DataView, end: number): number => (end <= view.byteLength ? end : -1);

/** The bytes that a length of 32 bits takes more. */
const WIDER_BYTES = 2;

/** The cut bundles come in the order of their places. */
function widened(body: Uint8Array, cut: readonly CutBundle[]): Uint8Array {
  const whole = new Uint8Array(body.length + cut.length * WIDER_BYTES);
  const view = new DataView(whole.buffer);
  let from = 0;
  for (const [place, { reference, before, sizeBytes }] of cut.entries()) {
    const header = reference - 4;
    const at = header + place * WIDER_BYTES;
    whole.set(body.subarray(from, header), from + place * WIDER_BYTES);
    whole[at] = EXT_32;
    view.setUint32(at + 1, sizeBytes);
    whole[at + 5] = BUNDLE;
    // The strings of the bundle before moved by the wider length, which stands between it and them.
    const moved = before + place * WIDER_BYTES;
    view.setUint32(moved, view.getUint32(moved) + WIDER_BYTES);
    from = reference;
  }
  whole.set(body.subarray(from), from + cut.length * WIDER_BYTES);
  return whole;
}
