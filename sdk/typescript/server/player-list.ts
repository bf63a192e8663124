import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';

/*
 * The players of a list, as a body that is sent while it is read. Memory does not depend on the length of the list: one
 * chunk is made when the one before is sent.
 */

/** A file of a list: CSV, or NDJSON, both also compressed with gzip. */
export interface ListFile {
  readonly file: string;
  /** By default as the name says: `.csv`, `.txt`, `.ndjson`, `.jsonl`, each also with `.gz`. */
  readonly format?: 'csv' | 'ndjson';
}

/** Ids of players, one after another. */
type Ids = Iterable<string> | AsyncIterable<string>;

/** Ids, a function that returns them anew for each attempt, or a file. */
export type PlayerList = Ids | (() => Ids) | ListFile;

/** A list that can be sent. */
export interface ListBody {
  readonly contentType: string;
  /** Whether `open` may be called again, for another attempt. */
  readonly isRepeatable: boolean;
  open(): AsyncIterable<Uint8Array>;
}

const CHUNK_BYTES = 64 * 1024;
const NDJSON = 'application/x-ndjson';

/** Throws a `TypeError` for something that is no list. */
export function listBody(players: PlayerList): ListBody {
  if (isFile(players)) {
    const contentType = (players.format ?? formatOf(players.file)) === 'csv' ? 'text/csv' : NDJSON;
    return { contentType, isRepeatable: true, open: () => bytesOfFile(players.file) };
  }
  if (typeof players === 'function') {
    return { contentType: NDJSON, isRepeatable: true, open: () => linesOf(players()) };
  }
  if (!isIds(players)) throw new TypeError('The list must be ids, a function that returns ids, or `{ file }`.');
  return {
    contentType: NDJSON,
    isRepeatable: Array.isArray(players) || players instanceof Set,
    open: () => linesOf(players),
  };
}

const isFile = (players: PlayerList): players is ListFile =>
  typeof players === 'object' && players !== null && 'file' in players && typeof players.file === 'string';

/** A text is iterable too, but by its characters. */
const isIds = (players: unknown): players is Ids =>
  typeof players === 'object' && players !== null && (Symbol.iterator in players || Symbol.asyncIterator in players);

function formatOf(file: string): 'csv' | 'ndjson' {
  const name = file.toLowerCase().replace(/\.gz$/, '');
  if (name.endsWith('.csv') || name.endsWith('.txt')) return 'csv';
  if (name.endsWith('.ndjson') || name.endsWith('.jsonl')) return 'ndjson';
  throw new TypeError(`The name of ${file} does not tell its format; pass \`format\`.`);
}

/** Each id as a line of NDJSON, in chunks. */
async function* linesOf(ids: Ids): AsyncGenerator<Uint8Array> {
  if (!isIds(ids)) throw new TypeError('The function must return the ids of a list.');
  const encoder = new TextEncoder();
  let text = '';
  let place = 0;
  for await (const id of ids) {
    // A program in JavaScript may pass anything.
    if (typeof id !== 'string') throw new TypeError(`Id ${place} of the list must be a text, not ${typeof id}.`);
    place += 1;
    text += `${JSON.stringify(id)}\n`;
    if (text.length < CHUNK_BYTES) continue;
    yield encoder.encode(text);
    text = '';
  }
  if (text !== '') yield encoder.encode(text);
}

async function* bytesOfFile(file: string): AsyncGenerator<Uint8Array> {
  const source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  const bytes: AsyncIterable<unknown> = file.toLowerCase().endsWith('.gz')
    ? // An error of either one reaches the reader.
      pipeline(source, createGunzip({ chunkSize: CHUNK_BYTES }), () => {})
    : source;
  for await (const chunk of bytes) if (chunk instanceof Uint8Array) yield chunk;
}
