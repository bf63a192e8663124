import type { JsonText } from '../../kernel/text/json.ts';

/**
 * Imported events of one player, each field of all events one after another, as ClickHouse's Native format has them. So
 * neither the owner nor the sink touches a single event.
 *
 * Layout of `bytes`, which never changes: three lengths in bytes (u32, little-endian) of ids, names and session ids;
 * the times (i64, epoch milliseconds); a byte for each event that is 1 without a session; ids, names, session ids and
 * properties, each text in UTF-8 after its length (LEB128).
 */
export interface PackedEvents {
  count: number;
  bytes: Uint8Array;
}

/** One of them. */
export interface PlainEvent {
  at: number;
  eventId: string;
  eventName: string;
  properties: JsonText;
  sessionId: string | null;
}

/** The fields of packed events, as views of their bytes. */
export interface EventColumns {
  times: Uint8Array;
  noSessions: Uint8Array;
  ids: Uint8Array;
  names: Uint8Array;
  sessions: Uint8Array;
  properties: Uint8Array;
}

export const PACKED_HEADER_BYTES = 12;
const TIME_BYTES = 8;

export function columnsOf({ count, bytes }: PackedEvents): EventColumns {
  const header = viewOf(bytes);
  let from = PACKED_HEADER_BYTES;
  const next = (length: number): Uint8Array => bytes.subarray(from, (from += length));
  return {
    times: next(TIME_BYTES * count),
    noSessions: next(count),
    ids: next(header.getUint32(0, true)),
    names: next(header.getUint32(4, true)),
    sessions: next(header.getUint32(8, true)),
    properties: next(bytes.length - from),
  };
}

/** The events one by one. */
export function unpackEvents(packed: PackedEvents): PlainEvent[] {
  const { times, noSessions, ids, names, sessions, properties } = columnsOf(packed);
  const time = viewOf(times);
  const readers = [ids, names, sessions, properties].map(createTextReader);
  return Array.from({ length: packed.count }, (_, place) => {
    const [eventId = '', eventName = '', sessionId = '', document = '{}'] = readers.map((read) => decode(read()));
    return {
      at: Number(time.getBigInt64(TIME_BYTES * place, true)),
      eventId,
      eventName,
      properties: document,
      sessionId: noSessions[place] === 1 ? null : sessionId,
    };
  });
}

/** Some of the events, in their order. */
export function someEvents(packed: PackedEvents, isWanted: (place: number) => boolean): PackedEvents {
  const { times, noSessions, ids, names, sessions, properties } = columnsOf(packed);
  const places = Array.from({ length: packed.count }, (_, place) => place).filter(isWanted);
  const texts = [ids, names, sessions, properties].map((column) => {
    const read = createTextReader(column);
    const all = Array.from({ length: packed.count }, read);
    return Buffer.concat(places.flatMap((place) => all[place] ?? []));
  });
  const header = Buffer.alloc(PACKED_HEADER_BYTES);
  for (const [place, { length }] of texts.slice(0, -1).entries()) header.writeUInt32LE(length, 4 * place);
  const bytes = Buffer.concat([
    header,
    ...places.map((place) => times.subarray(TIME_BYTES * place, TIME_BYTES * (place + 1))),
    ...places.map((place) => noSessions.subarray(place, place + 1)),
    ...texts,
  ]);
  return { count: places.length, bytes: plainBytes(bytes) };
}

/** The same bytes without the methods of a Buffer, so that values compare whatever made them. */
export function plainBytes({ buffer, byteOffset, length }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, length);
}

/** Returns one text after another, each with its length before it. */
function createTextReader(column: Uint8Array): () => Uint8Array {
  let at = 0;
  return () => {
    const from = at;
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = column[at++] ?? 0;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    at += length;
    return column.subarray(from, at);
  };
}

/** A text without its length. */
function decode(text: Uint8Array): string {
  let begin = 0;
  while ((text[begin] ?? 0) >= 0x80) begin += 1;
  return utf8.decode(text.subarray(begin + 1));
}

const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
