import type { ClickhouseAddress } from '../../../clickhouse-schema/clickhouse-address.ts';
import { PLAYER_TABLES, erasedRows, type PendingErasure } from '../../../clickhouse-schema/erased-rows.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { LIMITS } from '../../../src/kernel/limits.ts';
import type { SinkPosition } from '../positions.ts';

/** Where players' rows are deleted. Everything rejects when ClickHouse cannot be reached, or says no. */
export interface ErasureTarget {
  /** Erasures that are not done and that the sink has passed, oldest first, at most one a player, all of one FACTS. */
  pending(position: SinkPosition, most: number): Promise<PendingErasure[]>;
  /** Erasures that are done and not settled, up to a position in FACTS, as `pending` gives them. */
  unsettled(position: SinkPosition, most: number): Promise<PendingErasure[]>;
  /** How many rows of each erasure there are now, by player. */
  count(erasures: readonly PendingErasure[]): Promise<ReadonlyMap<string, number>>;
  /** Stores how far erasures are. */
  note(step: 'counted' | 'done' | 'settled', erasures: readonly PendingErasure[]): Promise<void>;
  /** Deletes the rows. `later`: an earlier deletion is still at work; ask again. */
  remove(erasures: readonly PendingErasure[]): Promise<'removed' | 'later'>;
  close(): Promise<void>;
}

const TABLES = Object.keys(PLAYER_TABLES).filter((name) => isPlayerTable(name));

function isPlayerTable(name: string): name is keyof typeof PLAYER_TABLES {
  return name in PLAYER_TABLES;
}

/** As `step` in the table: the highest is the newest. */
const STEPS = { counted: 1, done: 2, settled: 3 } as const;

/**
 * Rows are deleted by ALTER TABLE … DELETE, which writes the parts that hold some anew: it is slower than a lightweight DELETE,
 * but that one only hides rows, for as long as no merge comes by, and a projection goes on counting them (seen in 26.7).
 */
export function createErasureTarget(address: ClickhouseAddress): ErasureTarget {
  const client = openClient(address, 'erasures', LIMITS.eraseRequestMs);

  async function rows<Row>(query: string, query_params: Record<string, unknown> = {}): Promise<Row[]> {
    return (await client.query({ query, query_params, format: 'JSONEachRow' })).json<Row>();
  }

  async function countIn(table: (typeof TABLES)[number], erasures: readonly PendingErasure[]) {
    return rows<{ player_id: string; n: string | number }>(
      `SELECT player_id, count() AS n FROM ${table} WHERE ${erasedRows(table, erasures)} GROUP BY player_id`,
    );
  }

  async function busy(table: string): Promise<boolean> {
    const unfinished = await rows(
      'SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND table = {table: String} AND NOT is_done LIMIT 1',
      { table },
    );
    return unfinished.length > 0;
  }

  async function find(steps: readonly number[], { stream, sequence }: SinkPosition, most: number) {
    const found = await rows<PendingRow>(PENDING, { steps, created: Date.parse(stream), sequence, most });
    const first = found[0]?.facts_created;
    return found
      .filter((row) => row.facts_created === first)
      .map((row) => ({
        game: row.game_id,
        environment: row.environment,
        playerId: row.player_id,
        createdMs: Number(row.facts_created),
        sequence: Number(row.facts_sequence),
        index: row.facts_index,
        erasedAt: Number(row.erased_at),
        rows: row.step === 0 ? undefined : Number(row.rows_deleted),
      }));
  }

  return {
    pending: (position, most) => find([0, STEPS.counted], position, most),
    unsettled: (position, most) => find([STEPS.done], position, most),
    async count(erasures) {
      const counts = new Map(erasures.map(({ playerId }) => [playerId, 0]));
      for (const table of TABLES) {
        for (const { player_id: id, n } of await countIn(table, erasures)) {
          counts.set(id, (counts.get(id) ?? 0) + Number(n));
        }
      }
      return counts;
    },
    async note(step, erasures) {
      await client.insert({
        table: 'erasures',
        format: 'JSONEachRow',
        values: erasures.map((erasure) => ({
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
        })),
        clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
      });
    },
    async remove(erasures) {
      for (const table of TABLES) {
        if ((await countIn(table, erasures)).length === 0) continue;
        if (await busy(table)) return 'later';
        await client.command({
          query: `ALTER TABLE ${table} DELETE WHERE ${erasedRows(table, erasures)}`,
          clickhouse_settings: { mutations_sync: '1' },
        });
      }
      return 'removed';
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
}

/** Erasures of an earlier FACTS come first: the sink has passed all of those. */
const PENDING = `
SELECT game_id, environment, player_id, toUnixTimestamp64Milli(erased_at) AS erased_at, rows_deleted, step,
  facts_created, facts_sequence, facts_index
FROM erasures FINAL
WHERE step IN {steps: Array(UInt8)} AND (facts_created < {created: UInt64} OR (facts_created = {created: UInt64} AND facts_sequence <= {sequence: UInt64}))
ORDER BY facts_created, facts_sequence, facts_index
LIMIT 1 BY player_id
LIMIT {most: UInt32}`;
