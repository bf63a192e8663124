import { beforeEach, describe, expect, it } from 'vitest';
import { MEMBERSHIP_LIMITS } from './membership/limits.ts';
import { OWNER_LIMITS } from './limits.ts';
import { SHARED_LIMITS } from '../../core/kernel/limits.ts';
import { sleep } from '../../core/kernel/clock.ts';
import { encodeJson } from '../../core/codec/codec.ts';
import { type Backbone, type BackboneNode, createBackbone, snapshotsOf } from '../../test/support/servers/backbone.ts';
import type { SnapshotSource } from '../../core/vocabulary/snapshot-source.ts';
import { listCondition } from '../segments/list-condition.ts';
import { createSegmentSet } from '../segments/segment-set.ts';
import { definitionsOf } from '../testing-players.ts';
import { createMemoryStores } from './store/store-memory.ts';
import type { PartitionStore, Stores } from './store/store.ts';

/*
 * Who owns a partition when a member cannot lead, or not yet. `b` ranks before `a` for partition 0; `d` before both.
 */

const P1 = 'player-1';
const MINUTE_MS = 60_000;

/** Stores whose writes fail while `state.full`. */
function fillable(): { stores: Stores; state: { full: boolean } } {
  const state = { full: false };
  const stores = createMemoryStores(() =>
    state.full ? Promise.reject(new Error('MDB_MAP_FULL: no space left on device')) : Promise.resolve(),
  );
  return { stores, state };
}

/** Stores whose rows of an entity cannot be decoded, until the store is cleared. */
function withWrongRow(stores: Stores, entityId: string): Stores {
  let wrong = true;
  const store = stores.partition(0);
  const faulty: PartitionStore = {
    ...store,
    get(id) {
      if (wrong && id === entityId) throw new RangeError('a row of the store cannot be decoded');
      return store.get(id);
    },
    async clear() {
      wrong = false;
      await store.clear();
    },
  };
  return { partition: () => faulty, close: () => Promise.resolve() };
}

describe('who owns a partition', () => {
  let world: Backbone;
  beforeEach(() => {
    world = createBackbone();
  });

  const barriers = (): number => world.records().filter(({ record }) => record.epoch === 0).length;
  const ledBy = (...nodes: BackboneNode[]): string[] =>
    nodes.filter(({ actors }) => actors.led > 0).map(({ name }) => name);

  /** Writes through `through` every `everyMs`; how many were not accepted. */
  async function writes(through: BackboneNode, count: number, everyMs: number): Promise<number> {
    let failed = 0;
    for (let i = 0; i < count; i++) {
      const beganMs = world.clock.monotonicMs();
      const reply = await world.track(through, P1, `e${i}`, `id-${beganMs}-${i}`);
      if (reply.kind === 'failure') failed += 1;
      const restMs = everyMs - (world.clock.monotonicMs() - beganMs);
      if (restMs > 0) await world.clock.advance(restMs);
    }
    return failed;
  }

  /** Gives snapshots a mark and trims FACTS: a node without a store must load snapshots, which takes `loadMs`. */
  async function trimmed(node: BackboneNode, loadMs: number): Promise<SnapshotSource> {
    await world.clock.advance(OWNER_LIMITS.firstSnapshotMs + 2_000);
    const states = world.facts('EntitySnapshot').map(({ state }) => state);
    const coveredTo = world.facts('SnapshotMark').at(-1)?.coveredTo ?? 0;
    const { created } = world.broker.stream('FACTS').bounds();
    await world.complete(
      node.log
        .bucket('POSITIONS')
        .put('rebuild.0', encodeJson({ stream: created, coveredTo, confirmedTo: 0, players: 0 })),
    );
    world.broker.stream('FACTS').purgeBelow(coveredTo + 1);
    const source = snapshotsOf(states);
    return {
      ...source,
      async count(...range) {
        await sleep(world.clock, loadMs);
        return source.count(...range);
      },
    };
  }

  it('a joining member with a full disk takes nothing from the one that leads', async () => {
    const a = await world.lead('a');
    await world.register(a, P1);
    const { stores, state } = fillable();
    state.full = true;
    const before = barriers();
    const b = world.start('b', { stores });
    expect(await writes(a, 60, 10_000)).toBe(0);
    expect(barriers() - before).toBe(0);
    expect(ledBy(a, b)).toEqual(['a']);
    expect(await b.metrics.text()).toContain('owner_partitions_refused{reason="store"} 1\n');
    state.full = false;
    await world.clock.advance(2 * MEMBERSHIP_LIMITS.refusalMaxMs);
    expect(ledBy(a, b)).toEqual(['b']);
    expect(await b.metrics.text()).toContain('owner_partitions_refused{reason="store"} 0\n');
    expect(barriers() - before).toBe(1);
  });

  it('a member whose follower fails as its term begins ends the term without counting a deposition', async () => {
    // A holder that died: `b` is ready while it waits for this lease.
    const owners = world.broker.connect('dead').bucket('OWNERS');
    await world.complete(owners.put('partition.0', encodeJson({ holder: 'dead.1', beat: 1 }), 0));
    let isHeld = false;
    let refuse: (error: Error) => void = () => {};
    const refused = new Promise<void>((_, reject) => (refuse = reject));
    refused.catch(() => {});
    const b = world.start('b', { stores: createMemoryStores(() => (isHeld ? refused : Promise.resolve())) });
    await world.clock.advance(SHARED_LIMITS.leaseMs / 2);
    // A write of the follower is still under way when the term begins.
    isHeld = true;
    await world.clock.advanceUntil(() => b.actors.led === 1);
    expect(barriers()).toBe(0);
    refuse(new Error('MDB_MAP_FULL: no space left on device'));
    await world.clock.advance(SHARED_LIMITS.leaseRenewMs);
    const metrics = await b.metrics.text();
    expect(metrics).toContain('owner_step_downs_total{reason="unprepared"} 1\n');
    expect(metrics).not.toContain('owner_step_downs_total{reason="deposed"}');
    expect(metrics).toContain('owner_partitions_refused{reason="store"} 1\n');
    expect(barriers()).toBe(0);
  });

  it('a member that needs a minute to rebuild takes the partition over when it is ready, without a failed write', async () => {
    const a = await world.lead('a');
    await world.register(a, P1);
    const source = await trimmed(a, MINUTE_MS);
    const before = barriers();
    const b = world.start('b', { source });
    expect(await writes(a, 90, 1_000)).toBe(0);
    expect(ledBy(a, b)).toEqual(['b']);
    expect(barriers() - before).toBe(1);
  });

  it('a warm member stands in while the first in rank rebuilds', async () => {
    const a = await world.lead('a');
    await world.register(a, P1);
    const source = await trimmed(a, MINUTE_MS);
    const b = world.start('b', { source });
    await world.clock.advance(10_000);
    await world.complete(a.actors.stop());
    a.kill();
    const again = world.start('a', { stores: a.stores, incarnation: '2' });
    await world.clock.advance(MEMBERSHIP_LIMITS.standInMs + 2_000);
    expect(ledBy(again, b)).toEqual(['a']);
    expect(await writes(again, 60, 1_000)).toBe(0);
    expect(ledBy(again, b)).toEqual(['b']);
  });

  it('a member that dies while it waits for a rebuild leaves the partition to the other', async () => {
    const a = await world.lead('a');
    await world.register(a, P1);
    const b = world.start('b', { source: await trimmed(a, MINUTE_MS) });
    await world.clock.advance(10_000);
    b.kill();
    expect(await writes(a, 20, 1_000)).toBe(0);
    expect(ledBy(a)).toEqual(['a']);
  });

  it('a store with a wrong row is thrown away once and rebuilt', async () => {
    const first = await world.lead('a');
    await world.register(first, P1);
    await world.track(first, P1, 'before');
    await world.complete(first.actors.stop());
    first.kill();
    const before = barriers();
    // The player changes after the store's mark is read, so the take-over or the first timer meets the row.
    const stores = withWrongRow(first.stores, P1);
    const second = world.start('a', { stores, incarnation: '2' });
    await world.clock.advance(2_000);
    world.clock.jumpWall(2 * 86_400_000);
    await world.clock.advance(MINUTE_MS);
    expect(await world.track(second, P1, 'after')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(barriers() - before).toBeLessThanOrEqual(2);
    expect(world.facts('EventTracked').map(({ eventName }) => eventName)).toEqual(['before', 'after']);
    expect(await second.metrics.text()).toContain('owner_stores_discarded_total 1\n');
  });

  it('an owner that fails again after its store was rebuilt leaves the partition to another member', async () => {
    const b = await world.lead('b');
    await world.register(b, P1);
    await world.complete(b.actors.stop());
    b.kill();
    const broken: PartitionStore = {
      ...b.stores.partition(0),
      nextDue() {
        throw new RangeError('the index of due times is broken');
      },
    };
    const before = barriers();
    const again = world.start('b', { stores: { partition: () => broken, close: async () => {} }, incarnation: '2' });
    const a = world.start('a');
    await world.clock.advance(MINUTE_MS);
    expect(ledBy(a, again)).toEqual(['a']);
    // Each return of `b` costs two barriers, its own and the one of `a`, and comes after a longer pause.
    await world.clock.advance(10 * MINUTE_MS);
    expect(barriers() - before).toBeLessThan(25);
  });

  it('an owner whose clock is 6 s ahead leaves the partition to a right one, and returns when its clock is right', async () => {
    const b = await world.lead('b');
    await world.register(b, P1);
    const a = world.start('a');
    await world.clock.advance(5_000);
    b.clock.jumpWall(6_000);
    await world.clock.advance(10_000);
    expect(ledBy(a, b)).toEqual(['a']);
    expect(await writes(a, 30, 1_000)).toBe(0);
    expect(await b.metrics.text()).toMatch(/clock_offset_seconds 6\n/);
    b.clock.jumpWall(-6_000);
    await world.clock.advance(10_000);
    expect(ledBy(a, b)).toEqual(['b']);
  });

  it('a member whose clock is wrong leads while no other member can', async () => {
    const b = await world.lead('b');
    await world.register(b, P1);
    b.clock.jumpWall(-6_000);
    await world.clock.advance(10_000);
    expect(await writes(b, 5, 1_000)).toBe(0);
    expect(ledBy(b)).toEqual(['b']);
  });

  it('an owner whose store cannot be written hands over to a member that is ready', async () => {
    const { stores, state } = fillable();
    const b = await world.lead('b', { stores });
    await world.register(b, P1);
    const a = world.start('a');
    await world.clock.advance(5_000);
    state.full = true;
    expect(await writes(b, 60, 1_000)).toBe(0);
    expect(ledBy(a, b)).toEqual(['a']);
    expect(await b.metrics.text()).toContain('owner_partitions_refused{reason="store"} 1\n');
  });

  it('a lone owner whose store cannot be written steps down at a bound of memory, and leads again by itself', async () => {
    world = createBackbone({ hotBytes: 100_000 });
    const { stores, state } = fillable();
    const b = await world.lead('b', { stores });
    state.full = true;
    let failed = 0;
    // A player takes about 5 kB.
    const attributes = JSON.stringify({ text: 'x'.repeat(4_000) });
    for (let i = 0; i < 60; i++) {
      const reply = await world.register(b, `player-${i}`, { attributes });
      if (reply.kind === 'failure') failed += 1;
    }
    expect(failed).toBeGreaterThan(0);
    expect(world.facts('PlayerRegistered').length).toBeLessThan(45);
    expect(await b.metrics.text()).toContain('owner_step_downs_total{reason="unwritable"} 1\n');
    state.full = false;
    await world.clock.advance(MEMBERSHIP_LIMITS.refusalAloneMs + 2_000);
    expect(await world.register(b, 'player-new')).toMatchObject({ kind: 'player', created: true });
  });

  it('does not move back and forth between members that can both lead', async () => {
    const a = await world.lead('a');
    await world.register(a, P1);
    const before = barriers();
    const b = world.start('b');
    await world.clock.advance(10 * MINUTE_MS);
    expect(ledBy(a, b)).toEqual(['b']);
    expect(barriers() - before).toBe(1);
  });

  it('a read during a failover is answered', async () => {
    const a = await world.lead('a');
    await world.register(a, P1);
    const b = world.start('c', {});
    await world.clock.advance(10_000);
    const [dead, left] = ledBy(a)[0] === 'a' ? [a, b] : [b, a];
    dead.kill();
    expect(await world.read(left, P1)).toMatchObject({ kind: 'player' });
  });

  it('a successor with other definitions does not decide a refused command again', async () => {
    const loaded = (load: string) => [
      { segment: { id: 'seg', key: 'vip', condition: listCondition('seg', load), load }, conditions: {} },
    ];
    let set = createSegmentSet(loaded('2.b'));
    world = createBackbone({ definitions: { ...definitionsOf(), segments: () => set } });
    const a = await world.lead('a', { publishes: true });
    await world.register(a, P1);
    const list = { kind: 'ListPlayers', segmentId: 'seg', load: '2.a', active: '1.a', change: 'add' } as const;
    const origin = { game: 'demo', environment: 'live', receivedAt: world.clock.wallMs() } as const;
    const refused = a.commandClient.send(origin, P1, { ...list, playerIds: [P1] });
    expect(await world.complete(refused)).toMatchObject({ kind: 'failure', code: 'CONFLICT' });
    a.kill();
    set = createSegmentSet(loaded('1.a'));
    const b = await world.lead('b');
    expect(await world.track(b, P1, 'after')).toMatchObject({ results: [{ status: 'accepted' }] });
    expect(world.facts('PlayerListed')).toEqual([]);
  });
});
