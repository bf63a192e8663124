import { createHash } from 'node:crypto';
import type { RowPlace } from '../../clickhouse-schema/rows/player-rows.ts';

/**
 * The cursor of a list over ClickHouse: it names the last row looked at, and what was asked for, as with other filters it would
 * lead into the middle of another list.
 * @param asked whatever tells one list of a caller from another
 */
export function encodePlace({ receivedMs, sequence, index }: RowPlace, asked: readonly unknown[]): string {
  return Buffer.from([receivedMs, sequence, index, digestOf(asked)].join(' ')).toString('base64url');
}

/** The row a cursor names; `undefined`: it is not one of this list. */
export function decodePlace(cursor: string, asked: readonly unknown[]): RowPlace | undefined {
  const match = /^(\d{1,14}) (\d{1,15}) (\d{1,9}) \S+$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match === null) return undefined;
  const [receivedMs = 0, sequence = 0, index = 0] = match.slice(1).map(Number);
  const place = { receivedMs, sequence, index };
  return encodePlace(place, asked) === cursor ? place : undefined;
}

/** 72 bits: told apart are a caller's own lists, and nobody gains anything by forging one. */
function digestOf(asked: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 12);
}
