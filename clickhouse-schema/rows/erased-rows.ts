import type { PlayerTable, TableName } from './tables/tables.ts';
import {
  boundsOf,
  isOfEarlierFacts,
  list,
  PLACE,
  rowsBefore,
  scopeOf,
  unrepeated,
  type PlayerPlace,
  type RecordsPosition,
} from './placed-rows.ts';

/** A row of `erasures` in ClickHouse. */
export interface PendingErasure extends PlayerPlace {
  /** Epoch milliseconds. */
  erasedAt: number;
  /** Rows counted before the deletion; `undefined` until they are counted. */
  rows: number | undefined;
  /** The player's device; '': none. */
  deviceId: string;
}

/** Tables whose rows name further players, and whether a row names the player `id`. It is deleted with each of them. */
const NAMES_OTHERS: ReadonlyMap<TableName, string> = new Map<TableName, string>([
  ['quarantined_events', 'has(named, id)'],
  ['player_merges', 'toString(into_player_id) = id'],
]);

/**
 * The condition for a table's rows from before their player's erasure. Rows of a later life have higher positions and
 * stay.
 * @param erasures of one FACTS, at most one per player
 * @param records `undefined`: no position of RECORDS is stored in ClickHouse
 */
export function erasedRows(
  table: PlayerTable,
  erasures: readonly PendingErasure[],
  records: RecordsPosition | undefined,
): string {
  const names = NAMES_OTHERS.get(table);
  if (names === undefined) return rowsBefore(table, erasures, records);
  const ids = list(erasures.map(({ playerId }) => playerId));
  const isBefore = `(${PLACE} < bound OR ${isOfEarlierFacts(table, erasures)})`;
  return `${scopeOf(erasures)} AND arrayExists((id, bound) -> (toString(player_id) = id OR ${names}) AND ${isBefore}, ${ids}, ${boundsOf(erasures, 'facts')})`;
}

/** Tables of scores. Their rows hold a device. */
export const SCORE_TABLES = ['scores', 'challenger_scores'] as const satisfies readonly TableName[];

/**
 * The condition for scores of erased players' devices from before the erasure.
 *
 * Only rows at or below the stored position of RECORDS match: a repeated block that finds some of its rows deleted
 * would be refused on every attempt. Rows received before the creation of this RECORDS belong to an earlier one.
 * @param erasures of players whose device belongs to no other player
 */
export function erasedScores(erasures: readonly PendingErasure[], records: RecordsPosition): string {
  const until = new Map<string, number>();
  for (const erasure of erasures) {
    const key = deviceKey(erasure);
    until.set(key, Math.max(until.get(key) ?? 0, erasure.erasedAt));
  }
  const scope = `${scopeOf(erasures)} AND device_id IN ${list(erasures.map(({ deviceId }) => deviceId))}`;
  const bounds = `CAST([${[...until.values()].join(', ')}] AS Array(Int64))`;
  const key = `indexOf(CAST(${list([...until.keys()])} AS Array(String)), ${DEVICE_KEY})`;
  // An index of 0 yields 0, and every score is later than that.
  const before = `toUnixTimestamp64Milli(scored_at) <= arrayElement(${bounds}, ${key})`;
  return `${scope} AND ${before} AND ${unrepeated(records)}`;
}

/** Names of games and environments contain no slash. */
export const deviceKey = ({
  game,
  environment,
  deviceId,
}: Pick<PendingErasure, 'game' | 'environment' | 'deviceId'>): string => `${game}/${environment}/${deviceId}`;

/** The same key in SQL. */
export const DEVICE_KEY = "concat(game_id, '/', environment, '/', device_id)";
