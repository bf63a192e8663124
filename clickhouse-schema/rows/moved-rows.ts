import { TABLE_NAMES, TABLES, isPlayerTable, type PlayerTable } from './tables/tables.ts';
import type { OnMerge } from './tables/table.ts';
import { list, rowsBefore, scopeOf, type PlayerPlace, type RecordsPosition } from './placed-rows.ts';

/**
 * A row of `player_merges` in ClickHouse: rows of the guest (`playerId`) become rows of the account (`into`), or go
 * back to the guest.
 */
export interface PendingMerge extends PlayerPlace {
  /** The guest's. */
  externalId: string;
  into: { playerId: string; externalId: string };
  mergeId: string;
  /** When it was made or taken back, and received, in epoch milliseconds. */
  at: number;
  receivedAt: number;
  /** Whether the merge is taken back. */
  isUndone: boolean;
}

/** The tables whose rows of a guest become rows of the account, or are deleted. */
export const tablesOnMerge = (...what: readonly OnMerge[]): PlayerTable[] =>
  TABLE_NAMES.filter((table) => isPlayerTable(table)).filter((table) =>
    what.some((one) => one === TABLES[table].onMerge),
  );

/**
 * The condition for a table's rows that merges move. Of a guest all rows from before its merge; of a take-back the
 * account's rows that came from the guest last.
 * @param merges of one FACTS, all merges or all take-backs; no player is in two of them, except as the account of both
 */
export function movedRows(
  table: PlayerTable,
  merges: readonly PendingMerge[],
  records: RecordsPosition | undefined,
): string {
  if (merges[0]?.isUndone !== true) return rowsBefore(table, merges, records);
  const accounts = uuids(merges.map(({ into }) => into.playerId));
  const isBack = `player_id = arrayElement(${accounts}, ${placeIn(merges, LAST)})`;
  return `${scopeOf(merges)} AND player_id IN ${accounts} AND ${LAST} IN ${uuids(guestsOf(merges))} AND ${isBack}`;
}

/** The rows that were moved already, or never had to be: those of the players who get rows. */
export function rowsOfTargets(merges: readonly PendingMerge[]): string {
  const targets = merges.map((merge) => (merge.isUndone ? merge.playerId : merge.into.playerId));
  return `${scopeOf(merges)} AND player_id IN ${uuids([...new Set(targets)])}`;
}

/** What the columns of a row become that merges move: column to expression over the row as it is. */
export function movedColumns(table: PlayerTable, merges: readonly PendingMerge[]): ReadonlyMap<string, string> {
  const isUndone = merges[0]?.isUndone === true;
  const place = placeIn(merges, isUndone ? LAST : 'player_id');
  const targets = merges.map(({ playerId, externalId, into }) => (isUndone ? { playerId, externalId } : into));
  const moved = new Map([
    ['player_id', `arrayElement(${uuids(targets.map(({ playerId }) => playerId))}, ${place})`],
    ['merged_from', isUndone ? 'arrayPopBack(merged_from)' : 'arrayPushBack(merged_from, player_id)'],
  ]);
  if (TABLES[table].columns.includes('external_id')) {
    moved.set('external_id', `arrayElement(${list(targets.map(({ externalId }) => externalId))}, ${place})`);
  }
  return moved;
}

const LAST = 'arrayElement(merged_from, -1)';

const guestsOf = (merges: readonly PendingMerge[]): string[] => merges.map(({ playerId }) => playerId);
const uuids = (ids: readonly string[]): string => `CAST(${list(ids)} AS Array(UUID))`;
/** Which merge a row belongs to, from 1. */
const placeIn = (merges: readonly PendingMerge[], guest: string): string =>
  `indexOf(${uuids(guestsOf(merges))}, ${guest})`;
