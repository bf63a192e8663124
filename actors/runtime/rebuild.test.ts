import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/kernel/clock.ts';
import { createMetrics } from '../../src/kernel/metrics.ts';
import { encodeJson } from '../../streams/codec.ts';
import type { StreamBounds } from '../../streams/log/log.ts';
import { createMemoryBroker } from '../../streams/log/log-memory.ts';
import { rebuildKey } from '../../streams/rebuild-mark.ts';
import { snapshotsOf } from '../../test/support/backbone.ts';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import { silentLogger } from '../../test/support/silent-logger.ts';
import { aPlayer } from '../testing.ts';
import { prepareStore, type RebuildOptions } from './rebuild.ts';
import { createRebuildSlot } from './rebuild-slot.ts';
import type { SnapshotSource } from './store/snapshot-source.ts';
import { createMemoryStores } from './store/store-memory.ts';

/** ClickHouse away. */
const AWAY: SnapshotSource = {
  count: () => Promise.reject(new Error('connection refused')),
  load: () => {
    throw new Error('connection refused');
  },
};
const PLAYERS = [aPlayer({ id: 'p1', lastSeq: 600 }), aPlayer({ id: 'p2', lastSeq: 80 })];

/** A partition whose snapshots cover FACTS up to 900 of 1,000 records of 100 bytes. */
async function world(more: Partial<RebuildOptions> & { coveredTo?: number } = {}) {
  const { coveredTo = 900, ...given } = more;
  const clock = createFakeClock();
  const log = createMemoryBroker({ clock }).connect('node');
  const { created } = await log.info('FACTS');
  if (coveredTo > 0) await log.bucket('POSITIONS').put(rebuildKey(0), encodeJson({ stream: created, coveredTo }), 0);
  const store = createMemoryStores().partition(0);
  const options: RebuildOptions = {
    partition: 0,
    partitions: 1,
    log,
    clock,
    store,
    source: snapshotsOf(PLAYERS),
    rebuilds: createRebuildSlot(),
    logger: silentLogger,
    metrics: createMetrics(),
    stopped: () => false,
    limits: { rebuildReplayBytes: 10_000, rebuildEntityBytes: 100 },
    ...given,
  };
  const bounds: StreamBounds = {
    created,
    firstSequence: 1,
    lastSequence: 1_000,
    records: 1_000,
    sizeBytes: 100_000,
    maxBytes: Infinity,
  };
  const prepare = (some: Partial<StreamBounds> = {}) => prepareStore(options, { ...bounds, ...some }, 1_000);
  return { clock, created, options, prepare, store: options.store };
}

describe('an empty store', () => {
  it('is filled from snapshots when their mark is well ahead, although FACTS still begins at 1', async () => {
    const { prepare, store, created } = await world();
    await prepare();
    expect(store.count()).toBe(2);
    expect(store.mark()).toEqual({ appliedSeq: 900, factsCreated: created });
  });

  it('is left to a replay of FACTS when that is short', async () => {
    const { prepare, store } = await world({ coveredTo: 90 });
    await prepare();
    expect(store.mark()).toBeUndefined();
  });

  it('is left to a replay of FACTS when loading every snapshot would take longer', async () => {
    const { prepare, store } = await world({ limits: { rebuildReplayBytes: 10_000, rebuildEntityBytes: 50_000 } });
    await prepare();
    expect(store.mark()).toBeUndefined();
  });

  it('counts the share of the partition in FACTS', async () => {
    const { prepare, store } = await world({ partitions: 10 });
    await prepare();
    expect(store.mark()).toBeUndefined();
  });

  it('is left to a replay of a whole FACTS when ClickHouse cannot be read', async () => {
    const failing = { ...snapshotsOf(PLAYERS), count: async () => 3 };
    for (const source of [AWAY, failing]) {
      const { prepare, store } = await world({ source });
      await prepare();
      expect(store.mark()).toBeUndefined();
      expect(store.count()).toBe(0);
    }
  });

  it('cannot do without snapshots once FACTS was trimmed', async () => {
    const away = await world({ source: AWAY });
    await expect(away.prepare({ firstSequence: 50 })).rejects.toThrow('connection refused');
    const behind = await world({ coveredTo: 48 });
    await expect(behind.prepare({ firstSequence: 50 })).rejects.toThrow('snapshots cover it up to 48');
    const { prepare, store } = await world();
    await prepare({ firstSequence: 50 });
    expect(store.count()).toBe(2);
  });
});

describe('a usable store', () => {
  it('far behind loads only what changed since, and keeps the rest', async () => {
    const { prepare, store, created } = await world();
    const state = aPlayer({ id: 'old', lastSeq: 70 });
    const entities = [{ state, dirtySince: 0, snapshotSeq: 70 }];
    await store.write({ entities, mark: { appliedSeq: 100, factsCreated: created } });
    await prepare();
    expect(store.mark()).toEqual({ appliedSeq: 900, factsCreated: created });
    expect([...store.all()].map((one) => one.state.id)).toEqual(['old', 'p1']);
  });

  it('stays as it was when ClickHouse cannot be read', async () => {
    const { prepare, store, created } = await world({ source: AWAY });
    const mark = { appliedSeq: 100, factsCreated: created };
    await store.write({ entities: [], mark });
    await prepare();
    expect(store.mark()).toEqual(mark);
  });
});

describe('the rebuilds of one process', () => {
  it('run one at a time', async () => {
    const rebuilds = createRebuildSlot();
    let running = 0;
    const clock = createFakeClock();
    const source: SnapshotSource = {
      ...snapshotsOf(PLAYERS),
      async *load() {
        running += 1;
        expect(running).toBe(1);
        await sleep(clock, 1_000);
        yield [];
        running -= 1;
      },
      count: async () => 0,
    };
    const worlds = await Promise.all(Array.from({ length: 3 }, () => world({ rebuilds, clock, source })));
    let done = 0;
    for (const { prepare } of worlds) void prepare({ firstSequence: 50 }).then(() => (done += 1));
    await clock.advanceUntil(() => done === 3);
    for (const { store, created } of worlds) expect(store.mark()?.factsCreated).toBe(created);
  });

  it('do not wait for their turn once the term is stopped', async () => {
    const rebuilds = createRebuildSlot();
    const clock = createFakeClock();
    await rebuilds.take(clock, () => false);
    let stopping = false;
    const { prepare, store } = await world({ rebuilds, clock, stopped: () => stopping });
    let ended = false;
    void prepare({ firstSequence: 50 }).then(() => (ended = true));
    await clock.advance(5_000);
    expect(ended).toBe(false);
    stopping = true;
    await clock.advanceUntil(() => ended);
    expect(store.mark()).toBeUndefined();
  });
});
