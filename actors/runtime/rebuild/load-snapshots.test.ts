import { describe, expect, it } from 'vitest';
import { REBUILD_LIMITS } from './limits.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { encodeState } from '../../../core/codec/state/state-codec.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { aPlayer } from '../../testing-players.ts';
import { loadSnapshots, type LoadOptions } from './load-snapshots.ts';
import { createMemoryStores } from '../store/store-memory.ts';
import type { SnapshotSource } from '../../../core/vocabulary/snapshot-source.ts';
import type { PartitionStore, StoreBatch } from '../store/store.ts';

/** Entities in one batch of the source. */
const ROWS = 1_000;
const CREATED = 'c1';
const COVERED = 1_000_000;
const FROM_NOTHING = { factsCreated: CREATED, appliedSeq: 0, coveredTo: COVERED, confirm: async () => {} };

/** A source of so many batches, and how many of them were asked for. */
function manyRows(batches: number): SnapshotSource & { pulled: number } {
  const source = {
    pulled: 0,
    confirmedTo: async () => undefined,
    count: async () => batches * ROWS,
    countPlayers: async () => batches * ROWS,
    async *load() {
      for (let batch = 0; batch < batches; batch++) {
        source.pulled += 1;
        yield Array.from({ length: ROWS }, (_, row) => encodeState(aPlayer({ id: `${batch}-${row}`, lastSeq: 5 })));
      }
    },
  };
  return source;
}

/** A store whose writes wait for `next`. */
function slowStore() {
  const store = createMemoryStores().partition(0);
  const waiting: (() => void)[] = [];
  const written: StoreBatch[] = [];
  const slow: PartitionStore = {
    ...store,
    async write(batch) {
      await new Promise<void>((resolve) => waiting.push(resolve));
      written.push(batch);
      await store.write(batch);
    },
  };
  return { store: slow, written, next: () => waiting.shift()?.() };
}

function optionsOf(store: PartitionStore, source: SnapshotSource, more: Partial<LoadOptions> = {}): LoadOptions {
  const clock = createFakeClock();
  const given = { partition: 0, clock, store, source, logger: silentLogger, metrics: createMetrics() };
  return { ...given, stopped: () => false, limits: { rebuildSortEntities: 2_000 }, ...more };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('loading snapshots', () => {
  it('reads no further than two gatherings ahead of the store, however many there are', async () => {
    const { store, written, next } = slowStore();
    const source = manyRows(40);
    const loaded = loadSnapshots(optionsOf(store, source), FROM_NOTHING);
    for (let turn = 0; turn < 30; turn++) {
      await settled();
      const rowsWritten = written.reduce((sum, { entities }) => sum + entities.length, 0);
      // 2,000 are being written, 2,000 wait for them, and the source has made 1,000 more.
      expect(source.pulled * ROWS - rowsWritten).toBeLessThanOrEqual(5_000);
      next();
    }
    const draining = setInterval(next, 0);
    await loaded;
    clearInterval(draining);
    expect(store.count()).toBe(40 * ROWS);
    expect(store.mark()).toEqual({ appliedSeq: COVERED, factsCreated: CREATED });
  });

  it('gives an empty store a usable mark with its last batch only', async () => {
    const { store, written, next } = slowStore();
    const draining = setInterval(next, 0);
    await loadSnapshots(optionsOf(store, manyRows(7)), FROM_NOTHING);
    clearInterval(draining);
    expect(written.length).toBeGreaterThan(2);
    for (const { mark } of written.slice(0, -1)) expect(mark.factsCreated).toBe('');
    expect(written.at(-1)?.mark.factsCreated).toBe(CREATED);
  });

  it('writes what it gathered in the order of the keys, in batches of bounded size', async () => {
    const { store, written, next } = slowStore();
    const draining = setInterval(next, 0);
    const limits = { rebuildSortEntities: 10_000 };
    await loadSnapshots(optionsOf(store, manyRows(15), { limits }), FROM_NOTHING);
    clearInterval(draining);
    const sizes = written.map(({ entities }) => entities.length);
    expect(sizes).toEqual([2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 2_000, 1_000]);
    const ids = written.flatMap(({ entities }) => entities.map(({ state }) => state.id));
    for (const gathered of [ids.slice(0, 10_000), ids.slice(10_000)]) expect(gathered).toEqual(gathered.toSorted());
    expect(new Set(ids).size).toBe(15_000);
  });

  it('bounds the bytes of what it gathers and of each batch', async () => {
    const { store, written, next } = slowStore();
    const draining = setInterval(next, 0);
    const limits = { rebuildSortBytes: 3 * ROWS * encodeState(aPlayer({ id: '0-0', lastSeq: 5 })).length };
    await loadSnapshots(optionsOf(store, manyRows(8), { limits }), FROM_NOTHING);
    expect(written.map(({ entities }) => entities.length)).toEqual([2_000, 1_000, 2_000, 1_000, 2_000]);
    const attributes = JSON.stringify({ large: 'x'.repeat(REBUILD_LIMITS.rebuildBatchBytes / 10) });
    const large: SnapshotSource = {
      ...manyRows(1),
      count: async () => 25,
      async *load() {
        yield Array.from({ length: 25 }, (_, row) => encodeState(aPlayer({ id: `large-${row}`, attributes })));
      },
    };
    written.splice(0);
    await loadSnapshots(optionsOf(store, large), FROM_NOTHING);
    clearInterval(draining);
    expect(written.map(({ entities }) => entities.length)).toEqual([10, 10, 5]);
  });

  it('writes no usable mark when the term is stopped between two batches', async () => {
    const { store, written, next } = slowStore();
    const draining = setInterval(next, 0);
    const stopped = () => written.length > 1;
    await loadSnapshots(optionsOf(store, manyRows(9), { stopped, limits: {} }), FROM_NOTHING);
    clearInterval(draining);
    expect(written).toHaveLength(2);
    expect(store.mark()?.factsCreated).toBe('');
  });

  it('leaves a usable store usable, and notes how far its entities are ahead', async () => {
    const store = createMemoryStores().partition(0);
    await store.write({ entities: [], mark: { appliedSeq: 3, factsCreated: CREATED } });
    const source: SnapshotSource = {
      confirmedTo: async () => undefined,
      count: async () => 4_000,
      countPlayers: async () => 4_000,
      async *load(_partition, changedSince) {
        expect(changedSince).toBe(3);
        yield Array.from({ length: 2_500 }, (_, row) => encodeState(aPlayer({ id: `p${row}`, lastSeq: 9 })));
        throw new Error('connection reset');
      },
    };
    const range = { ...FROM_NOTHING, appliedSeq: 3, coveredTo: 7 };
    await expect(loadSnapshots(optionsOf(store, source), range)).rejects.toThrow('connection reset');
    expect(store.mark()).toEqual({ appliedSeq: 3, aheadTo: 9, factsCreated: CREATED });
    const more = {
      ...source,
      count: async () => 1,
      load: async function* () {
        yield [encodeState(aPlayer({ id: 'p1', lastSeq: 8 }))];
      },
    };
    await loadSnapshots(optionsOf(store, more), range);
    expect(store.mark()).toEqual({ appliedSeq: 7, aheadTo: 8, factsCreated: CREATED });
  });

  it('rejects when fewer snapshots arrive than ClickHouse counted', async () => {
    const store = createMemoryStores().partition(0);
    const source = { ...manyRows(3), count: async () => 3 * ROWS + 1 };
    await expect(loadSnapshots(optionsOf(store, source), FROM_NOTHING)).rejects.toThrow('3000 of 3001 snapshots');
    expect(store.mark()?.factsCreated).not.toBe(CREATED);
  });

  it('ends at once when the term is stopped, and leaves an empty store unusable', async () => {
    const store = createMemoryStores().partition(0);
    const source = manyRows(10);
    await loadSnapshots(optionsOf(store, source, { stopped: () => source.pulled > 4 }), FROM_NOTHING);
    expect(source.pulled).toBe(5);
    expect(store.mark()?.factsCreated).toBe('');
  });

  it('reports its progress every few seconds, in the log and in a metric', async () => {
    const clock = createFakeClock();
    const metrics = createMetrics();
    const reports: unknown[] = [];
    const logger = Object.assign(Object.create(silentLogger), { info: (report: unknown) => void reports.push(report) });
    const rows = manyRows(6);
    const source: SnapshotSource = {
      ...rows,
      async *load() {
        for await (const some of rows.load(0, 0)) {
          await clock.advance(3_000);
          yield some;
          if (rows.pulled === 4) expect((await metrics.rebuildProgress.get()).values[0]?.value).toBeGreaterThan(0.3);
        }
      },
    };
    const store = createMemoryStores().partition(0);
    await loadSnapshots(optionsOf(store, source, { clock, metrics, logger }), FROM_NOTHING);
    expect(reports).toHaveLength(4);
    expect(reports[0]).toMatchObject({ partition: 0, expected: 6_000, share: expect.any(Number) });
    expect((await metrics.rebuildProgress.get()).values).toEqual([]);
  });
});
