import { createHeldBytes } from './held-bytes.ts';
import type { FileRecord } from './split-records.ts';

const LINE_FEED = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

const isBlank = (byte: number): boolean => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);

/** Whether a text begins with `[`; `undefined`: it has no byte yet that tells. */
export function beginsWithArray(bytes: Uint8Array): boolean | undefined {
  const from = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte) ? BYTE_ORDER_MARK.length : 0;
  const first = bytes.subarray(from).find((byte) => !isBlank(byte));
  return first === undefined ? undefined : first === OPEN_LIST;
}

/**
 * Splits JSON into the items of its arrays, in arrays of those that end in one chunk. `line` is the number of the item,
 * whatever line it stands in. After an array, further arrays and objects may follow. Holds one item and one chunk.
 * Brackets and quotes decide where an item ends; its reader finds what is no JSON.
 * @param maxBytes a longer item is a fault, and its bytes are dropped
 */
export async function* splitJson(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<FileRecord[]> {
  let line = 0;
  const held = createHeldBytes(maxBytes);
  const scanner = createItemScanner();

  function finish(fault?: string): FileRecord {
    line += 1;
    const why = fault ?? (held.isTooLong ? `is longer than ${maxBytes} bytes` : undefined);
    const bytes = held.take();
    return why === undefined ? { line, bytes } : { line, bytes, fault: why };
  }

  let isFirst = true;
  for await (const data of chunks) {
    const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const records: FileRecord[] = [];
    let from = 0;
    let at = isFirst && BYTE_ORDER_MARK.every((byte, place) => chunk[place] === byte) ? BYTE_ORDER_MARK.length : 0;
    isFirst = false;
    for (; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (!scanner.isInItem) {
        from = at;
        scanner.begin(byte);
        continue;
      }
      const end = scanner.take(byte);
      if (end === undefined) continue;
      held.hold(chunk.subarray(from, end === 'with' ? at + 1 : at));
      records.push(finish());
      if (end === 'before') scanner.begin(byte);
    }
    // A copy, so that the whole chunk need not be kept.
    if (scanner.isInItem) held.hold(Buffer.from(chunk.subarray(from)));
    if (records.length > 0) yield records;
  }
  if (scanner.isInItem) yield [finish(scanner.isClosedByText ? undefined : 'is cut off: the file ends in it')];
  else if (scanner.isInArray) yield [finish('is missing: the file ends before its array does')];
}

/** Where the bytes of a text are: between items, or in one. */
function createItemScanner() {
  let isInArray = false;
  let isInItem = false;
  let isBracketed = false;
  let isInString = false;
  let isEscaped = false;
  let depth = 0;

  /** Takes a byte of an item that has begun. @returns whether the item ends: `with` this byte or `before` it */
  function endAt(byte: number): 'with' | 'before' | undefined {
    if (isInString) {
      // No string has a line break: a quote that is missing costs one item, not all that follow.
      if (byte === LINE_FEED) return 'before';
      if (isEscaped) isEscaped = false;
      else if (byte === BACKSLASH) isEscaped = true;
      else if (byte === QUOTE) isInString = false;
      return undefined;
    }
    if (byte === QUOTE) isInString = true;
    else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
    else if (depth > 0 && (byte === CLOSE_OBJECT || byte === CLOSE_LIST)) depth -= 1;
    else if (depth === 0 && (byte === COMMA || byte === CLOSE_LIST || (byte === LINE_FEED && !isInArray)))
      return 'before';
    return isBracketed && depth === 0 && byte !== QUOTE ? 'with' : undefined;
  }

  return {
    get isInArray() {
      return isInArray;
    },
    get isInItem() {
      return isInItem;
    },
    /** Whether the end of the text may be the end of the item. */
    get isClosedByText() {
      return !isBracketed && !isInArray;
    },
    take(byte: number): 'with' | 'before' | undefined {
      const end = endAt(byte);
      if (end !== undefined) isInItem = false;
      return end;
    },
    /** Takes a byte between items. */
    begin(byte: number): void {
      if (isBlank(byte) || byte === COMMA) return;
      if (byte === OPEN_LIST && !isInArray) isInArray = true;
      else if (byte === CLOSE_LIST && isInArray) isInArray = false;
      else {
        isInItem = true;
        isBracketed = byte === OPEN_OBJECT || byte === OPEN_LIST;
        isInString = false;
        isEscaped = false;
        depth = 0;
        endAt(byte);
      }
    },
  };
}
