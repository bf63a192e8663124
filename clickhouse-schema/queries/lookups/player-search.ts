import type { QueryResult } from '../../query-result.ts';
import { type RunQuery, SCOPE } from './run-query.ts';

export interface PlayerSearch {
  game: string;
  environment: string;
  /** An external id or its beginning, a device id, or an e-mail address; `undefined`: players who were active last. */
  text: string | undefined;
  /** Without `text`: what the players of the answer have most of. Default: `last_seen_at`. */
  order?: PlayerOrder | undefined;
  limit: number;
}

export const PLAYER_ORDERS = ['last_seen_at', 'total_revenue', 'session_count'] as const;
export type PlayerOrder = (typeof PLAYER_ORDERS)[number];

/** A player of a list. Times are epoch milliseconds. */
export interface FoundPlayer {
  playerId: string;
  externalId: string;
  deviceId: string | null;
  email: string | null;
  lifecycleStage: string;
  sessionCount: number;
  /** In the game's currency. */
  totalRevenue: number;
  isPayer: boolean;
  isTestPlayer: boolean;
  country: string;
  firstSeenAt: number;
  lastSeenAt: number;
}

/**
 * Finds players by their snapshots, which follow a player's state by about a second. The inner statement reads a few
 * columns of all snapshots, outdated ones too; the outer one takes the newest snapshot of these players only and
 * compares again, so an outdated device id or address finds no player.
 */
export async function findPlayers(runQuery: RunQuery, search: PlayerSearch): Promise<QueryResult<FoundPlayer[]>> {
  const { game, environment, text, order = 'last_seen_at', limit } = search;
  const sql = text === undefined ? byMost(order) : BY_TEXT;
  const lower = text === undefined ? {} : { text, lower: text.toLowerCase() };
  const found = await runQuery<PlayerRow>(sql, { game, environment, limit, candidates: limit * CANDIDATES, ...lower });
  return found.kind === 'unavailable' ? found : { kind: 'answered', value: found.value.map(foundPlayer) };
}

/** Candidates for each player of the answer: several snapshots of a player may exist, and outdated ones may match. */
const CANDIDATES = 4;

interface PlayerRow {
  player_id: string;
  external_id: string;
  device_id: string | null;
  email: string | null;
  lifecycle_stage: string;
  session_count: number;
  revenue: number;
  is_payer: boolean;
  is_test_player: number;
  country: string;
  first_ms: string | number;
  last_ms: string | number;
}

function foundPlayer(row: PlayerRow): FoundPlayer {
  return {
    playerId: row.player_id,
    externalId: row.external_id,
    deviceId: row.device_id,
    email: row.email,
    lifecycleStage: row.lifecycle_stage,
    sessionCount: row.session_count,
    totalRevenue: row.revenue,
    isPayer: row.is_payer,
    isTestPlayer: row.is_test_player === 1,
    country: row.country,
    firstSeenAt: Number(row.first_ms),
    lastSeenAt: Number(row.last_ms),
  };
}

const COLUMNS = `
SELECT toString(player_id) AS player_id, external_id, device_id, email, lifecycle_stage, session_count,
  toFloat64(total_revenue) AS revenue, is_payer, country, toUnixTimestamp64Milli(first_seen_at) AS first_ms,
  toUnixTimestamp64Milli(last_seen_at) AS last_ms,
  player_snapshots.player_id IN (SELECT player_id FROM test_players FINAL) AS is_test_player
FROM player_snapshots FINAL`;

const PLAYERS = `${SCOPE} AND kind = 'player'`;
const MATCHES = `(startsWith(external_id, {text:String}) OR device_id = {text:String} OR lower(email) = {lower:String})`;

/** The newest snapshot counts: a refund lowers revenue. */
const byMost = (order: PlayerOrder): string => `${COLUMNS}
WHERE ${PLAYERS} AND player_snapshots.player_id IN (
  SELECT player_id FROM player_snapshots WHERE ${PLAYERS}
  GROUP BY player_id ORDER BY argMax(${order}, version) DESC, player_id LIMIT {candidates:UInt32}
)
ORDER BY player_snapshots.${order} DESC, player_snapshots.player_id LIMIT {limit:UInt32}`;

/** Exact matches come first, so that a short text still finds the player that it names. */
const BY_TEXT = `${COLUMNS}
WHERE ${PLAYERS} AND ${MATCHES} AND player_snapshots.player_id IN (
  SELECT player_id FROM player_snapshots WHERE ${PLAYERS} AND ${MATCHES}
  GROUP BY player_id
  ORDER BY max(NOT startsWith(external_id, {text:String}) OR external_id = {text:String}) DESC, max(last_seen_at) DESC
  LIMIT {candidates:UInt32}
)
ORDER BY NOT startsWith(external_id, {text:String}) OR external_id = {text:String} DESC,
  player_snapshots.last_seen_at DESC, player_snapshots.player_id
LIMIT {limit:UInt32}`;
