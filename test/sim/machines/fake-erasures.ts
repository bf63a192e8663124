import {
  isPlayerTable,
  TABLE_NAMES,
  TABLES,
  type PlayerTable,
  type TableName,
} from '../../../clickhouse-schema/rows/tables/tables.ts';
import { ROW_STEP } from '../../../clickhouse-schema/rows/common-columns.ts';
import type { PendingErasure } from '../../../clickhouse-schema/rows/erased-rows.ts';
import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import type { ErasureTarget } from '../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { never, type Toucher } from './touch-points.ts';
import type { ClickhouseMood } from './clickhouse-mood.ts';

/** The tables of the fake ClickHouse. */
export interface FakeTables {
  rows(table: TableName): readonly string[];
  replace(table: TableName, rows: readonly string[]): void;
  readonly mood: ClickhouseMood;
  latencyMs(): number;
}

/** The progress of an erasure, by its position in the log. */
export type ErasureSteps = Map<string, ErasureStep>;

export interface ErasureStep {
  step: 'counted' | 'done' | 'settled';
  rows: number;
}

/** Erasures in progress. */
export function pendingErasures(tables: FakeTables, steps: ErasureSteps): PendingErasure[] {
  const all = tables.rows('erasures').map((row): PendingErasure => {
    const value = (column: string) => valueOf('erasures', row, column);
    return {
      game: value('game_id'),
      environment: value('environment'),
      playerId: value('player_id'),
      createdMs: Number(value('facts_created')),
      sequence: Number(value('facts_sequence')),
      index: Number(value('facts_index')),
      erasedAt: 0,
      rows: undefined,
      deviceId: value('device_id'),
    };
  });
  return all
    .filter((erasure) => !isDone(steps, erasure))
    .map((erasure) => ({ ...erasure, rows: steps.get(keyOf(erasure))?.rows }))
    .toSorted((a, b) => a.sequence - b.sequence || a.index - b.index);
}

const isDone = (steps: ErasureSteps, erasure: PendingErasure): boolean =>
  ['done', 'settled'].includes(steps.get(keyOf(erasure))?.step ?? '');

/** One process's client for deletions. A call is answered late, refused, or never answered if the process dies. */
export function fakeErasureTarget(
  tables: FakeTables,
  steps: ErasureSteps,
  process: Toucher,
  clock: Clock,
): ErasureTarget {
  async function request<T>(act: () => T): Promise<T> {
    await sleep(clock, tables.latencyMs());
    if (tables.mood === 'away') throw new Error('connection refused');
    if (process.touch('erasure sent')) return never();
    const answer = act();
    if (process.touch('erasure answered')) return never();
    if (tables.mood === 'crashing') throw new Error('connection reset after');
    return answer;
  }

  return {
    pending: ({ sequence }, most) =>
      request(() => {
        const players = new Set<string>();
        const passed = pendingErasures(tables, steps).filter((erasure) => erasure.sequence <= sequence);
        return passed.filter(({ playerId }) => players.size < players.add(playerId).size).slice(0, most);
      }),
    // The simulation writes no rows through RECORDS.
    unfinished: () => Promise.resolve([]),
    count: (erasures) =>
      request(() => {
        const counts = erasures.map((erasure) => {
          const found = tableNames().flatMap((table) =>
            tables.rows(table).filter((row) => isErased(table, row, erasure)),
          );
          return [erasure.playerId, found.length] as const;
        });
        return new Map(counts);
      }),
    note: (step, erasures) =>
      request(() => {
        for (const erasure of erasures) steps.set(keyOf(erasure), { step, rows: erasure.rows ?? 0 });
      }),
    remove: (erasures) =>
      request(() => {
        for (const table of tableNames()) {
          const left = tables.rows(table).filter((row) => !erasures.some((erasure) => isErased(table, row, erasure)));
          tables.replace(table, left);
        }
        process.cover('clickhouse: rows of erased players removed');
        return 'removed' as const;
      }),
    // Nor does it write scores.
    forgetDevices: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

const keyOf = ({ sequence, index }: PendingErasure): string => `${sequence}-${index}`;

function tableNames(): PlayerTable[] {
  return TABLE_NAMES.filter((table) => isPlayerTable(table));
}

/** Whether a row is older than its player's erasure, by its position in the log, which is also part of its version. */
export function isErased(table: PlayerTable, row: string, erasure: PendingErasure): boolean {
  if (valueOf(table, row, 'player_id') !== erasure.playerId) return false;
  const [sequence, index] = placeOf(table, row);
  return sequence < erasure.sequence || (sequence === erasure.sequence && index < erasure.index);
}

function placeOf(table: PlayerTable, row: string): readonly [sequence: number, index: number] {
  const value = (column: string) => valueOf(table, row, column);
  switch (TABLES[table].placing) {
    case 'facts':
      // Several rows of one fact have its index in the lower half.
      return [Number(value('facts_sequence')), Number(value('facts_index')) % ROW_STEP];
    // The tombstone has the same version as a snapshot from the record of the erasure, and replaces it.
    case 'snapshots':
      return [Number(BigInt.asUintN(64, BigInt(value('version')))), Infinity];
    case 'memberships': {
      const place = BigInt.asUintN(80, BigInt(value('version')));
      return [Number(place >> 32n), Number(BigInt.asUintN(32, place))];
    }
  }
}

function valueOf(table: TableName, row: string, column: string): string {
  const { columns } = TABLES[table];
  return row.split('\t')[columns.indexOf(column)] ?? '';
}
