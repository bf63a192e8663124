import { withoutMark } from './byte-order-mark.ts';
import { createHeldBytes } from './held-bytes.ts';

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
  let isOpen = false;
  const held = createHeldBytes(maxBytes);

  function hold(piece: Buffer): void {
    held.hold(piece);
    // An unclosed quote must not make one record of the rest of the file.
    if (held.isTooLong) isOpen = false;
  }

  function finish(): FileRecord | undefined {
    const { isTooLong } = held;
    const bytes = held.take();
    const record = recordOf(firstLine, firstLine === 1 ? withoutMark(bytes) : bytes);
    if (isTooLong) return { ...record, fault: `is longer than ${maxBytes} bytes` };
    return record.bytes.length === 0 ? undefined : record;
  }

  /** Whether a record begins here. The first one may begin with a mark. */
  const isFresh = (): boolean => held.isEmpty && !isOpen;

  for await (const data of chunks) {
    const chunk = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
    const records: FileRecord[] = [];
    const oddQuotes = quoted ? quotesOf(chunk) : NO_QUOTES;
    let from = 0;
    for (;;) {
      if (isFresh()) {
        const empty = emptyLines(chunk, from);
        from = empty.to;
        line += empty.count;
        firstLine = line;
      }
      const to = chunk.indexOf(LINE_FEED, from);
      if (to < 0) break;
      if (oddQuotes(to) && !held.isTooLong) isOpen = !isOpen;
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
    if (oddQuotes(chunk.length) && !held.isTooLong) isOpen = !isOpen;
    // A copy, so that the whole chunk need not be kept.
    hold(Buffer.from(chunk.subarray(from)));
    if (records.length > 0) yield records;
  }
  const wasOpen = isOpen;
  const last = finish();
  if (last === undefined) return;
  yield [wasOpen ? { ...last, fault: 'ends inside of a quoted field' } : last];
}

/** Empty lines, which would each take a search and a record: how many follow, and where the next line begins. */
function emptyLines(chunk: Buffer, from: number): { count: number; to: number } {
  let count = 0;
  let to = from;
  for (; ; count++) {
    if (chunk[to] === LINE_FEED) to += 1;
    else if (chunk[to] === CARRIAGE_RETURN && chunk[to + 1] === LINE_FEED) to += 2;
    else return { count, to };
  }
}

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
