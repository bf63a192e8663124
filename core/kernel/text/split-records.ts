import { withoutMark } from './byte-order-mark.ts';

/** One record of a file: its bytes without the line break, or why it cannot be read. */
export interface FileRecord {
  /** The number of its first line, from 1. */
  line: number;
  bytes: Buffer;
  fault?: string;
}

export interface SplitOptions {
  /** Whether a line break between double quotes belongs to the record, as in CSV. */
  quoted: boolean;
  /** A longer record is a fault. Its bytes are dropped. */
  maxBytes: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

/**
 * Splits a file into records, in arrays of those that end in one chunk. Empty lines are left out. Holds one record and
 * one chunk. Bytes are cut at line feeds only, so no character is cut.
 */
export async function* splitRecords(
  chunks: AsyncIterable<Uint8Array>,
  { quoted, maxBytes }: SplitOptions,
): AsyncGenerator<FileRecord[]> {
  let line = 1;
  let firstLine = 1;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let isOpen = false;
  let isTooLong = false;

  function hold(piece: Buffer): void {
    if (isTooLong || piece.length === 0) return;
    heldBytes += piece.length;
    if (heldBytes > maxBytes) {
      isTooLong = true;
      held = [];
      // An unclosed quote must not make one record of the rest of the file.
      isOpen = false;
    } else held.push(piece);
  }

  function finish(): FileRecord | undefined {
    const joined = held.length === 1 ? (held[0] ?? EMPTY) : Buffer.concat(held);
    const record = recordOf(firstLine, firstLine === 1 ? withoutMark(joined) : joined);
    const isFaulty = isTooLong;
    held = [];
    heldBytes = 0;
    isTooLong = false;
    if (isFaulty) return { ...record, bytes: EMPTY, fault: `is longer than ${maxBytes} bytes` };
    return record.bytes.length === 0 ? undefined : record;
  }

  /** Whether a record begins here. The first one may begin with a mark. */
  const isFresh = (): boolean => heldBytes === 0 && !isOpen && !isTooLong;

  /** Passes over empty lines, which would each take a search and a record. @returns where the next line begins */
  function skipEmpty(chunk: Buffer, begin: number): number {
    let at = begin;
    for (;;) {
      if (chunk[at] === LINE_FEED) at += 1;
      else if (chunk[at] === CARRIAGE_RETURN && chunk[at + 1] === LINE_FEED) at += 2;
      else break;
      line += 1;
    }
    firstLine = line;
    return at;
  }

  for await (const data of chunks) {
    const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const records: FileRecord[] = [];
    const oddQuotes = quoted ? quotesOf(chunk) : NO_QUOTES;
    let from = 0;
    for (;;) {
      if (isFresh()) from = skipEmpty(chunk, from);
      const to = chunk.indexOf(LINE_FEED, from);
      if (to < 0) break;
      if (oddQuotes(to) && !isTooLong) isOpen = !isOpen;
      line += 1;
      if (isOpen) hold(chunk.subarray(from, to + 1));
      else {
        hold(chunk.subarray(from, to));
        const record = finish();
        if (record !== undefined) records.push(record);
        firstLine = line;
      }
      from = to + 1;
    }
    if (oddQuotes(chunk.length) && !isTooLong) isOpen = !isOpen;
    // A copy, so that the whole chunk need not be kept.
    hold(Buffer.from(chunk.subarray(from)));
    if (records.length > 0) yield records;
  }
  const wasOpen = isOpen;
  const last = finish();
  if (last === undefined) return;
  yield [wasOpen ? { ...last, fault: 'ends inside of a quoted field' } : last];
}

const EMPTY = Buffer.alloc(0);

function recordOf(line: number, bytes: Buffer): FileRecord {
  return { line, bytes: bytes.at(-1) === CARRIAGE_RETURN ? bytes.subarray(0, -1) : bytes };
}

const NO_QUOTES = (): boolean => false;

/**
 * A function that tells whether a chunk has an odd number of quotes from where the last call ended up to `to`. It reads
 * each byte once: to search each line to the end of the chunk took seconds for a chunk of short lines.
 */
function quotesOf(chunk: Buffer): (to: number) => boolean {
  let next = chunk.indexOf(QUOTE);
  return (to) => {
    let isOdd = false;
    for (; next >= 0 && next < to; next = chunk.indexOf(QUOTE, next + 1)) isOdd = !isOdd;
    return isOdd;
  };
}
