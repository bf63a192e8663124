import { COLUMNS, sequenceColumn } from './columns.ts';
import { PLAYER_TABLES } from './erased-rows.ts';

type PlayerTable = keyof typeof PLAYER_TABLES;

/**
 * Tables that tell what a player did, in the order an export shows them. The others hold its present state again, which an
 * export takes from the owner.
 */
export const HISTORY_TABLES: readonly PlayerTable[] = Object.keys(PLAYER_TABLES).filter(isHistory);

function isHistory(name: string): name is PlayerTable {
  return Object.entries(PLAYER_TABLES).some(([table, placing]) => table === name && placing === 'facts');
}

/** The last row of a table that was shown. */
export interface RowPlace {
  /** Epoch milliseconds. */
  receivedMs: number;
  sequence: number;
  index: number;
}

export interface PlayerRowsQuery {
  game: string;
  environment: string;
  /** A UUID. */
  playerId: string;
  table: PlayerTable;
  after: RowPlace;
  limit: number;
}

/** Before every row. */
export const FIRST_PLACE: RowPlace = { receivedMs: -(2 ** 45), sequence: 0, index: 0 };

/** Column → value as in the table; times are ISO 8601. */
export type PlayerRow = Readonly<Record<string, unknown>>;

/** Some rows of one player in a table, oldest first, each with its place in the stream it was written from. */
export function playerRowsSql(table: PlayerTable): string {
  const sequence = sequenceColumn(table);
  const index = sequence.replace('_sequence', '_index');
  return `
SELECT ${COLUMNS[table].join(', ')}, toUnixTimestamp64Milli(received_at) AS place_ms,
  ${sequence} AS place_sequence, ${index} AS place_index
FROM ${table}
WHERE game_id = {game: String} AND environment = {environment: String} AND player_id = {player: UUID}
  AND (toUnixTimestamp64Milli(received_at), ${sequence}, ${index}) > ({ms: Int64}, {sequence: UInt64}, {index: UInt32})
ORDER BY received_at, ${sequence}, ${index}
LIMIT {limit: UInt32}`;
}

/** The newest erasure of a player. */
export const NEWEST_ERASURE = `
SELECT toUnixTimestamp64Milli(erased_at) AS erased_at, rows_deleted, step
FROM erasures FINAL
WHERE game_id = {game: String} AND environment = {environment: String} AND player_id = {player: UUID}
ORDER BY facts_created DESC, facts_sequence DESC, facts_index DESC
LIMIT 1`;
