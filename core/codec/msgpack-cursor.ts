/**
 * Reads single values of a MessagePack array without decoding the others, as msgpackr writes it with bundled strings:
 * ASCII texts of 4 to 4,095 characters stand together behind the array, and `0xc1 <length>` stands in their place.
 *
 * Invariant: after a token that is not read here (a second bundle, extensions, the end of the bytes), `failed`
 * is true and what was read means nothing. The caller then decodes the whole value.
 */
export interface Cursor {
  readonly bytes: Buffer;
  /** The next token. */
  at: number;
  /** The next character of the bundle; 0: no bundle yet. */
  textAt: number;
  /** The bundle's texts with other characters: their bytes, the characters once one was read, and the next one. */
  otherBytes: { from: number; to: number };
  others: string | undefined;
  otherAt: number;
  /** The number of fields of each record so far, by id. */
  records: Map<number, number> | undefined;
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
/** Ids of records, which are tokens; later ones have two bytes. */
const FIRST_RECORD = 0x40;
const LAST_RECORD = 0x5f;

export function openCursor(bytes: Uint8Array, at: number): Cursor {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    bytes: buffer,
    at,
    textAt: 0,
    otherBytes: { from: 0, to: 0 },
    others: undefined,
    otherAt: 0,
    records: undefined,
    failed: false,
  };
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
    const { textAt, otherAt } = cursor;
    skipBundled(cursor);
    if (cursor.failed) return '';
    if (cursor.textAt > textAt) return cursor.bytes.toString('latin1', textAt, cursor.textAt);
    const { from, to } = cursor.otherBytes;
    cursor.others ??= cursor.bytes.toString('utf8', from, to);
    return cursor.others.slice(otherAt, cursor.otherAt);
  }
  const length = textLength(cursor, token);
  const begin = cursor.at;
  cursor.at += length;
  return cursor.failed ? '' : cursor.bytes.toString('utf8', begin, cursor.at);
}

/** Whether null begins here, which is then read. */
export function readNull(cursor: Cursor): boolean {
  const token = nextToken(cursor);
  if (token !== NIL) cursor.at -= 1;
  return token === NIL;
}

/** A number, text or boolean. */
export function readScalar(cursor: Cursor): number | string | boolean {
  const token = nextToken(cursor);
  if (token === FALSE || token === TRUE) return token === TRUE;
  cursor.at -= 1;
  const isText = token === BUNDLED || (token >= 0xa0 && token <= 0xbf) || (token >= 0xd9 && token <= 0xdb);
  return isText ? readText(cursor) : readNumber(cursor);
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
  } else if (token >= 0xc4 && token <= 0xc6) {
    const length = readUint(cursor, token === 0xc4 ? 1 : token === 0xc5 ? 2 : 4);
    cursor.at += length;
  } else if (token === FIXEXT_1) {
    if (cursor.bytes[cursor.at] === RECORD) return skipDefinition(cursor);
    cursor.at += 2;
  } else if (token >= FIRST_RECORD && token <= LAST_RECORD) return cursor.records?.get(token) ?? fail(cursor);
  else numberOf(cursor, token);
  return 0;
}

/** A record's first occurrence names its fields. Returns their number; the values follow. */
function skipDefinition(cursor: Cursor): number {
  const id = cursor.bytes[cursor.at + 1] ?? 0;
  cursor.at += 2;
  if (id < FIRST_RECORD || id > LAST_RECORD) return fail(cursor);
  const fields = readArray(cursor);
  cursor.records ??= new Map();
  cursor.records.set(id, fields);
  skip(cursor, fields);
  return fields;
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
  cursor.otherBytes = { from: cursor.at, to: cursor.at + others };
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
  else cursor.otherAt -= length;
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
