import { createByteBuffer } from '../../kernel/bytes/byte-buffer.ts';
import { PACKED_HEADER_BYTES, type PackedEvents, type PlainEvent } from './packed-events.ts';

/** Packs events; see `PackedEvents`. Its memory is reused. */
export function createEventPacker(): (events: readonly PlainEvent[]) => PackedEvents {
  const fixed = createByteBuffer();
  const ids = createByteBuffer();
  const names = createByteBuffer();
  const sessions = createByteBuffer();
  const properties = createByteBuffer();
  const columns = [fixed, ids, names, sessions, properties];

  return (events) => {
    for (const column of columns) column.clear();
    for (const { at } of events) {
      fixed.uint32(at);
      fixed.uint32(Math.floor(at / 2 ** 32));
    }
    for (const { sessionId } of events) fixed.uint8(sessionId === null ? 1 : 0);
    for (const event of events) {
      ids.text(event.eventId);
      names.text(event.eventName);
      sessions.text(event.sessionId ?? '');
      properties.text(event.properties);
    }
    const bytes = new Uint8Array(PACKED_HEADER_BYTES + columns.reduce((sum, { length }) => sum + length, 0));
    const header = new DataView(bytes.buffer);
    for (const [place, { length }] of [ids, names, sessions].entries()) header.setUint32(4 * place, length, true);
    let at = PACKED_HEADER_BYTES;
    for (const column of columns) {
      bytes.set(column.bytes(), at);
      at += column.length;
    }
    return { count: events.length, bytes };
  };
}
