import type { ClickhouseAddress } from '../../../../clickhouse-schema/clickhouse-address.ts';
import { openClient } from '../../../../clickhouse-schema/open-client.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { HandledTo } from '../../../positions/positions.ts';
import { createRemoveRows } from '../erasure/remove-rows.ts';
import { BUILD_LEVELS, BUILD_LEVELS_OF_PLAYERS } from './levels.ts';
import { BUILD_DAY, BUILD_PLAYERS, OF_PLAYERS, PLACE_DAYS, TOUCHED_DAYS } from './statements.ts';

/** A day of one game and environment. */
export interface TouchedDay {
  game: string;
  environment: string;
  /** As `2026-11-23`. */
  day: string;
}

/** Players of one game and environment. */
export interface Players {
  game: string;
  environment: string;
  /** UUIDs, at most `erasuresAtOnce`. */
  ids: readonly string[];
}

/**
 * Builds `player_days` and `player_levels` in ClickHouse. Every call rejects if ClickHouse is unreachable or refuses.
 */
export interface PlayerDaysTarget {
  /** `undefined`: nothing is built yet. */
  builtTo(): Promise<HandledTo | undefined>;
  /** The days with rows behind `from`, up to `to.sequence`; oldest first. */
  touched(from: number, to: HandledTo): Promise<TouchedDay[]>;
  /** Builds one of these days. `place` is its index. May be repeated. */
  build(touched: TouchedDay, place: number, from: number, to: HandledTo): Promise<void>;
  noteBuilt(to: HandledTo, at: number, seconds: number): Promise<void>;
  /**
   * Deletes the rows of players and builds them from the rows that are left. May be repeated. `later`: an earlier
   * deletion still runs; call again.
   */
  rebuild(players: readonly Players[], to: HandledTo): Promise<'rebuilt' | 'later'>;
  close(): Promise<void>;
}

/** One thread and little memory: the build runs beside inserts and readers. */
const SETTINGS = {
  async_insert: 0,
  max_threads: 1,
  max_memory_usage: String(SINK_LIMITS.playerDaysMemoryBytes),
  max_bytes_before_external_group_by: String(SINK_LIMITS.playerDaysMemoryBytes / 4),
  // The days of all players of a large day are sorted for their place in the players' histories.
  max_bytes_before_external_sort: String(SINK_LIMITS.playerDaysMemoryBytes / 4),
} as const;

/** The tables of one build. */
const BUILT_TABLES = ['player_days', 'player_levels'] as const;

const BUILT_TO = 'SELECT stream_created AS created, sequence AS built FROM player_days_builds FINAL';

/** The versions of one build: two for each of its days, one for each step. */
const VERSIONS_OF_SEQUENCE = 2n ** 24n;
const VERSIONS_OF_DAY = 2;

export function createPlayerDaysTarget(address: ClickhouseAddress): PlayerDaysTarget {
  const client = openClient(address, 'player days', SINK_LIMITS.playerDaysRequestMs);
  const rows = async <Row>(query: string, query_params: Record<string, unknown> = {}): Promise<Row[]> =>
    (await client.query({ query, query_params, format: 'JSONEachRow', clickhouse_settings: SETTINGS })).json<Row>();
  const remove = createRemoveRows(client);
  const run = (query: string, query_params: Record<string, unknown>) =>
    client.command({ query, query_params, clickhouse_settings: SETTINGS });

  return {
    async builtTo() {
      const [row] = await rows<{ created: string | number; built: string | number }>(BUILT_TO);
      return row && { createdMs: Number(row.created), sequence: Number(row.built) };
    },
    async touched(from, to) {
      const found = await rows<{ game_id: string; environment: string; day: string }>(TOUCHED_DAYS, {
        from,
        to: to.sequence,
      });
      return found.map(({ game_id: game, environment, day }) => ({ game, environment, day }));
    },
    async build({ game, environment, day }, place, from, to) {
      const version = String(versionOf(to, place));
      const parameters = { game, environment, day, from, to: to.sequence, version };
      await run(BUILD_DAY, parameters);
      await run(PLACE_DAYS, parameters);
      await run(BUILD_LEVELS, parameters);
    },
    async noteBuilt(to, at, seconds) {
      await client.insert({
        table: 'player_days_builds',
        format: 'JSONEachRow',
        values: [{ stream_created: to.createdMs, sequence: to.sequence, built_at: at, seconds }],
        clickhouse_settings: { async_insert: 0 },
      });
    },
    async rebuild(groups, to) {
      const version = String(versionOf(to, 0));
      for (const { game, environment, ids } of groups) {
        const parameters = { game, environment, players: ids, version };
        for (const table of BUILT_TABLES) {
          if (!(await remove(table, OF_PLAYERS, parameters))) return 'later';
        }
        await run(BUILD_PLAYERS, parameters);
        await run(BUILD_LEVELS_OF_PLAYERS, parameters);
      }
      return 'rebuilt';
    },
    close: () => client.close(),
  };
}

/** Grows with the position, then with the place of the day in its build. Step 2 adds 1. */
function versionOf(to: HandledTo, place: number): bigint {
  const ofDay = BigInt(place * VERSIONS_OF_DAY) % VERSIONS_OF_SEQUENCE;
  return (BigInt(to.createdMs) << 64n) + BigInt(to.sequence) * VERSIONS_OF_SEQUENCE + ofDay;
}
