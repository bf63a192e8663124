import type { StreamName } from '../../../core/vocabulary/stream-name.ts';
import { crc32 } from 'node:zlib';
import type { EventHistory } from '../../../core/vocabulary/event-history.ts';
import type { SnapshotSource } from '../../../core/vocabulary/snapshot-source.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import type { ConfirmedPosition } from '../../../clickhouse-schema/queries/confirmed-position.ts';
import { TABLES, type TableName } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { type Clock, sleep } from '../../../core/kernel/clock.ts';
import { decodeState, encodeState } from '../../../core/codec/state/state-codec.ts';
import type { BlockTarget, InsertOutcome } from '../../../streams/sinks/clickhouse/block-target.ts';
import type { ErasureTarget } from '../../../streams/sinks/clickhouse/erasure/erasure-target.ts';
import { createFakeHistory } from './fake-history.ts';
import {
  type ErasureStep,
  type ErasureSteps,
  fakeErasureTarget,
  type FakeTables,
  pendingErasures,
} from './fake-erasures.ts';
import { readNativeBlock } from '../../support/wire/native-block.ts';
import { lineOf } from '../../support/wire/tab-separated.ts';
import type { Random } from '../random.ts';
import { never, type Toucher } from './touch-points.ts';
import type { World } from '../world.ts';
import type { ClickhouseMood } from './clickhouse-mood.ts';

/** ClickHouse as its sink and the rebuild use it: it takes blocks with tokens and returns the newest snapshots. */
export interface FakeClickhouse {
  mood: ClickhouseMood;
  /** Rows in the order of arrival, each as its text. */
  rows(table: TableName): readonly string[];
  /** Newest snapshot of every entity of a partition. */
  snapshots(partition: number): Map<string, EntityState>;
  /** One process's client for inserts and snapshots. */
  target(process: Toucher, clock: Clock): BlockTarget;
  source(clock: Clock): SnapshotSource;
  /** One process's client for past events. */
  history(clock: Clock): EventHistory;
  /** One process's client for deletions. */
  eraser(process: Toucher, clock: Clock): ErasureTarget;
  /** True while it takes no writes. */
  readOnly: boolean;
  /** Everything that it holds now, for `restore`. */
  backUp(): Backup;
  /** Replaces everything that it holds. */
  restore(backup: Backup): void;
  /** Erasures whose rows are not deleted yet. */
  readonly pendingErasures: number;
}

/** What a ClickHouse holds. */
export interface Backup {
  tables: ReadonlyMap<TableName, string[]>;
  tokens: ReadonlyMap<string, Uint8Array>;
  held: ReadonlyMap<StreamName, ConfirmedPosition>;
  steps: ReadonlyMap<string, ErasureStep>;
}

/** Makes a map equal to another one. */
function refill<K, V>(map: Map<K, V>, from: ReadonlyMap<K, V>): void {
  map.clear();
  for (const [key, value] of from) map.set(key, value);
}

/**
 * Takes a block completely or not at all, and drops a block with a known token, as ClickHouse does. It may take a block
 * and fail to confirm it, or take it long after the sender received an error.
 */
export function createFakeClickhouse(world: World): FakeClickhouse {
  const random = world.random('clickhouse');
  const ofErasures = world.random('clickhouse erasures');
  const ofHistory = world.random('clickhouse history');
  const tables = new Map<TableName, string[]>();
  const tokens = new Map<string, Uint8Array>();
  const held = new Map<StreamName, ConfirmedPosition>();
  const rowsOf = (table: TableName): string[] => tables.get(table) ?? [];
  const steps: ErasureSteps = new Map();
  const erasable: FakeTables = {
    rows: rowsOf,
    replace: (table, rows) => void tables.set(table, [...rows]),
    get mood() {
      return clickhouse.readOnly ? 'away' : clickhouse.mood;
    },
    latencyMs: () => latencyMs(ofErasures, clickhouse.mood),
  };

  function take(table: TableName, bytes: Uint8Array, token: string): void {
    if (clickhouse.readOnly) return;
    const known = tokens.get(token);
    world.note(crc32(bytes), () => `= ClickHouse ${known === undefined ? 'takes' : 'drops repeat of'} ${token}`);
    if (known !== undefined) {
      world.cover('clickhouse: repeat dropped');
      if (Buffer.compare(known, bytes) !== 0) {
        world.violate('one-token-one-block', `token ${token} was sent again with other rows, which are lost`);
      }
      return;
    }
    tokens.set(token, bytes);
    const lines = readNativeBlock(bytes).rows.map((values) => lineOf(TABLES[table].types, values));
    tables.set(table, [...rowsOf(table), ...lines]);
  }

  /** The outcome of one insert, which depends on the current mood. */
  async function insert(clock: Clock, table: TableName, bytes: Uint8Array, token: string): Promise<InsertOutcome> {
    await sleep(clock, latencyMs(random, clickhouse.mood));
    const failed = (message: string): InsertOutcome => ({ kind: 'failed', refused: false, message });
    if (clickhouse.mood === 'away' || clickhouse.readOnly) return failed('connection refused');
    if (clickhouse.mood === 'crashing' && random.chance(0.6)) {
      if (random.chance(0.4)) return failed('connection reset before');
      // The block is stored, or will be, but the sender gets no confirmation.
      const late = random.chance(0.3);
      world.cover(late ? 'clickhouse: took a block late, unsaid' : 'clickhouse: took a block unsaid');
      if (late) world.clock.timer(random.between(100, 6_000), () => take(table, bytes, token));
      else take(table, bytes, token);
      return failed('connection reset after');
    }
    take(table, bytes, token);
    await sleep(clock, random.between(0.5, 4));
    return { kind: 'inserted' };
  }

  function newestSince(partition: number, changedSince: number): EntityState[] {
    return [...clickhouse.snapshots(partition).values()].filter(({ lastSeq }) => lastSeq >= changedSince);
  }

  const clickhouse: FakeClickhouse = {
    mood: 'well',
    readOnly: false,
    rows: rowsOf,
    snapshots(partition) {
      const states = merged(rowsOf('player_snapshots'))
        .filter((value) => Number(value('partition')) === partition)
        .map((value) => decodeState(Buffer.from(value('state'), 'base64')));
      return new Map(states.map((state) => [state.id, state]));
    },
    target: (process, clock) => ({
      async insert(table, bytes, token) {
        // A request that was sent arrives even if its sender dies: it uses the world's time and its own copy of the
        // bytes.
        const outcome = insert(world.clock, table, Uint8Array.from(bytes), token);
        if (process.touch('insert sent')) return never();
        const answer = await outcome;
        // The reply reaches the process only while it runs.
        await sleep(clock, 0.1);
        return process.touch('insert answered') ? never() : answer;
      },
      async confirmedTo(stream) {
        await sleep(clock, latencyMs(random, clickhouse.mood));
        if (clickhouse.mood === 'away') throw new Error('connection refused');
        return held.get(stream);
      },
      async noteConfirmed(stream, position, noted) {
        await sleep(clock, latencyMs(random, clickhouse.mood));
        if (clickhouse.mood === 'away' || clickhouse.readOnly) throw new Error('connection refused');
        // A sink that lost its lease may note an older one.
        const before = held.get(stream);
        if (noted !== undefined && (before?.createdMs !== noted.createdMs || before.sequence < noted.sequence)) {
          return false;
        }
        if (before === undefined || before.createdMs < position.createdMs || before.sequence < position.sequence) {
          held.set(stream, position);
        }
        return true;
      },
      close: () => Promise.resolve(),
    }),
    history(clock) {
      return createFakeHistory({
        rows: () => rowsOf('events'),
        confirmedTo: () => held.get('FACTS'),
        request: async (act) => {
          await sleep(clock, latencyMs(ofHistory, clickhouse.mood));
          if (clickhouse.mood === 'away') throw new Error('connection refused');
          return act();
        },
      });
    },
    eraser: (process, clock) => fakeErasureTarget(erasable, steps, process, clock),
    backUp: () => ({
      tables: new Map(tables),
      tokens: new Map(tokens),
      held: new Map(held),
      steps: new Map(steps),
    }),
    restore(backup) {
      refill(tables, backup.tables);
      refill(tokens, backup.tokens);
      refill(held, backup.held);
      refill(steps, backup.steps);
    },
    get pendingErasures() {
      return pendingErasures(erasable, steps).length;
    },
    source: (clock) => ({
      async confirmedTo() {
        await sleep(clock, latencyMs(random, clickhouse.mood));
        if (clickhouse.mood === 'away') throw new Error('connection refused');
        return held.get('FACTS');
      },
      async count(partition, changedSince) {
        await sleep(clock, latencyMs(random, clickhouse.mood));
        if (clickhouse.mood === 'away') throw new Error('connection refused');
        return newestSince(partition, changedSince).length;
      },
      async countPlayers(partition) {
        await sleep(clock, latencyMs(random, clickhouse.mood));
        if (clickhouse.mood === 'away') throw new Error('connection refused');
        return newestSince(partition, 0).filter(({ kind }) => kind !== 'ledger').length;
      },
      async *load(partition, changedSince) {
        world.cover(changedSince === 0 ? 'rebuild from snapshots' : 'catch-up from snapshots');
        // The engine reads the table as it was when the query began.
        const states = newestSince(partition, changedSince);
        for (let at = 0; at < states.length; at += SNAPSHOTS_AT_ONCE) {
          await sleep(clock, latencyMs(random, clickhouse.mood));
          if (clickhouse.mood === 'away') throw new Error('connection refused');
          yield states.slice(at, at + SNAPSHOTS_AT_ONCE).map(encodeState);
        }
      },
    }),
  };
  return clickhouse;
}

const SNAPSHOTS_AT_ONCE = 8;

type RowOfSnapshots = (column: string) => string;

/** Rows of `player_snapshots` as after a merge: of the rows with one sorting key the newest is left. */
function merged(rows: readonly string[]): RowOfSnapshots[] {
  const newest = new Map<string, { version: bigint; value: RowOfSnapshots }>();
  for (const row of rows) {
    const values = row.split('\t');
    const value = (column: string): string => values[TABLES.player_snapshots.columns.indexOf(column)] ?? '';
    const key = ['game_id', 'environment', 'player_id', 'entity_id'].map(value).join('\t');
    const version = BigInt(value('version'));
    const held = newest.get(key);
    if (held === undefined || held.version <= version) newest.set(key, { version, value });
  }
  return [...newest.values()].map(({ value }) => value);
}

function latencyMs(random: Random, mood: ClickhouseMood): number {
  return mood === 'slow' ? random.between(200, 6_000) : random.between(1, 20);
}
