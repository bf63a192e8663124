import type { ClickhouseAddress } from '../../../../clickhouse-schema/clickhouse-address.ts';
import { openClient } from '../../../../clickhouse-schema/open-client.ts';
import { followZones } from '../../../../clickhouse-schema/views/apply-views.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { HandledTo } from '../../../positions/positions.ts';
import { createRemoveRows } from '../erasure/remove-rows.ts';
import { BUILD_LEVELS, BUILD_LEVELS_OF_PLAYERS, BUILD_LEVELS_OF_SLICE } from './levels.ts';
import { BUILD_PLAYERS, FINISH_DAYS, OF_PLAYERS, STAGE_DAY, TOUCHED, TOUCHED_DAYS } from './statements.ts';

/** A game and environment. */
export interface Tenant {
  game: string;
  environment: string;
}

/** How far a game and environment is built, as `player_days_builds` holds it. Times are epoch milliseconds. */
export interface Built extends Tenant, HandledTo {
  /** Rows up to this sequence wait; 0: none. */
  waitsTo: number;
  /** Everything received before is built. 0: nothing is, in the game's time zone. */
  builtToMs: number;
  zone: string;
  builtAtMs: number;
  seconds: number;
  version: bigint;
}

/** A build of one game and environment. */
export interface Build extends Tenant {
  /** The sequences of the rows whose players are built again. 0: those of all rows. */
  from: number;
  to: HandledTo;
  zone: string;
  version: bigint;
}

/** A place in FACTS up to which all rows are in ClickHouse, and the time up to which these are all there are. */
export interface SinkPlace {
  to: HandledTo;
  asOfMs: number;
}

/** Players of one game and environment. */
export interface Players extends Tenant {
  /** UUIDs, at most `erasuresAtOnce`. */
  ids: readonly string[];
}

/**
 * Builds `player_days` and `player_levels` in ClickHouse. Every call rejects if ClickHouse is unreachable or refuses.
 */
export interface PlayerDaysTarget {
  builds(): Promise<Built[]>;
  note(builds: readonly Built[]): Promise<void>;
  /** The games with rows behind `from`, up to `to`. */
  touched(from: number, to: HandledTo): Promise<Tenant[]>;
  /** Begins a build, or begins it again. @returns its days, oldest first */
  begin(build: Build): Promise<string[]>;
  stage(build: Build, day: string): Promise<void>;
  /** Into how many parts the end of a build is divided. */
  slices(build: Build): Promise<number>;
  finish(build: Build, slice: number, slices: number): Promise<void>;
  /** Makes the views count days in the zones that are built. */
  followZones(): Promise<void>;
  /**
   * Deletes the rows of players and builds them from the rows that are left. May be repeated. `later`: an earlier
   * deletion still runs; call again.
   */
  rebuild(players: Players, build: Pick<Build, 'zone' | 'version'>): Promise<'rebuilt' | 'later'>;
  close(): Promise<void>;
}

/** One thread and little memory: the build runs beside inserts and readers. */
const SETTINGS = {
  async_insert: 0,
  max_threads: 1,
  max_memory_usage: String(SINK_LIMITS.playerDaysMemoryBytes),
  max_bytes_before_external_group_by: String(SINK_LIMITS.playerDaysMemoryBytes / 4),
  // The days of all players of a large build are sorted for their place in the players' histories.
  max_bytes_before_external_sort: String(SINK_LIMITS.playerDaysMemoryBytes / 4),
} as const;

/** The tables that hold rows of players. */
const BUILT_TABLES = ['player_days', 'player_days_staged', 'player_levels'] as const;

const BUILDS = `SELECT game_id AS game, environment, toFloat64(stream_created) AS createdMs,
    toFloat64(sequence) AS sequence, toFloat64(waits_to) AS waitsTo,
    toFloat64(toUnixTimestamp64Milli(built_to)) AS builtToMs, zone,
    toFloat64(toUnixTimestamp64Milli(built_at)) AS builtAtMs, seconds, toString(version) AS version,
    toFloat64(noted) AS noted
  FROM player_days_builds FINAL`;

export function createPlayerDaysTarget(address: ClickhouseAddress): PlayerDaysTarget {
  const client = openClient(address, 'player days', SINK_LIMITS.playerDaysRequestMs);
  const rows = async <Row>(query: string, query_params: Record<string, unknown> = {}): Promise<Row[]> =>
    (await client.query({ query, query_params, format: 'JSONEachRow', clickhouse_settings: SETTINGS })).json<Row>();
  const remove = createRemoveRows(client);
  const run = (query: string, query_params: Record<string, unknown>) =>
    client.command({ query, query_params, clickhouse_settings: SETTINGS });
  let noted = 0;

  return {
    async builds() {
      const found = await rows<Omit<Built, 'version'> & { version: string; noted: number }>(BUILDS);
      noted = Math.max(noted, ...found.map((row) => row.noted));
      return found.map((row) => ({ ...row, version: BigInt(row.version) }));
    },
    async note(builds) {
      noted += 1;
      await client.insert({
        table: 'player_days_builds',
        format: 'JSONEachRow',
        values: builds.map((build) => noteOf(build, noted)),
        clickhouse_settings: { async_insert: 0 },
      });
    },
    async touched(from, to) {
      const found = await rows<{ game_id: string; environment: string }>(TOUCHED, { from, to: to.sequence });
      return found.map(({ game_id: game, environment }) => ({ game, environment }));
    },
    async begin(build) {
      const { game, environment } = build;
      const partition = 'ALTER TABLE player_days_staged DROP PARTITION ({game: String}, {environment: String})';
      await run(partition, { game, environment });
      return (await rows<{ day: string }>(TOUCHED_DAYS, parametersOf(build))).map(({ day }) => day);
    },
    async stage(build, day) {
      const parameters = { ...parametersOf(build), day };
      await run(STAGE_DAY, parameters);
      // A row of a level holds all of its days: a build of all rows makes them at its end.
      if (build.from > 0) await run(BUILD_LEVELS, parameters);
    },
    async slices({ game, environment }) {
      const staged =
        'SELECT count() AS n FROM player_days_staged WHERE game_id = {game: String} AND environment = {environment: String}';
      const [found] = await rows<{ n: string | number }>(staged, { game, environment });
      return Math.max(1, Math.ceil(Number(found?.n ?? 0) / SINK_LIMITS.playerDaysSliceRows));
    },
    async finish(build, slice, slices) {
      const parameters = { ...parametersOf(build), slice, slices };
      await run(FINISH_DAYS, parameters);
      if (build.from === 0) await run(BUILD_LEVELS_OF_SLICE, parameters);
    },
    async followZones() {
      await followZones(client);
    },
    async rebuild({ game, environment, ids }, { zone, version }) {
      const parameters = { game, environment, players: ids, zone, version: String(version) };
      for (const table of BUILT_TABLES) {
        if (!(await remove(table, OF_PLAYERS, parameters))) return 'later';
      }
      await run(BUILD_PLAYERS, parameters);
      await run(BUILD_LEVELS_OF_PLAYERS, parameters);
      return 'rebuilt';
    },
    close: () => client.close(),
  };
}

const parametersOf = ({ game, environment, from, to, zone, version }: Build) => ({
  game,
  environment,
  from,
  to: to.sequence,
  zone,
  version: String(version),
});

function noteOf(build: Built, noted: number) {
  const { game, environment, createdMs, sequence, waitsTo, builtToMs, zone, builtAtMs, seconds, version } = build;
  return {
    game_id: game,
    environment,
    stream_created: createdMs,
    sequence,
    waits_to: waitsTo,
    built_to: builtToMs,
    zone,
    built_at: builtAtMs,
    seconds,
    version: String(version),
    noted,
  };
}
