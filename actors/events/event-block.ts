import { hashOfText, TEXT_HASH_BYTES } from '../../core/kernel/text/text-hash.ts';
import { putSigned, putUnsigned, readIntegers } from '../../core/kernel/bytes/varint.ts';
import type { CallerKind } from '../../core/vocabulary/documents/scope.ts';
import type { RecentEvent } from '../../core/vocabulary/state/player.ts';

/*
 * A block of stored events with the hashes of their ids instead of the ids: about 15 bytes an event, searched without
 * decoding it. Part of a player's state, so its layout is fixed:
 *
 *     count (u16) and newest receivedAt (f64), little-endian
 *     of each event the first byte of its hash, then of each event the other bytes
 *     as integers of variable length: the number of names, each name with its length in bytes, then of each event the
 *     index of its name with its flags, receivedAt since the event before (of the first: since the newest), and its
 *     timestamp since receivedAt
 *
 * A block never changes once it is made.
 */

/** A stored event without its id. */
export interface HashedEvent extends Omit<RecentEvent, 'eventId'> {
  /** See `hashOfText`. */
  hash: string;
}

const HEADER_BYTES = 10;
const REST_BYTES = TEXT_HASH_BYTES - 1;
/** Callers by number, in two bits. Never reorder. */
const CALLERS = [undefined, 'client', 'server'] as const satisfies readonly (CallerKind | undefined)[];
/** The index of a name is above three bits of flags. */
const NAME_UNIT = 8;

export function hashed({ eventId, ...rest }: RecentEvent): HashedEvent {
  return { hash: hashOfText(eventId), ...rest };
}

export function packEvents(events: readonly HashedEvent[]): Uint8Array {
  const count = events.length;
  const newest = events.reduce((most, { receivedAt }) => Math.max(most, receivedAt), 0);
  const details = detailsOf(events, newest);
  const block = new Uint8Array(HEADER_BYTES + TEXT_HASH_BYTES * count + details.length);
  const view = new DataView(block.buffer);
  view.setUint16(0, count, true);
  view.setFloat64(2, newest, true);
  for (const [index, { hash }] of events.entries()) {
    block[HEADER_BYTES + index] = hash.charCodeAt(0);
    const begin = restAt(count, index);
    for (let place = 0; place < REST_BYTES; place++) block[begin + place] = hash.charCodeAt(place + 1);
  }
  block.set(details, HEADER_BYTES + TEXT_HASH_BYTES * count);
  return block;
}

function detailsOf(events: readonly HashedEvent[], newest: number): number[] {
  const names = [...new Set(events.map(({ eventName }) => eventName))];
  const details: number[] = [];
  putUnsigned(details, names.length);
  for (const name of names) {
    const bytes = Buffer.from(name, 'utf8');
    putUnsigned(details, bytes.length);
    details.push(...bytes);
  }
  let before = newest;
  for (const { eventName, by, quarantined, receivedAt, timestamp } of events) {
    const flags = CALLERS.indexOf(by) * 2 + (quarantined === true ? 1 : 0);
    putUnsigned(details, names.indexOf(eventName) * NAME_UNIT + flags);
    putSigned(details, receivedAt - before);
    putSigned(details, timestamp - receivedAt);
    before = receivedAt;
  }
  return details;
}

/** @param wanted only events of this hash: a repeat must not cost the making of a whole block's events */
export function unpackEvents(block: Uint8Array, wanted?: string): HashedEvent[] {
  const count = countIn(block);
  const reader = readIntegers(block, HEADER_BYTES + TEXT_HASH_BYTES * count);
  const nameBytes: Uint8Array[] = [];
  for (let left = reader.unsigned(); left > 0; left--) nameBytes.push(reader.bytes(reader.unsigned()));
  const names = new Map<number, string>();
  const nameAt = (place: number): string => {
    const name = names.get(place) ?? Buffer.from(nameBytes[place] ?? []).toString('utf8');
    names.set(place, name);
    return name;
  };
  const events: HashedEvent[] = [];
  let receivedAt = newestIn(block);
  for (let index = 0; index < count; index++) {
    const code = reader.unsigned();
    receivedAt += reader.signed();
    const timestamp = receivedAt + reader.signed();
    if (wanted !== undefined && !isHashAt(block, count, index, wanted)) continue;
    const hash = hashAt(block, count, index);
    const event: HashedEvent = { hash, eventName: nameAt(Math.floor(code / NAME_UNIT)), timestamp, receivedAt };
    if (code % 2 === 1) event.quarantined = true;
    const by = CALLERS[Math.floor((code % NAME_UNIT) / 2)];
    if (by !== undefined) event.by = by;
    events.push(event);
  }
  return events;
}

/** Whether a block holds an event of this hash. */
export function hasHash(block: Uint8Array, hash: string): boolean {
  const count = countIn(block);
  for (let index = 0; index < count; index++) if (isHashAt(block, count, index, hash)) return true;
  return false;
}

function isHashAt(block: Uint8Array, count: number, index: number, hash: string): boolean {
  return block[HEADER_BYTES + index] === hash.charCodeAt(0) && hasRest(block, restAt(count, index), hash);
}

function hasRest(block: Uint8Array, at: number, hash: string): boolean {
  for (let place = 0; place < REST_BYTES; place++) {
    if (block[at + place] !== hash.charCodeAt(place + 1)) return false;
  }
  return true;
}

function hashAt(block: Uint8Array, count: number, index: number): string {
  let hash = String.fromCharCode(block[HEADER_BYTES + index] ?? 0);
  const begin = restAt(count, index);
  for (let place = 0; place < REST_BYTES; place++) hash += String.fromCharCode(block[begin + place] ?? 0);
  return hash;
}

/** Where the other bytes of a hash begin. */
function restAt(count: number, index: number): number {
  return HEADER_BYTES + count + REST_BYTES * index;
}

/** Number of events. */
export function countIn(block: Uint8Array): number {
  return (block[0] ?? 0) + 0x100 * (block[1] ?? 0);
}

/** The newest `receivedAt`, epoch milliseconds. */
export function newestIn(block: Uint8Array): number {
  return new DataView(block.buffer, block.byteOffset, HEADER_BYTES).getFloat64(2, true);
}
