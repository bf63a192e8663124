import { createHash } from 'node:crypto';
import type { RowPlace } from '../../../clickhouse-schema/rows/player-rows.ts';

/**
 * The cursor of a list over ClickHouse. It holds the position of the last row read and a digest of the filters, since
 * the position means nothing in a list with other filters.
 * @param filters the filters of the list, and its name if several lists have the same filters
 */
export function encodePlace({ receivedMs, sequence, index }: RowPlace, filters: readonly unknown[]): string {
  return Buffer.from([receivedMs, sequence, index, digestOf(filters)].join(' ')).toString('base64url');
}

/** The position in a cursor; undefined if the cursor is not of the list with these filters. */
export function decodePlace(cursor: string, filters: readonly unknown[]): RowPlace | undefined {
  const match = /^(\d{1,14}) (\d{1,15}) (\d{1,9}) \S+$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match === null) return undefined;
  const [receivedMs = 0, sequence = 0, index = 0] = match.slice(1).map(Number);
  const place = { receivedMs, sequence, index };
  return encodePlace(place, filters) === cursor ? place : undefined;
}

/** 72 bits suffice: the digest only separates lists of one caller, and a forged cursor gains its sender nothing. */
export function digestOf(filters: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(filters)).digest('base64url').slice(0, 12);
}
