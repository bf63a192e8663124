import { isUuid } from '../../../core/kernel/uuid.ts';

/* A cursor of a list of players in ClickHouse's order of ids holds the id of the last player shown. */

export function cursorOf(playerId: string): string {
  return Buffer.from(playerId).toString('base64url');
}

/** The id in a cursor; undefined: it is none. */
export function afterOf(cursor: string): string | undefined {
  const playerId = Buffer.from(cursor, 'base64url').toString();
  return isUuid(playerId) ? playerId : undefined;
}
