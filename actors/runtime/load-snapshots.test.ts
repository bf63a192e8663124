import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { encodeState } from '../../streams/codec.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../../test/support/silent-logger.ts';
import { aPlayer } from '../testing.ts';
import { loadSnapshots, type LoadOptions } from './load-snapshots.ts';
import { createMemoryStores } from './store/store-memory.ts';
import type { SnapshotSource } from './store/snapshot-source.ts';
import type { PartitionStore, StoreBatch } from './store/store.ts';

/** Entities in one batch of the source. */
const ROWS = 1_000;
const CREATED = 'c1';
const COVERED = 1_000_000;
const FROM_NOTHING = { factsCreated: CREATED, appliedSeq: 0, coveredTo: COVERED };

/** A source of so many batches, and how many of them were asked for. */
function manyRows(batches: number): SnapshotSource & { pulled: number } {
  const source = {
    pulled: 0,
    heldTo: async () => undefined,
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
  return { ...given, stopped: () => false, ...more };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('loading snapshots', () => {
  it('reads no further than two batches ahead of the store, however many there are', async () => {
    const { store, written, next } = slowStore();
    const source = manyRows(40);
    const loaded = loadSnapshots(optionsOf(store, source), FROM_NOTHING);
    for (let turn = 0; turn < 30; turn++) {
      await settled();
      const rowsWritten = written.reduce((sum, { entities }) => sum + entities.length, 0);
      // One batch of 2,000 is being written, one waits for it, and the source has made one more.
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

  it('leaves a usable store usable, and notes how far its entities are ahead', async () => {
    const store = createMemoryStores().partition(0);
    await store.write({ entities: [], mark: { appliedSeq: 3, factsCreated: CREATED } });
    const source: SnapshotSource = {
      heldTo: async () => undefined,
      count: async () => 4_000,
      countPlayers: async () => 4_000,
      async *load(_partition, changedSince) {
        expect(changedSince).toBe(3);
        yield Array.from({ length: 2_500 }, (_, row) => encodeState(aPlayer({ id: `p${row}`, lastSeq: 9 })));
        throw new Error('connection reset');
      },
    };
    const range = { factsCreated: CREATED, appliedSeq: 3, coveredTo: 7 };
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
