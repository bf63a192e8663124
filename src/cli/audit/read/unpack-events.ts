/** An event of an imported history. */
export interface UnpackedEvent {
  at: number;
  eventId: string;
  eventName: string;
  properties: string;
  sessionId: string | null;
}

/**
 * Reads packed events: three lengths (u32, little-endian) of ids, names and session ids; the times (i64); a byte for
 * each event that is 1 without a session; ids, names, session ids and properties, each text after its length (LEB128).
 */
export function unpackEvents({ count, bytes }: { count: number; bytes: Uint8Array }): UnpackedEvent[] {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lengths = [0, 4, 8].map((at) => buffer.readUInt32LE(at));
  const timesFrom = 12;
  const sessionsFrom = timesFrom + 8 * count;
  let at = sessionsFrom + count;
  const columns = [...lengths, buffer.length].map((length) => {
    const column = texts(buffer.subarray(at, Math.min(at + length, buffer.length)), count);
    at += length;
    return column;
  });
  const [ids = [], names = [], sessions = [], properties = []] = columns;
  return ids.map((eventId, place) => ({
    at: Number(buffer.readBigInt64LE(timesFrom + 8 * place)),
    eventId,
    eventName: names[place] ?? '',
    properties: properties[place] ?? '',
    sessionId: buffer[sessionsFrom + place] === 1 ? null : (sessions[place] ?? ''),
  }));
}

function texts(column: Buffer, count: number): string[] {
  const found: string[] = [];
  let at = 0;
  for (let place = 0; place < count; place++) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = column[at++] ?? 0;
      length += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    found.push(column.toString('utf8', at, at + length));
    at += length;
  }
  return found;
}
