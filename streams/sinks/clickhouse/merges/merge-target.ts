import type { ClickhouseAddress } from '../../../../clickhouse-schema/clickhouse-address.ts';
import { movedRows, tablesOnMerge, type PendingMerge } from '../../../../clickhouse-schema/rows/moved-rows.ts';
import {
  WRITTEN_FROM_RECORDS,
  type PlayerPlace,
  type RecordsPosition,
} from '../../../../clickhouse-schema/rows/placed-rows.ts';
import type { PlayerTable } from '../../../../clickhouse-schema/rows/tables/tables.ts';
import { openClient } from '../../../../clickhouse-schema/open-client.ts';
import { SINK_LIMITS } from '../limits.ts';
import type { SinkPosition } from '../../../positions/positions.ts';
import { createRemoveRows } from '../erasure/remove-rows.ts';
import { appliedTogether, isBefore, playersOf, waitsFor, type Unfinished } from './merge-order.ts';
import { createMoveRows, type MoveRows } from './move-rows.ts';

/**
 * Moves the rows of merged players, as `player_merges` demands. Every call rejects when ClickHouse is unreachable or
 * refuses.
 */
export interface MergeTarget {
  /** Merges that the sink has passed and that may be moved together now. */
  pending(position: SinkPosition): Promise<PendingMerge[]>;
  /** Moved merges that are not settled, up to a position in FACTS, to be settled together. */
  unsettled(position: SinkPosition): Promise<PendingMerge[]>;
  /** Moves the rows. May be repeated. `later`: an earlier mutation still runs; call again. */
  move(merges: readonly PendingMerge[], records: RecordsPosition | undefined): Promise<'moved' | 'later'>;
  /** Moves the rows of guests that came after their move. */
  moveLate(merges: readonly PendingMerge[], records: RecordsPosition | undefined): Promise<'moved' | 'later'>;
  note(step: keyof typeof STEPS, merges: readonly PendingMerge[]): Promise<void>;
  /** The erasures before which no merge of their player is unfinished: not moved, or not settled. */
  free<E extends PlayerPlace>(erasures: readonly E[], until: keyof typeof STEPS): Promise<E[]>;
  /** How many merges are known and not moved, and when the oldest of them was received (epoch milliseconds). */
  waiting(): Promise<{ merges: number; oldestMs: number }>;
  close(): Promise<void>;
}

const MOST = { most: SINK_LIMITS.mergesAtOnce, nameBytes: SINK_LIMITS.mergeNameBytes };

/** As `step` in the table: the highest is the newest. */
const STEPS = { moved: 1, settled: 2 } as const;

/** @param open opens the client */
export function createMergeTarget(address: ClickhouseAddress, open = openClient): MergeTarget {
  const client = open(address, 'merges', SINK_LIMITS.mergeRequestMs);
  const removeFrom = createRemoveRows(client);
  const moveRows: MoveRows = createMoveRows(client);

  async function rows<Row>(query: string, query_params: Record<string, unknown> = {}): Promise<Row[]> {
    return (await client.query({ query, query_params, format: 'JSONEachRow' })).json<Row>();
  }

  async function find(step: number, { stream, sequence }: SinkPosition): Promise<PendingMerge[]> {
    const parameters = { step, created: Date.parse(stream), sequence, most: SINK_LIMITS.mergesRead };
    const merges = (await rows<MergeRow>(PENDING, parameters)).map(mergeOf);
    if (merges.length === 0) return merges;
    const erasures = (await rows<ErasureRow>(ERASURES)).map((row) => ({ ...placeOf(row), players: [row.player_id] }));
    return appliedTogether(merges, erasures, MOST);
  }

  return {
    pending: (position) => find(0, position),
    unsettled: (position) => find(STEPS.moved, position),
    async move(merges, records) {
      for (const table of tablesOnMerge('update', 'copy')) {
        if (!(await moveRows(table, merges, records))) return 'later';
      }
      // The account's own facts say what it is a member of; after a take-back the guest's do.
      if (merges[0]?.isUndone === true) return 'moved';
      for (const table of tablesOnMerge('drop')) {
        if (!(await removeFrom(table, movedRows(table, merges, records)))) return 'later';
      }
      return 'moved';
    },
    async moveLate(merges, records) {
      const guests = merges.map(({ playerId }) => playerId);
      const undone = (await rows<MergeRow>(TAKEN_BACK, { guests })).map(mergeOf);
      // A guest that is a player again keeps what comes.
      const late = merges.filter(
        (merge) => !merge.isUndone && !undone.some((one) => one.playerId === merge.playerId && isBefore(merge, one)),
      );
      if (late.length === 0) return 'moved';
      for (const table of LATE_TABLES) if (!(await moveRows(table, late, records))) return 'later';
      return 'moved';
    },
    async note(step, merges) {
      await client.insert({
        table: 'player_merges',
        format: 'JSONEachRow',
        values: merges.map((merge) => rowOf(step, merge)),
        clickhouse_settings: { async_insert: 0, insert_deduplicate: 0 },
      });
    },
    async free(erasures, until) {
      if (erasures.length === 0) return [];
      const players = erasures.map(({ playerId }) => playerId);
      const merges = await rows<MergeRow>(UNFINISHED, { step: STEPS[until], players });
      const unfinished = merges.map(mergeOf).map(unfinishedOf);
      return erasures.filter((erasure) => !waitsFor(unfinished, erasure, [erasure.playerId]));
    },
    async waiting() {
      const [found] = await rows<{ merges: string | number; oldest: string | number }>(WAITING);
      return { merges: Number(found?.merges ?? 0), oldestMs: Number(found?.oldest ?? 0) };
    },
    close: () => client.close(),
  };
}

const LATE_TABLES: readonly PlayerTable[] = tablesOnMerge('update', 'copy').filter((table) =>
  WRITTEN_FROM_RECORDS.has(table),
);

const unfinishedOf = (merge: PendingMerge): Unfinished => ({ ...merge, players: playersOf(merge) });

interface PlaceRow {
  player_id: string;
  facts_created: string | number;
  facts_sequence: string | number;
  facts_index: number;
}
type ErasureRow = PlaceRow;

interface MergeRow extends PlaceRow {
  game_id: string;
  environment: string;
  external_id: string;
  into_player_id: string;
  into_external_id: string;
  merge_id: string;
  merged_at: string | number;
  received_ms: string | number;
  undone: number;
}

const placeOf = (row: PlaceRow) => ({
  createdMs: Number(row.facts_created),
  sequence: Number(row.facts_sequence),
  index: row.facts_index,
});

function mergeOf(row: MergeRow): PendingMerge {
  return {
    game: row.game_id,
    environment: row.environment,
    playerId: row.player_id,
    externalId: row.external_id,
    into: { playerId: row.into_player_id, externalId: row.into_external_id },
    mergeId: row.merge_id,
    at: Number(row.merged_at),
    receivedAt: Number(row.received_ms),
    isUndone: row.undone === 1,
    ...placeOf(row),
  };
}

function rowOf(step: keyof typeof STEPS, merge: PendingMerge) {
  return {
    game_id: merge.game,
    environment: merge.environment,
    player_id: merge.playerId,
    external_id: merge.externalId,
    into_player_id: merge.into.playerId,
    into_external_id: merge.into.externalId,
    merge_id: merge.mergeId,
    merged_at: merge.at,
    received_at: merge.receivedAt,
    undone: Number(merge.isUndone),
    step: STEPS[step],
    facts_created: merge.createdMs,
    facts_sequence: merge.sequence,
    facts_index: merge.index,
  };
}

const COLUMNS = `game_id, environment, player_id, external_id, into_player_id, into_external_id, merge_id,
  toUnixTimestamp64Milli(merged_at) AS merged_at, toUnixTimestamp64Milli(received_at) AS received_ms, undone,
  facts_created, facts_sequence, facts_index`;

/** Merges of an earlier FACTS come first; the sink has passed all of them. */
const PENDING = `
SELECT ${COLUMNS}
FROM player_merges FINAL
WHERE step = {step: UInt8} AND (facts_created < {created: UInt64} OR (facts_created = {created: UInt64} AND facts_sequence <= {sequence: UInt64}))
ORDER BY facts_created, facts_sequence, facts_index
LIMIT {most: UInt32}`;

/** Erasures whose late rows may still be deleted: these would take moved rows with them. */
const ERASURES = `
SELECT player_id, facts_created, facts_sequence, facts_index FROM erasures FINAL WHERE step < 3`;

const UNFINISHED = `
SELECT ${COLUMNS}
FROM player_merges FINAL
WHERE step < {step: UInt8} AND (player_id IN {players: Array(UUID)} OR into_player_id IN {players: Array(UUID)})`;

const TAKEN_BACK = `
SELECT ${COLUMNS} FROM player_merges FINAL WHERE undone = 1 AND player_id IN {guests: Array(UUID)}`;

const WAITING = `
SELECT count() AS merges, toUnixTimestamp64Milli(min(received_at)) AS oldest FROM player_merges FINAL WHERE step = 0`;
