/**
 * Reads single values of a MessagePack array without decoding the others, as msgpackr writes it with bundled strings:
 * ASCII texts of 4 to 4,095 characters stand together behind the array, and `0xc1 <length>` stands in their place.
 *
 * Invariant: after a token that is not read here (records, a second bundle, extensions, the end of the bytes), `failed`
 * is true and what was read means nothing. The caller then decodes the whole value.
 */
export interface Cursor {
  readonly bytes: Buffer;
  /** The next token. */
  at: number;
  /** The next character of the bundle; 0: no bundle yet. */
  textAt: number;
  failed: boolean;
}

const NIL = 0xc0;
const FALSE = 0xc2;
const TRUE = 0xc3;
const BUNDLED = 0xc1;
const FIXEXT_1 = 0xd4;
const FIXEXT_4 = 0xd6;
/** The types of msgpackr's extensions for a bundle of strings and for the definition of a record. */
const BUNDLE = 0x62;
const RECORD = 0x72;

export function openCursor(bytes: Uint8Array, at: number): Cursor {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return { bytes: buffer, at, textAt: 0, failed: false };
}

/** The number of values of the array that begins here. */
export function readArray(cursor: Cursor): number {
  const token = nextToken(cursor);
  if (token >= 0x90 && token <= 0x9f) return token - 0x90;
  if (token === 0xdc) return readUint(cursor, 2);
  if (token === 0xdd) return readUint(cursor, 4);
  return fail(cursor);
}

export function readNumber(cursor: Cursor): number {
  return numberOf(cursor, nextToken(cursor));
}

export function readBoolean(cursor: Cursor): boolean {
  const token = nextToken(cursor);
  if (token !== TRUE && token !== FALSE) fail(cursor);
  return token === TRUE;
}

export function readText(cursor: Cursor): string {
  const token = nextToken(cursor);
  if (token === BUNDLED) {
    const begin = cursor.textAt;
    skipBundled(cursor);
    // A text with other characters is in the bundle's other part.
    if (cursor.textAt === begin) fail(cursor);
    return cursor.failed ? '' : cursor.bytes.toString('latin1', begin, cursor.textAt);
  }
  const length = textLength(cursor, token);
  const begin = cursor.at;
  cursor.at += length;
  return cursor.failed ? '' : cursor.bytes.toString('utf8', begin, cursor.at);
}

export function skip(cursor: Cursor, values: number): void {
  const { bytes } = cursor;
  for (let left = values; left > 0 && !cursor.failed; left--) {
    const token = bytes[cursor.at] ?? 0;
    // Most values are small numbers, doubles and bundled texts.
    if (token < 0x40) cursor.at += 1;
    else if (token === 0xcb) cursor.at += 9;
    else if (token === BUNDLED) {
      cursor.at += 1;
      skipBundled(cursor);
    } else left += skipOther(cursor, nextToken(cursor));
  }
  if (cursor.at > bytes.length) fail(cursor);
}

/** Returns the number of values inside. */
function skipOther(cursor: Cursor, token: number): number {
  if (token >= 0x90 && token <= 0x9f) return token - 0x90;
  if (token === 0xdc) return readUint(cursor, 2);
  if (token === 0xdd) return readUint(cursor, 4);
  if (token === NIL || token === FALSE || token === TRUE) return 0;
  if (token === BUNDLED) skipBundled(cursor);
  else if ((token >= 0xa0 && token <= 0xbf) || (token >= 0xd9 && token <= 0xdb)) {
    const length = textLength(cursor, token);
    cursor.at += length;
  } else if (token === FIXEXT_1 && cursor.bytes[cursor.at] !== RECORD) cursor.at += 2;
  else numberOf(cursor, token);
  return 0;
}

function nextToken(cursor: Cursor): number {
  const { bytes, at } = cursor;
  if (bytes[at] === FIXEXT_4 && bytes[at + 1] === BUNDLE) openBundle(cursor, at + 2);
  return bytes[cursor.at++] ?? fail(cursor);
}

/** A bundle's offset stands before the first text. The bundle has two texts: other characters, then ASCII. */
function openBundle(cursor: Cursor, at: number): void {
  if (cursor.textAt > 0) fail(cursor);
  cursor.at = at;
  const offset = readUint(cursor, 4);
  cursor.at = at + offset;
  const others = textLength(cursor, cursor.bytes[cursor.at++] ?? 0);
  cursor.at += others;
  const ascii = textLength(cursor, cursor.bytes[cursor.at++] ?? 0);
  cursor.textAt = cursor.at;
  if (cursor.textAt + ascii > cursor.bytes.length) fail(cursor);
  cursor.at = at + 4;
}

/** The length is negative for a text with other characters. */
function skipBundled(cursor: Cursor): void {
  const length = readNumber(cursor);
  if (cursor.textAt === 0) fail(cursor);
  else if (length > 0) cursor.textAt += length;
}

/** The bytes of a text behind its token and length. */
function textLength(cursor: Cursor, token: number): number {
  if (token >= 0xa0 && token <= 0xbf) return token - 0xa0;
  if (token === 0xd9) return readUint(cursor, 1);
  if (token === 0xda) return readUint(cursor, 2);
  if (token === 0xdb) return readUint(cursor, 4);
  return fail(cursor);
}

function numberOf(cursor: Cursor, token: number): number {
  // From 0x40 on msgpackr writes records.
  if (token < 0x40) return token;
  if (token >= 0xe0) return token - 0x100;
  const { bytes, at } = cursor;
  switch (token) {
    case 0xcc:
      return readUint(cursor, 1);
    case 0xcd:
      return readUint(cursor, 2);
    case 0xce:
      return readUint(cursor, 4);
    case 0xd0:
      return (readUint(cursor, 1) << 24) >> 24;
    case 0xd1:
      return (readUint(cursor, 2) << 16) >> 16;
    case 0xd2:
      return readUint(cursor, 4) | 0;
    case 0xcb:
      if (at + 8 > bytes.length) return fail(cursor);
      cursor.at = at + 8;
      return bytes.readDoubleBE(at);
    default:
      return fail(cursor);
  }
}

function readUint(cursor: Cursor, size: 1 | 2 | 4): number {
  const { bytes, at } = cursor;
  cursor.at = at + size;
  if (cursor.at > bytes.length) return fail(cursor);
  if (size === 1) return bytes[at] ?? 0;
  return size === 2 ? bytes.readUInt16BE(at) : bytes.readUInt32BE(at);
}

function fail(cursor: Cursor): 0 {
  cursor.failed = true;
  return 0;
}
