import type { ClickHouseClient } from '@clickhouse/client';

/** Up to when the days of a game are built. */
export interface BuiltTo {
  /** Everything received before is in the days, epoch milliseconds; `undefined`: all days are being built anew. */
  ms: number | undefined;
  /** The place in FACTS up to which the builder has looked; `undefined`: rows of the game wait to be built. */
  looked: { createdMs: number; sequence: number } | undefined;
}

/**
 * Reads it. Rejects as the client does.
 * @param zone of the question: days of another zone wait to be built anew, also before the builder has noted it
 */
export async function readBuiltTo(
  client: ClickHouseClient,
  { game, environment, zone }: { game: string; environment: string; zone: string },
): Promise<BuiltTo> {
  const result = await client.query({ query: BUILT_TO, query_params: { game, environment }, format: 'JSONEachRow' });
  const rows = await result.json<BuildRow>();
  const own = rows.find(({ of_all: ofAll }) => !ofAll);
  const all = rows.find(({ of_all: ofAll }) => ofAll);
  if (own !== undefined && own.zone !== '' && own.zone !== zone) return { ms: undefined, looked: undefined };
  const msOf = (row: { at: number } | undefined): number | undefined => row?.at || undefined;
  if (own?.waits === true) return { ms: msOf(own), looked: undefined };
  return { ms: msOf(all), looked: all && { createdMs: all.created, sequence: all.sequence } };
}

interface BuildRow {
  of_all: boolean;
  waits: boolean;
  zone: string;
  at: number;
  created: number;
  sequence: number;
}

const BUILT_TO = `SELECT toBool(game_id = '') AS of_all, toBool(waits_to > 0) AS waits, zone,
    toFloat64(toUnixTimestamp64Milli(built_to)) AS at, toFloat64(stream_created) AS created,
    toFloat64(sequence) AS sequence
  FROM player_days_builds FINAL
  WHERE game_id = '' OR (game_id = {game: String} AND environment = {environment: String})`;
