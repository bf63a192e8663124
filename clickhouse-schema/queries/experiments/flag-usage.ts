import { countedPlayers } from '../../counted-players.ts';
import type { QueryResult } from '../../query-result.ts';

/* How often players were exposed to flags: the exposures of all flags, and those of one flag by day. */

export interface FlagUsageQuery {
  game: string;
  environment: string;
  /** Epoch milliseconds. */
  sinceMs: number;
  /** Only these flags. */
  keys?: readonly string[];
}

export interface FlagUsage {
  flagKey: string;
  exposures: number;
  /** Epoch milliseconds. */
  lastExposedAt: number;
}

export interface ExposureDaysQuery extends FlagUsageQuery {
  flagKey: string;
  /** The game's time zone. */
  zone: string;
}

export type DrawnPlayersQuery = Omit<ExposureDaysQuery, 'zone'>;

/** Exposures of one variant on one day of the zone. */
export interface ExposureDay {
  /** As `2026-01-15`. */
  day: string;
  /** The variant's key, or the served value of a flag without variants. */
  variant: string;
  exposures: number;
}

type RunQuery = <Row>(sql: string, parameters: Record<string, unknown>) => Promise<QueryResult<Row[]>>;

/** Reads two columns of the exposures since a time, along the primary key of the game. */
export async function findFlagUsage(
  runQuery: RunQuery,
  { game, environment, sinceMs, keys }: FlagUsageQuery,
): Promise<QueryResult<FlagUsage[]>> {
  const ofKeys = keys === undefined ? '' : 'AND flag_key IN {keys:Array(String)}';
  const found = await runQuery<{ flag_key: string; exposures: string | number; last_ms: string | number }>(
    `SELECT flag_key, count() AS exposures, toUnixTimestamp64Milli(max(received_at)) AS last_ms
    FROM flag_exposures
    WHERE game_id = {game:String} AND environment = {environment:String}
      AND received_at >= fromUnixTimestamp64Milli({since:Int64}) ${ofKeys}
    GROUP BY flag_key`,
    { game, environment, since: sinceMs, ...(keys === undefined ? {} : { keys }) },
  );
  if (found.kind === 'unavailable') return found;
  const usage = found.value.map((row) => ({
    flagKey: row.flag_key,
    exposures: Number(row.exposures),
    lastExposedAt: Number(row.last_ms),
  }));
  return { kind: 'answered', value: usage };
}

/** Counts the players of one flag for whom its rules drew a variant since a time, in any period. */
export async function countDrawnPlayers(
  runQuery: RunQuery,
  { game, environment, flagKey, sinceMs }: DrawnPlayersQuery,
): Promise<QueryResult<number>> {
  const found = await runQuery<{ players: string | number }>(
    `SELECT uniqExact(player_id) AS players
    FROM flag_exposures
    WHERE game_id = {game:String} AND environment = {environment:String} AND flag_key = {flag:String}
      AND received_at >= fromUnixTimestamp64Milli({since:Int64}) AND stratum > 0 AND experiment = ''
      AND ${countedPlayers()}`,
    { game, environment, flag: flagKey, since: sinceMs },
  );
  return found.kind === 'unavailable' ? found : { kind: 'answered', value: Number(found.value[0]?.players ?? 0) };
}

/** Reads the exposures of one flag, along the primary key. */
export async function findExposureDays(
  runQuery: RunQuery,
  { game, environment, flagKey, zone, sinceMs }: ExposureDaysQuery,
): Promise<QueryResult<ExposureDay[]>> {
  const found = await runQuery<{ day: string; variant: string; exposures: string | number }>(
    `SELECT toString(toDate(received_at, {zone:String})) AS day, ifNull(variant_key, value) AS variant, count() AS exposures
    FROM flag_exposures
    WHERE game_id = {game:String} AND environment = {environment:String} AND flag_key = {flag:String}
      AND ${countedPlayers()} AND received_at >= fromUnixTimestamp64Milli({since:Int64})
    GROUP BY day, variant
    ORDER BY day, variant`,
    { game, environment, flag: flagKey, zone, since: sinceMs },
  );
  if (found.kind === 'unavailable') return found;
  return { kind: 'answered', value: found.value.map((row) => ({ ...row, exposures: Number(row.exposures) })) };
}
