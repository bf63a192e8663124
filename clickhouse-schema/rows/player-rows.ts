import { isPlayerTable, sequenceColumn, TABLE_NAMES, TABLES, type PlayerTable } from './tables/tables.ts';
import type { QueryResult } from '../query-result.ts';

/**
 * Tables of a player's activity, in the order of an export. The other tables repeat the present state, which an export
 * reads from the owner.
 */
export const HISTORY_TABLES: readonly PlayerTable[] = TABLE_NAMES.filter((table) => isPlayerTable(table)).filter(
  (table) => TABLES[table].placing === 'facts' && TABLES[table].onMerge !== 'keep',
);

/** The position of the last row of a page. */
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
  /**
   * The page ends with the row that exceeds it, so it has at least one row. Sizes in ClickHouse; JSON may be twice as
   * large.
   */
  bytes: number;
}

/** A page of rows of a table, oldest first. */
export interface PlayerRowsPage {
  rows: PlacedRow[];
  /** Whether more rows follow. */
  more: boolean;
}

export interface PlacedRow {
  place: RowPlace;
  row: PlayerRow;
  sizeBytes: number;
}

/** A position before every row. */
export const FIRST_PLACE: RowPlace = { receivedMs: -(2 ** 45), sequence: 0, index: 0 };

/** Column to value, as in the table; times are ISO 8601. */
export type PlayerRow = Readonly<Record<string, unknown>>;

/** Runs a statement with bound values. */
type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** Reads a page of one player's rows in a table, oldest first, each with its position in its source stream. */
export async function findPlayerRows(runQuery: RunQuery, query: PlayerRowsQuery): Promise<QueryResult<PlayerRowsPage>> {
  const { game, environment, playerId, table, after, limit, bytes } = query;
  const result = await runQuery<PlayerRow & PlaceColumns>(playerRowsSql(table, after), {
    game,
    environment,
    player: playerId,
    ms: after.receivedMs,
    sequence: after.sequence,
    index: after.index,
    // Reads one row more than the page holds, to detect a next page.
    limit: limit + 1,
    bytes,
  });
  if (result.kind === 'unavailable') return result;
  const rows = result.value.slice(0, limit).map((found) => {
    const {
      place_ms: ms,
      place_sequence: sequence,
      place_index: index,
      place_bytes: size,
      place_found: _,
      ...row
    } = found;
    const place = { receivedMs: Number(ms), sequence: Number(sequence), index: Number(index) };
    return { place, row, sizeBytes: Number(size) };
  });
  return { kind: 'answered', value: { rows, more: Number(result.value[0]?.place_found ?? 0) > rows.length } };
}

/** The position of a row in its source stream, its size, and the number of rows before the bound on bytes. */
interface PlaceColumns {
  place_ms: string | number;
  place_sequence: string | number;
  place_index: string | number;
  place_bytes: string | number;
  place_found: string | number;
}

/**
 * Finds the keys of the page's rows first and then the rows, so the engine reads the wide columns of one page only. For
 * `events` a projection in this order holds the keys (0001_events.sql); see event-query.ts.
 */
function playerRowsSql(table: PlayerTable, after: RowPlace): string {
  const sequence = sequenceColumn(table);
  const index = sequence.replace('_sequence', '_index');
  const place = `received_at, ${sequence}, ${index}`;
  const key = table === 'events' ? `event_name, ${place}` : place;
  const scope = 'game_id = {game: String} AND environment = {environment: String} AND player_id = {player: UUID}';
  const behind = `
      AND received_at >= fromUnixTimestamp64Milli({ms: Int64})
      AND (received_at > fromUnixTimestamp64Milli({ms: Int64})
        OR (${sequence}, ${index}) > ({sequence: UInt64}, {index: UInt32}))`;
  return `
SELECT * EXCEPT bytes_before
FROM (
  SELECT *, count() OVER () AS place_found,
    sum(place_bytes) OVER (ORDER BY place_ms, place_sequence, place_index) - place_bytes AS bytes_before
  FROM (
    SELECT ${TABLES[table].columns.join(', ')}, toUnixTimestamp64Milli(received_at) AS place_ms,
      ${sequence} AS place_sequence, ${index} AS place_index, byteSize(${TABLES[table].columns.join(', ')}) AS place_bytes
    FROM ${table}
    WHERE ${scope} AND (${key}) IN (
      SELECT ${key}
      FROM ${table}
      PREWHERE ${scope}${after.receivedMs < 0 ? '' : behind}
      ORDER BY player_id, ${place}
      LIMIT {limit: UInt32}
    )
  )
)
WHERE bytes_before < {bytes: UInt32}
ORDER BY place_ms, place_sequence, place_index`;
}

/** The newest erasure of a player. */
export const NEWEST_ERASURE = `
SELECT toUnixTimestamp64Milli(erased_at) AS erased_at, rows_deleted, step
FROM erasures FINAL
WHERE game_id = {game: String} AND environment = {environment: String} AND player_id = {player: UUID}
ORDER BY facts_created DESC, facts_sequence DESC, facts_index DESC
LIMIT 1`;
