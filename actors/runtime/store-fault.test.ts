import { beforeEach, describe, expect, it } from 'vitest';
import { sleep } from '../../core/kernel/clock.ts';
import { MEMBERSHIP_LIMITS } from './membership/limits.ts';
import { OWNER_LIMITS } from './limits.ts';
import { partitionOf } from '../../core/kernel/partition.ts';
import { encodeJson } from '../../core/codec/codec.ts';
import { type Backbone, type BackboneNode, createBackbone, snapshotsOf } from '../../test/support/servers/backbone.ts';
import { createMemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { liveDefinitions } from '../../test/support/in-memory/live-definitions.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { definitionsOf } from '../testing-players.ts';
import { createLiveDefinitions } from './definitions/live-definitions.ts';
import type { SnapshotSource } from '../../core/vocabulary/snapshot-source.ts';
import { createMemoryStores } from './store/store-memory.ts';
import type { PartitionStore, Stores } from './store/store.ts';

/*
 * A row of the local store that cannot be read, met by an owner. Players are evicted from memory after each write of
 * the store, so that the next use of one reads its row. `b` ranks before `a` for partition 0.
 */

const P1 = 'player-1';
const P2 = 'player-2';
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Breakable {
  stores: Stores;
  /** Makes an entity's row unreadable until its store is cleared. */
  breakRow(entityId: string): void;
  /** Makes every row unreadable, also after the store was cleared. */
  breakForGood(): void;
}

function breakable(): Breakable {
  const stores = createMemoryStores();
  const broken = new Set<string>();
  let always = false;
  function partition(number: number): PartitionStore {
    const store = stores.partition(number);
    return {
      ...store,
      get(id) {
        if (always || broken.has(id)) throw new RangeError(`the row of ${id} cannot be decoded`);
        return store.get(id);
      },
      async clear() {
        await store.clear();
        broken.clear();
      },
    };
  }
  return {
    stores: { partition, close: () => stores.close() },
    breakRow: (entityId) => void broken.add(entityId),
    breakForGood() {
      always = true;
    },
  };
}

async function counter(node: BackboneNode, name: string): Promise<number> {
  const text = await node.metrics.text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

describe('a row of the local store that an owner cannot read', () => {
  let world: Backbone;
  let disk: Breakable;
  beforeEach(() => {
    world = createBackbone({ hotBytes: 1 });
    disk = breakable();
  });

  const storeFaults = (node: BackboneNode) => counter(node, 'owner_step_downs_total{reason="store_fault"}');
  const discarded = (node: BackboneNode) => counter(node, 'owner_stores_discarded_total');
  const ledBy = (...nodes: BackboneNode[]): string[] =>
    nodes.filter(({ actors }) => actors.led > 0).map(({ name }) => name);

  /** An owner whose players are in its store only. */
  async function leading(name = 'a'): Promise<BackboneNode> {
    const node = await world.lead(name, { stores: disk.stores });
    await world.register(node, P1);
    await world.register(node, P2);
    await world.clock.advance(2 * OWNER_LIMITS.storeFlushMs);
    return node;
  }

  async function expectMended(node: BackboneNode): Promise<void> {
    await world.clock.advance(2_000);
    expect(await world.read(node, P1)).toMatchObject({ kind: 'player' });
    expect(await storeFaults(node)).toBe(1);
    expect(await discarded(node)).toBe(1);
    expect(ledBy(node)).toEqual([node.name]);
  }

  it('ends the term when a command meets it; the command is decided by the next term, once', async () => {
    const node = await leading();
    disk.breakRow(P1);
    expect(await world.track(node, P1, 'met')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(world.facts('EventTracked')).toMatchObject([{ entityId: P1, eventName: 'met' }]);
    await expectMended(node);
  });

  it('ends the term when a query meets it; the query is answered by the next term', async () => {
    const node = await leading();
    disk.breakRow(P1);
    expect(await world.read(node, P1)).toMatchObject({ kind: 'player', player: { id: P1 } });
    await expectMended(node);
  });

  it('ends the term when a timer meets it', async () => {
    const node = await leading();
    await world.track(node, P1, 'active');
    await world.clock.advance(2 * OWNER_LIMITS.storeFlushMs);
    disk.breakRow(P1);
    world.clock.jumpWall(60 * DAY_MS);
    await world.clock.advance(2 * OWNER_LIMITS.storeFlushMs);
    await expectMended(node);
    expect(world.facts('LifecycleChanged').length).toBeGreaterThan(0);
  });

  it('ends the term when a snapshot meets it', async () => {
    const node = await leading();
    disk.breakRow(P1);
    await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + 2 * OWNER_LIMITS.storeFlushMs);
    await expectMended(node);
  });

  it('ends the term when the sweep after an edit meets it, and the sweep is completed', async () => {
    const config = createMemoryConfigStore();
    world = createBackbone({ hotBytes: 1, definitions: createLiveDefinitions(config, silentLogger) });
    const node = await leading();
    disk.breakRow(P1);
    await config.put(
      { game: 'demo', environment: 'live', kind: 'segment', key: 's' },
      { id: 's', key: 's', name: 's', description: '', conditions: {}, createdAt: 0, updatedAt: 0, version: 1 },
    );
    await world.clock.advance(10_000);
    await expectMended(node);
    const entered = world.facts('SegmentEntered').map(({ entityId }) => entityId);
    expect(entered.toSorted()).toEqual([P1, P2]);
  });

  it('gives the partition to another member while the store is rebuilt', async () => {
    const b = await leading('b');
    const { source, slow } = await onlySnapshots(b);
    await world.complete(b.actors.stop());
    b.kill();
    const again = await world.lead('b', { stores: disk.stores, source: slow, incarnation: '2' });
    const a = world.start('a', { source });
    await world.clock.advance(10_000);
    expect(ledBy(a, again)).toEqual(['b']);
    disk.breakRow(P1);
    expect(await world.track(a, P1, 'met')).toMatchObject({ results: [{ status: 'accepted' }] });
    for (let second = 0; second < 50; second++) {
      expect(await world.track(a, P1, 'meanwhile')).toMatchObject({ results: [{ status: 'accepted' }] });
      await world.clock.advance(1_000);
    }
    expect(ledBy(a, again)).toEqual(['a']);
    await world.clock.advance(MINUTE_MS);
    expect(ledBy(a, again)).toEqual(['b']);
  });

  /** Trims FACTS, so that a rebuild needs snapshots. From `slow` they take a minute to load. */
  async function onlySnapshots(node: BackboneNode): Promise<{ source: SnapshotSource; slow: SnapshotSource }> {
    await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + 2_000);
    const coveredTo = world.facts('SnapshotMark').at(-1)?.coveredTo ?? 0;
    const source = snapshotsOf(world.facts('EntitySnapshot').map(({ state }) => state));
    const { created } = world.broker.stream('FACTS').bounds();
    await world.complete(
      node.log
        .bucket('POSITIONS')
        .put('rebuild.0', encodeJson({ stream: created, coveredTo, confirmedTo: 0, players: 0 })),
    );
    world.broker.stream('FACTS').purgeBelow(coveredTo + 1);
    const slow: SnapshotSource = {
      ...source,
      async count(...range) {
        await sleep(world.clock, MINUTE_MS);
        return source.count(...range);
      },
    };
    return { source, slow };
  }

  it('does not concern the other partitions of the process', async () => {
    world = createBackbone({ hotBytes: 1, partitions: 2 });
    const node = await leading();
    const other = partitionOf(P1, 2) === 0 ? 1 : 0;
    const barriersOf = (partition: number) =>
      world.records().filter(({ record }) => record.partition === partition && record.epoch === 0).length;
    const before = [barriersOf(0), barriersOf(1)];
    disk.breakRow(P1);
    await world.track(node, P1, 'met');
    await world.clock.advance(10_000);
    expect(barriersOf(other) - Number(before[other])).toBe(0);
    expect(barriersOf(1 - other) - Number(before[1 - other])).toBe(1);
  });

  it('costs the store at most once in ten minutes; then another member leads, and the node backs off', async () => {
    const b = await leading('b');
    const a = world.start('a');
    await world.clock.advance(5_000);
    disk.breakForGood();
    for (let second = 0; second < 60; second++) {
      await world.track(a, P1, 'again');
      await world.clock.advance(1_000);
    }
    expect(await discarded(b)).toBe(1);
    expect(await storeFaults(b)).toBeLessThanOrEqual(3);
    expect(ledBy(a, b)).toEqual(['a']);
  });

  it('is mended again when another row breaks after ten minutes', async () => {
    const node = await leading();
    disk.breakRow(P1);
    await world.read(node, P1);
    await expectMended(node);
    await world.clock.advance(MEMBERSHIP_LIMITS.storeDiscardMs);
    disk.breakRow(P2);
    expect(await world.read(node, P2)).toMatchObject({ kind: 'player' });
    expect(await discarded(node)).toBe(2);
  });
});

describe('a term that fails for another reason than its local store', () => {
  it('keeps the store, and the member backs off', async () => {
    let failures = 0;
    const definitions = definitionsOf();
    const throwing = {
      ...liveDefinitions(definitions),
      settings(game: string) {
        failures -= 1;
        if (failures >= 0) throw new TypeError('a bug in the code of settings');
        return definitions.settings(game);
      },
    };
    const world = createBackbone({ definitions: throwing });
    const b = await world.lead('b');
    const a = world.start('a');
    await world.register(b, P1);
    await world.clock.advance(5_000);
    failures = 1;
    world.clock.jumpWall(60 * DAY_MS);
    await world.clock.advance(2_000);
    expect(await counter(b, 'owner_step_downs_total{reason="failed"}')).toBe(1);
    expect(await counter(b, 'owner_stores_discarded_total')).toBe(0);
    expect(await b.metrics.text()).toContain('owner_partitions_refused{reason="failed"} 1\n');
    await world.clock.advance(5_000);
    expect(a.actors.led).toBe(1);
    await world.clock.advance(2 * MEMBERSHIP_LIMITS.refusalLedMs);
    expect(b.actors.led).toBe(1);
    expect(await counter(b, 'owner_stores_discarded_total')).toBe(0);
  });

  it('keeps the store when a record of FACTS cannot be decoded while preparing', async () => {
    const world = createBackbone();
    const node = await world.lead('a');
    await world.register(node, P1);
    await world.complete(node.actors.stop());
    const { sequence } = world.records().at(-1) ?? { sequence: 0 };
    const garbage = Buffer.from([1, 0xc1, 0xff]);
    await node.log.append('facts.0', garbage, { expectedLastSequence: sequence });
    node.kill();
    const again = world.start('a', { stores: node.stores, incarnation: '2' });
    await world.clock.advance(10_000);
    expect(again.actors.led).toBe(0);
    expect(await counter(again, 'owner_stores_discarded_total')).toBe(0);
    expect(again.stores.partition(0).mark()?.appliedSeq).toBe(sequence);
  });
});
