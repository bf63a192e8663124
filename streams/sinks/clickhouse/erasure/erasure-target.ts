import type { ClickhouseAddress } from '../../../../clickhouse-schema/clickhouse-address.ts';
import { isPlayerTable, TABLE_NAMES } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import {
  DEVICE_KEY,
  SCORE_TABLES,
  deviceKey,
  erasedRows,
  erasedScores,
  type PendingErasure,
} from '../../../../clickhouse-schema/rows/erased-rows.ts';
import type { RecordsPosition } from '../../../../clickhouse-schema/rows/placed-rows.ts';
import { openClient } from '../../../../clickhouse-schema/open-client.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { SinkPosition } from '../../../positions/positions.ts';
import { createRemoveRows } from './remove-rows.ts';

/**
 * Deletes players' rows, and the scores of their devices up to a position in RECORDS (`undefined`: none). Every call
 * rejects when ClickHouse is unreachable or refuses.
 */
export interface ErasureTarget {
  /** Pending erasures that the sink has passed, oldest first, at most one for each player, all of one FACTS. */
  pending(position: SinkPosition, most: number): Promise<PendingErasure[]>;
  /** Erasures that are done and not settled, up to a position in FACTS, as `pending` gives them. */
  unfinished(position: SinkPosition, most: number): Promise<PendingErasure[]>;
  /** The current number of rows of each erasure, by player. */
  count(
    erasures: readonly PendingErasure[],
    records: RecordsPosition | undefined,
  ): Promise<ReadonlyMap<string, number>>;
  /** Stores the step of erasures. */
  note(step: 'counted' | 'done' | 'settled', erasures: readonly PendingErasure[]): Promise<void>;
  /** Deletes the rows. `later`: an earlier deletion still runs; call again. */
  remove(erasures: readonly PendingErasure[], records: RecordsPosition | undefined): Promise<'removed' | 'later'>;
  /** Deletes the devices of settled erasures. */
  forgetDevices(): Promise<void>;
  close(): Promise<void>;
}

const PLAYER_TABLES = TABLE_NAMES.filter((table) => isPlayerTable(table));

/** As `step` in the table: the highest is the newest. */
const STEPS = { counted: 1, done: 2, settled: 3 } as const;

export function createErasureTarget(address: ClickhouseAddress): ErasureTarget {
  const client = openClient(address, 'erasures', SINK_LIMITS.eraseRequestMs);
  const removeFrom = createRemoveRows(client);

  async function rows<Row>(query: string, query_params: Record<string, unknown> = {}): Promise<Row[]> {
    return (await client.query({ query, query_params, format: 'JSONEachRow' })).json<Row>();
  }

  async function countIn(
    table: (typeof PLAYER_TABLES)[number],
    erasures: readonly PendingErasure[],
    records: RecordsPosition | undefined,
  ) {
    return rows<{ player_id: string; n: string | number }>(
      `SELECT player_id, count() AS n FROM ${table} WHERE ${erasedRows(table, erasures, records)} GROUP BY player_id`,
    );
  }

  async function find(steps: readonly number[], { stream, sequence }: SinkPosition, most: number) {
    const found = await rows<PendingRow>(PENDING, { steps, created: Date.parse(stream), sequence, most });
    const first = found[0]?.facts_created;
    return found.filter((row) => row.facts_created === first).map(erasureOf);
  }

  /** Erasures whose device no other player of the game and environment has now. */
  async function withOwnDevice(erasures: readonly PendingErasure[]): Promise<PendingErasure[]> {
    const withDevice = erasures.filter(({ deviceId }) => deviceId !== '');
    if (withDevice.length === 0) return [];
    const found = await rows<{ device: string; players: string[] }>(PLAYERS_OF_DEVICES, {
      games: withDevice.map(({ game }) => game),
      environments: withDevice.map(({ environment }) => environment),
      devices: withDevice.map(({ deviceId }) => deviceId),
    });
    const players = new Map(found.map((row) => [row.device, row.players]));
    return withDevice.filter((erasure) => {
      const others = players.get(deviceKey(erasure)) ?? [];
      return others.every((playerId) => playerId === erasure.playerId);
    });
  }

  return {
    pending: (position, most) => find([0, STEPS.counted], position, most),
    unfinished: (position, most) => find([STEPS.done], position, most),
    async count(erasures, records) {
      const counts = new Map(erasures.map(({ playerId }) => [playerId, 0]));
      for (const table of PLAYER_TABLES) {
        for (const { player_id: id, n } of await countIn(table, erasures, records)) {
          counts.set(id, (counts.get(id) ?? 0) + Number(n));
        }
      }
      const alone = records === undefined ? [] : await withOwnDevice(erasures);
      if (records === undefined || alone.length === 0) return counts;
      // If two players with the same device are erased together, one of them counts its scores.
      const owners = new Map(alone.map((erasure) => [deviceKey(erasure), erasure.playerId]));
      for (const table of SCORE_TABLES) {
        const query = `SELECT ${DEVICE_KEY} AS device, count() AS n FROM ${table} WHERE ${erasedScores(alone, records)} GROUP BY device`;
        for (const { device, n } of await rows<{ device: string; n: string | number }>(query)) {
          const owner = owners.get(device) ?? '';
          counts.set(owner, (counts.get(owner) ?? 0) + Number(n));
        }
      }
      return counts;
    },
    async note(step, erasures) {
      await client.insert({
        table: 'erasures',
        format: 'JSONEachRow',
        values: erasures.map((erasure) => rowOf(step, erasure)),
        clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
      });
    },
    async remove(erasures, records) {
      for (const table of PLAYER_TABLES) {
        if (!(await removeFrom(table, erasedRows(table, erasures, records)))) return 'later';
      }
      const alone = records === undefined ? [] : await withOwnDevice(erasures);
      if (records === undefined || alone.length === 0) return 'removed';
      for (const table of SCORE_TABLES) {
        if (!(await removeFrom(table, erasedScores(alone, records)))) return 'later';
      }
      return 'removed';
    },
    async forgetDevices() {
      await removeFrom('erasures', SETTLED_DEVICES);
    },
    close: () => client.close(),
  };
}

interface PendingRow {
  game_id: string;
  environment: string;
  player_id: string;
  erased_at: string | number;
  rows_deleted: string | number;
  step: number;
  facts_created: string | number;
  facts_sequence: string | number;
  facts_index: number;
  device_id: string;
}

function erasureOf(row: PendingRow): PendingErasure {
  return {
    game: row.game_id,
    environment: row.environment,
    playerId: row.player_id,
    createdMs: Number(row.facts_created),
    sequence: Number(row.facts_sequence),
    index: row.facts_index,
    erasedAt: Number(row.erased_at),
    rows: row.step === 0 ? undefined : Number(row.rows_deleted),
    deviceId: row.device_id,
  };
}

function rowOf(step: keyof typeof STEPS, erasure: PendingErasure) {
  return {
    game_id: erasure.game,
    environment: erasure.environment,
    player_id: erasure.playerId,
    erased_at: erasure.erasedAt,
    received_at: erasure.erasedAt,
    rows_deleted: erasure.rows ?? 0,
    step: STEPS[step],
    facts_created: erasure.createdMs,
    facts_sequence: erasure.sequence,
    facts_index: erasure.index,
    device_id: step === 'settled' ? '' : erasure.deviceId,
  };
}

/** Two players of a device suffice to know that it is shared. */
const PLAYERS_OF_DEVICES = `
SELECT concat(game_id, '/', environment, '/', assumeNotNull(device_id)) AS device,
  groupUniqArray(2)(toString(player_id)) AS players
FROM player_snapshots FINAL
WHERE kind = 'player' AND game_id IN {games: Array(String)} AND environment IN {environments: Array(String)}
  AND device_id IN {devices: Array(String)}
GROUP BY device`;

/** Rows of an erasure before `settled`, which still hold the device. */
const SETTLED_DEVICES = `device_id != '' AND (player_id, facts_created, facts_sequence, facts_index) IN (
  SELECT player_id, facts_created, facts_sequence, facts_index FROM erasures WHERE step = ${STEPS.settled})`;

/** Erasures of an earlier FACTS come first; the sink has passed all of them. */
const PENDING = `
SELECT game_id, environment, player_id, toUnixTimestamp64Milli(erased_at) AS erased_at, rows_deleted, step,
  facts_created, facts_sequence, facts_index, device_id
FROM erasures FINAL
WHERE step IN {steps: Array(UInt8)} AND (facts_created < {created: UInt64} OR (facts_created = {created: UInt64} AND facts_sequence <= {sequence: UInt64}))
ORDER BY facts_created, facts_sequence, facts_index
LIMIT 1 BY player_id
LIMIT {most: UInt32}`;
