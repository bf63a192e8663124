import type { QueryResult } from '../query-result.ts';

/* Pages of players, in ClickHouse's order of UUIDs. That is the order of the primary keys, so a page is a range. */

/** Where a page of players begins and ends. */
export interface PlayerPage {
  game: string;
  environment: string;
  /** A UUID. */
  afterPlayerId?: string;
  limit: number;
}

export interface SegmentPlayersQuery extends PlayerPage {
  segmentId: string;
}

export interface SegmentPlayer {
  playerId: string;
  externalId: string;
  /** Epoch milliseconds. */
  enteredAt: number;
}

export interface FlagOverridesQuery extends PlayerPage {
  flagKey: string;
}

export interface OverriddenPlayer {
  playerId: string;
  externalId: string;
  /** JSON text. */
  value: string;
  /** Epoch milliseconds. */
  setAt: number;
}

/** Runs a statement with bound values. */
type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

interface PlayerRow {
  player_id: string;
  external_id: string;
  at: string | number;
}

export async function findSegmentPlayers(
  runQuery: RunQuery,
  { segmentId, ...page }: SegmentPlayersQuery,
): Promise<QueryResult<SegmentPlayer[]>> {
  const result = await runQuery<PlayerRow>(SEGMENT_PLAYERS, { ...boundsOf(page), of: segmentId });
  if (result.kind === 'unavailable') return result;
  const players = result.value.map((row) => ({
    playerId: row.player_id,
    externalId: row.external_id,
    enteredAt: Number(row.at),
  }));
  return { kind: 'answered', value: players };
}

export async function findFlagOverrides(
  runQuery: RunQuery,
  { flagKey, ...page }: FlagOverridesQuery,
): Promise<QueryResult<OverriddenPlayer[]>> {
  const result = await runQuery<PlayerRow & { value: string }>(FLAG_OVERRIDES, { ...boundsOf(page), of: flagKey });
  if (result.kind === 'unavailable') return result;
  const overridden = result.value.map((row) => ({
    playerId: row.player_id,
    externalId: row.external_id,
    value: row.value,
    setAt: Number(row.at),
  }));
  return { kind: 'answered', value: overridden };
}

const FIRST_UUID = '00000000-0000-0000-0000-000000000000';

function boundsOf({ game, environment, afterPlayerId = FIRST_UUID, limit }: PlayerPage): Record<string, unknown> {
  return { game, environment, after: afterPlayerId, limit };
}

/** FINAL removes players who exited, and overrides that were removed. */
const pageOf = (table: string, owner: string, columns: string): string => `
SELECT player_id, external_id, ${columns}toUnixTimestamp64Milli(received_at) AS at
FROM ${table} FINAL
WHERE game_id = {game:String} AND environment = {environment:String} AND ${owner} = {of:String}
  AND player_id > {after:UUID}
ORDER BY player_id
LIMIT {limit:UInt32}`;

const SEGMENT_PLAYERS = pageOf('segment_membership_states', 'segment_id', '');
const FLAG_OVERRIDES = pageOf('flag_override_states', 'flag_key', 'value, ');
