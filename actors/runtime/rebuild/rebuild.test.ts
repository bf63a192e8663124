import { describe, expect, it } from 'vitest';
import { sleep } from '../../../core/kernel/clock.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import { encodeJson } from '../../../core/codec/codec.ts';
import type { StreamBounds } from '../../../streams/log/log.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { rebuildKey, type RebuildMark } from '../../../streams/facts/rebuild-mark.ts';
import { snapshotsOf } from '../../../test/support/servers/backbone.ts';
import { createFakeClock } from '../../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../../test/support/in-memory/silent-logger.ts';
import { aPlayer } from '../../testing-players.ts';
import { prepareStore, type RebuildOptions } from './rebuild.ts';
import { createRebuildSlot } from './rebuild-slot.ts';
import type { SnapshotSource } from '../../../core/vocabulary/snapshot-source.ts';
import { createMemoryStores } from '../store/store-memory.ts';

/** ClickHouse away. */
const AWAY: SnapshotSource = {
  confirmedTo: () => Promise.reject(new Error('connection refused')),
  count: () => Promise.reject(new Error('connection refused')),
  countPlayers: () => Promise.reject(new Error('connection refused')),
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
  if (coveredTo > 0)
    await log
      .bucket('POSITIONS')
      .put(rebuildKey(0), encodeJson({ stream: created, coveredTo, confirmedTo: 0, players: 0 }), 0);
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
    discard: false,
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
  const markAs = (mark: Partial<RebuildMark>) =>
    log
      .bucket('POSITIONS')
      .put(rebuildKey(0), encodeJson({ stream: created, coveredTo, confirmedTo: 0, players: 0, ...mark }));
  return { clock, created, log, options, prepare, markAs, store: options.store };
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

describe('a store whose mark is ahead of FACTS', () => {
  it('is thrown away, whichever part of the mark is ahead', async () => {
    for (const ahead of [
      { appliedSeq: 1_001 },
      { appliedSeq: 1_001, aheadTo: 950 },
      { appliedSeq: 950, aheadTo: 1_001 },
    ]) {
      const { prepare, store, created } = await world({ coveredTo: 0 });
      const stale = { state: aPlayer({ id: 'stale' }), dirtySince: 0, snapshotSeq: 1 };
      await store.write({ entities: [stale], mark: { factsCreated: created, ...ahead } });
      await prepare();
      expect(store.mark()).toBeUndefined();
      expect(store.get('stale')).toBeUndefined();
    }
  });
});

describe('snapshots that ClickHouse no longer holds', () => {
  const trimmed = { firstSequence: 50 };
  const restored = (held: { createdMs: number; sequence: number } | undefined, players = PLAYERS): SnapshotSource => ({
    ...snapshotsOf(players),
    confirmedTo: async () => held,
  });

  it('stop the rebuild, which names the partition, what its mark needs, what ClickHouse holds, and the remedy', async () => {
    for (const held of [undefined, { createdMs: 1, sequence: 2_000 }, 'older'] as const) {
      const { prepare, store, created, markAs, options } = await world();
      await markAs({ confirmedTo: 950 });
      const createdMs = Date.parse(created);
      options.source = restored(held === 'older' ? { createdMs, sequence: 949 } : held);
      await expect(prepare(trimmed)).rejects.toThrow(
        new RegExp(
          `partition 0 cannot be rebuilt from ClickHouse: its mark needs FACTS of ${created} up to 950, ` +
            `ClickHouse holds (nothing|FACTS of .+ up to (2000|949))\\. .+docs/operations\\.md`,
        ),
      );
      expect(store.count()).toBe(0);
    }
  });

  it('stop the rebuild when fewer players are left than the mark counts', async () => {
    const { prepare, created, markAs, options, store } = await world();
    await markAs({ confirmedTo: 950, players: 3 });
    options.source = restored({ createdMs: Date.parse(created), sequence: 950 });
    await expect(prepare(trimmed)).rejects.toThrow(
      /its mark counts 3 players, player_snapshots has 2\. .+operations\.md/,
    );
    expect(store.count()).toBe(0);
  });

  describe('since a restore during the rebuild', () => {
    /** An older backup, without p2 and with FACTS up to 940, replaces ClickHouse as soon as `at` has answered. */
    async function restoredAfter(at: 'countPlayers' | 'count' | 'load') {
      const some = await world();
      await some.markAs({ confirmedTo: 950, players: 2 });
      const { source: whole } = some.options;
      const older = snapshotsOf(PLAYERS.slice(0, 1));
      const createdMs = Date.parse(some.created);
      let current = whole;
      const restoreAfter = (call: typeof at) => void (call === at && (current = older));
      some.options.source = {
        confirmedTo: async () => ({ createdMs, sequence: current === whole ? 950 : 940 }),
        countPlayers: (partition) => current.countPlayers(partition).finally(() => restoreAfter('countPlayers')),
        count: (partition, since) => current.count(partition, since).finally(() => restoreAfter('count')),
        async *load(partition, since) {
          yield* current.load(partition, since);
          restoreAfter('load');
        },
      };
      return { ...some, undo: () => (current = whole) };
    }

    it('stop the rebuild, which leaves no usable store and names the remedy', async () => {
      for (const at of ['countPlayers', 'count', 'load'] as const) {
        const { prepare, store, created } = await restoredAfter(at);
        await expect(prepare(trimmed)).rejects.toThrow(/cannot be rebuilt from ClickHouse: .+docs\/operations\.md/);
        expect(store.mark()?.factsCreated).not.toBe(created);
      }
    });

    it('stop the rebuild also if the newer backup is back before the rebuild ends', async () => {
      const { prepare, options, undo } = await restoredAfter('countPlayers');
      const { source } = options;
      options.source = {
        ...source,
        async *load(partition, since) {
          yield* source.load(partition, since);
          undo();
        },
      };
      await expect(prepare(trimmed)).rejects.toThrow('its mark counts 2 players, player_snapshots has 1');
    });

    it('leave a usable store at its mark: FACTS is replayed instead', async () => {
      const { prepare, store, created } = await restoredAfter('countPlayers');
      await store.write({ entities: [], mark: { appliedSeq: 100, factsCreated: created } });
      await prepare();
      expect(store.mark()).toMatchObject({ appliedSeq: 100, factsCreated: created });
    });
  });

  it('stop no rebuild for a ledger that is missing', async () => {
    const { prepare, created, markAs, options, store } = await world();
    options.source = restored({ createdMs: Date.parse(created), sequence: 950 });
    await markAs({ confirmedTo: 950, players: 2 });
    await prepare(trimmed);
    expect(store.count()).toBe(2);
  });

  it('are used when they are as many as the mark counts, and ClickHouse holds more of FACTS than it needs', async () => {
    const { prepare, created, markAs, options, store } = await world();
    await markAs({ confirmedTo: 950, players: 2 });
    options.source = restored({ createdMs: Date.parse(created), sequence: 970 });
    await prepare(trimmed);
    expect(store.count()).toBe(2);
  });

  it('are left aside when FACTS holds everything: it is replayed', async () => {
    const { prepare, markAs, options, store } = await world();
    await markAs({ confirmedTo: 950 });
    options.source = restored(undefined);
    await prepare();
    expect(store.mark()).toBeUndefined();
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

describe('a faulty store', () => {
  const kept = [{ state: aPlayer({ id: 'kept', lastSeq: 70 }), dirtySince: 0, snapshotSeq: 70 }];

  it('is replaced although its mark could be used', async () => {
    const { prepare, store, created } = await world({ discard: true });
    await store.write({ entities: kept, mark: { appliedSeq: 100, factsCreated: created } });
    await prepare({ firstSequence: 50 });
    expect([...store.all()].map((one) => one.state.id)).toEqual(['p1', 'p2']);
  });

  it('is discarded only once ClickHouse is known to hold the snapshots that replace it', async () => {
    const { prepare, markAs, store, created } = await world({ discard: true });
    await markAs({ players: 3 });
    await store.write({ entities: kept, mark: { appliedSeq: 100, factsCreated: created } });
    await expect(prepare({ firstSequence: 50 })).rejects.toThrow('cannot be rebuilt from ClickHouse');
    expect([...store.all()].map((one) => one.state.id)).toEqual(['kept']);
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
