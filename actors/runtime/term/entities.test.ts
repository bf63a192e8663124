import { beforeEach, describe, expect, it } from 'vitest';
import { aCommand, aPlayer, definitionsOf } from '../../testing-players.ts';
import { encodeFacts } from '../../../core/codec/codec.ts';
import { decide } from '../../decide.ts';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { ListPlayers } from '../../../core/vocabulary/documents/player-lists.ts';
import { stateBytes } from '../store/state-memory.ts';
import { createEntities, type Entities } from './entities.ts';
import { createMemoryStores } from '../store/store-memory.ts';
import type { PartitionStore } from '../store/store.ts';
import type { CommitRecord } from '../../../core/vocabulary/facts/commit-record.ts';

const ONE = stateBytes(aPlayer());

describe('the entities of a partition', () => {
  let store: PartitionStore;
  let entities: Entities;
  let nowMs = 0;
  let hold: Promise<void> | undefined;

  beforeEach(() => {
    nowMs = 0;
    hold = undefined;
    store = createMemoryStores(() => hold ?? Promise.resolve()).partition(0);
    entities = createEntities({ store, factsCreated: 'c', hotBytes: 3 * ONE, nowMs: () => nowMs });
  });

  let sequence = 0;
  /** Commits a register of `id`; answers its sequence. */
  function register(id: string, attributes = '{}'): number {
    const draft = entities.draft();
    const body = { kind: 'RegisterPlayer', playerId: id, externalId: id, attributes } as const;
    decide(draft, aCommand({ ...body, createOnly: false, byClientKey: false }), definitionsOf());
    sequence += 1;
    entities.applyCommit(draft, [], sequence);
    return sequence;
  }

  const record = (...facts: Fact[]): CommitRecord => ({
    partition: 0,
    epoch: 1,
    owner: 'o',
    committedAt: 0,
    position: null,
    configRevision: 0,
    facts,
  });

  it('shows a draft only to itself before it is committed', () => {
    const draft = entities.draft();
    const body = {
      kind: 'RegisterPlayer',
      playerId: 'p',
      externalId: 'p',
      createOnly: false,
      byClientKey: false,
    } as const;
    decide(draft, aCommand(body), definitionsOf());
    expect(draft.get('p')).toBeDefined();
    expect(entities.get('p')).toBeUndefined();
    entities.applyCommit(draft, [], 7);
    expect(entities.get('p')?.lastSeq).toBe(7);
    expect(entities.appliedSeq).toBe(7);
  });

  it('undoes facts emitted since a savepoint', () => {
    const draft = entities.draft();
    const body = (externalId: string) =>
      ({ kind: 'RegisterPlayer', playerId: 'p', externalId, createOnly: false, byClientKey: false }) as const;
    decide(draft, aCommand(body('first')), definitionsOf());
    const before = { state: draft.get('p'), bytes: draft.encodedBytes() };
    const savepoint = draft.savepoint();
    decide(draft, aCommand({ ...body('first'), deviceId: 'd' }), definitionsOf());
    expect(draft.get('p')).toMatchObject({ deviceId: 'd' });
    draft.rollback(savepoint);
    expect(draft.get('p')).toBe(before.state);
    expect(draft.encodedBytes()).toBe(before.bytes);
    expect(draft.encoded()).toEqual(encodeFacts(draft.facts));
    expect(draft.facts).toHaveLength(1);
  });

  it('evicts the least recently used beyond the byte budget, but no entity that the store lacks', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) register(id);
    entities.trim();
    expect(entities.hotCount).toBe(5);
    await entities.flush();
    entities.get('a');
    entities.trim();
    expect(entities.hotCount).toBe(3);
    // `a` was used last, so `b` and `c` went; both come back from the store.
    expect(store.get('b')).toBeDefined();
    expect(entities.get('b')).toMatchObject({ externalId: 'b' });
  });

  it('drops what only work in bulk changed once it is stored, and keeps what was used since', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) register(id);
    await entities.flush();
    entities.trim();
    entities.trim();
    const held = ids.filter((id) => entities.held(id) !== undefined);
    expect(held).toHaveLength(3);
    sequence += 1;
    const draft = entities.draft();
    const body = { kind: 'ListPlayers', segmentId: 's', load: '1.x', active: '0.x', change: 'add' } as const;
    draft.inBulk(() => decide(draft, aCommand({ ...body, playerIds: ids }), definitionsOf()));
    // What is only read does not stay for it.
    expect(entities.hotCount).toBe(3);
    entities.applyCommit(draft, [], sequence);
    expect([entities.hotCount, entities.bulkBytes > 0]).toEqual([5, true]);
    const [used = '', unused = ''] = ids.filter((id) => !held.includes(id));
    entities.get(used);
    await entities.flush();
    expect(ids.filter((id) => entities.held(id) !== undefined).toSorted()).toEqual([...held, used].toSorted());
    expect([entities.bulkBytes, entities.pinnedBytes]).toEqual([0, 0]);
    expect(entities.get(unused)).toMatchObject({ lists: [{ segmentId: 's', loads: ['1.x'] }], lastSeq: sequence });
  });

  it('keeps what work in bulk changed while it is written, also if that fails', async () => {
    register('a');
    await entities.flush();
    const open = createEntities({ store, factsCreated: 'c', hotBytes: ONE, nowMs: () => nowMs });
    const change = (load: string): void => {
      sequence += 1;
      const draft = open.draft();
      const body = {
        kind: 'ListPlayers',
        segmentId: 's',
        load,
        active: '0.x',
        change: 'add',
        playerIds: ['a'],
      } satisfies ListPlayers;
      draft.inBulk(() => decide(draft, aCommand(body), definitionsOf()));
      open.applyCommit(draft, [], sequence);
    };
    change('1.x');
    hold = Promise.reject(new Error('disk full'));
    await expect(open.flush()).rejects.toThrow('disk full');
    expect([open.hotCount, open.bulkBytes > 0]).toEqual([1, true]);
    hold = undefined;
    const flushed = open.flush();
    change('2.x');
    await flushed;
    expect(open.hotCount).toBe(1);
    await open.flush();
    expect(open.hotCount).toBe(0);
    expect(store.get('a')?.state.lastSeq).toBe(sequence);
  });

  it('keeps entities in memory until their write has succeeded', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) register(id);
    let finish = (): void => {};
    hold = new Promise((resolve) => {
      finish = resolve;
    });
    const flushed = entities.flush();
    entities.trim();
    expect(entities.hotCount).toBe(5);
    expect(entities.get('a')).toMatchObject({ externalId: 'a' });
    finish();
    await flushed;
    entities.trim();
    expect(entities.hotCount).toBe(3);
  });

  it('stays behind for changes during a write', async () => {
    register('a');
    let finish = (): void => {};
    hold = new Promise((resolve) => {
      finish = resolve;
    });
    const flushed = entities.flush();
    register('a', '{"x":1}');
    finish();
    await flushed;
    expect(entities.behind).toBe(true);
    await entities.flush();
    expect(entities.behind).toBe(false);
    expect(store.get('a')?.state).toMatchObject({ attributes: '{"x":1}' });
  });

  it('writes in chunks; a replay skips entities ahead of the mark', async () => {
    let writes = 0;
    const disk = createMemoryStores(() => {
      writes += 1;
      return writes === 2 ? Promise.reject(new Error('killed')) : Promise.resolve();
    }).partition(0);
    const open = () =>
      createEntities({ store: disk, factsCreated: 'c', hotBytes: ONE, flushChunk: 2, nowMs: () => nowMs });
    const replay = (into: Entities): void => {
      for (const [index, id] of ['a', 'b', 'c'].entries()) {
        const player = aPlayer({ id });
        const fact = { entityId: id, game: 'demo', environment: 'live', at: 1, player } as const;
        into.fold(record({ kind: 'PlayerRegistered', ...fact }), index + 1);
      }
    };
    const killed = open();
    replay(killed);
    const lacks = [killed.pinnedBytes];
    await expect(killed.flush(() => lacks.push(killed.pinnedBytes))).rejects.toThrow('killed');
    expect(lacks).toEqual([3 * ONE, ONE]);
    expect(disk.mark()).toEqual({ appliedSeq: 0, aheadTo: 3, factsCreated: 'c' });
    expect(['a', 'b', 'c'].map((id) => disk.get(id)?.state.lastSeq)).toEqual([1, 2, undefined]);

    const again = open();
    replay(again);
    await again.flush();
    expect(disk.mark()).toEqual({ appliedSeq: 3, factsCreated: 'c' });
    expect([...disk.dirty()].map(({ entityId, dirtySince }) => [entityId, dirtySince])).toEqual([
      ['a', 1],
      ['b', 2],
      ['c', 3],
    ]);
  });

  it('covers no change that a replay brings back after a kill between the transactions of a flush', async () => {
    let writes = 0;
    const disk = createMemoryStores(() => {
      writes += 1;
      return writes === 2 ? Promise.reject(new Error('killed')) : Promise.resolve();
    }).partition(0);
    const open = () =>
      createEntities({ store: disk, factsCreated: 'c', hotBytes: ONE, flushChunk: 1, nowMs: () => nowMs });
    const one = { game: 'demo', environment: 'live', at: 1 } as const;
    const player = (id: string) => aPlayer({ id });
    const records = [
      record({ kind: 'PlayerRegistered', ...one, entityId: 'late', player: player('late') }),
      record({
        kind: 'EntitySnapshot',
        ...one,
        entityId: 'late',
        state: { ...player('late'), lastSeq: 1, bornSeq: 1 },
      }),
      record({ kind: 'PlayerRegistered', ...one, entityId: 'early', player: player('early') }),
      record({ kind: 'PlayerUpdated', ...one, entityId: 'late', changed: [], player: player('late') }),
    ];
    const replay = (into: Entities): void => {
      for (const [index, commit] of records.entries()) into.fold(commit, index + 1);
    };
    const killed = open();
    replay(killed);
    // The first transaction holds `late`, changed by record 4. `early`, changed by record 3, is not stored.
    await expect(killed.flush()).rejects.toThrow('killed');
    expect([...disk.dirty()]).toMatchObject([{ entityId: 'late', dirtySince: 4 }]);

    const again = open();
    replay(again);
    expect(again.snapshots.size).toBe(2);
    expect(again.snapshots.coveredTo(again.appliedSeq)).toBe(2);
  });

  it('repeats a failed write', async () => {
    register('a');
    hold = Promise.reject(new Error('disk full'));
    await expect(entities.flush()).rejects.toThrow('disk full');
    hold = undefined;
    expect(entities.behind).toBe(true);
    await entities.flush();
    expect(store.get('a')).toBeDefined();
  });

  it('skips records that an entity holds already', () => {
    const fact = (deviceId: string): Fact => ({
      kind: 'PlayerUpdated',
      entityId: 'p',
      game: 'demo',
      environment: 'live',
      at: 1,
      changed: ['device_id'],
      player: { ...aPlayer({ id: 'p' }), deviceId },
    });
    const registered: Fact = {
      kind: 'PlayerRegistered',
      entityId: 'p',
      game: 'demo',
      environment: 'live',
      at: 1,
      player: aPlayer({ id: 'p' }),
    };
    entities.fold(record(registered, fact('first')), 5);
    expect(entities.get('p')).toMatchObject({ deviceId: 'first', lastSeq: 5 });
    entities.fold(record(fact('again')), 5);
    expect(entities.get('p')).toMatchObject({ deviceId: 'first', lastSeq: 5 });
    entities.fold(record(fact('next')), 6);
    expect(entities.get('p')).toMatchObject({ deviceId: 'next', lastSeq: 6 });
  });

  it('applies a record with an erasure to a player that a rebuild lacks', async () => {
    const scope = { entityId: 'p', game: 'demo', environment: 'live', at: 1 } as const;
    const player = aPlayer({ id: 'p' });
    const old: Fact[] = [
      { ...scope, kind: 'EntitySnapshot', state: aPlayer({ id: 'p', lastSeq: 4 }) },
      { ...scope, kind: 'FlagOverridden', externalId: 'p', flagKey: 'shop', value: 'true' },
    ];
    const erased: Fact = { ...scope, kind: 'PlayerErased' };
    const again: Fact = { ...scope, kind: 'PlayerRegistered', player };
    const tombstone = {
      kind: 'erased',
      id: 'p',
      game: 'demo',
      environment: 'live',
      erasedAt: 1,
      keys: [],
      quarantined: 0,
    } as const;
    // As the sink leaves it: nothing before the record, which is yet to be applied.
    const state = { ...tombstone, lastSeq: 8 };
    const mark = { appliedSeq: 0, factsCreated: 'c' };
    await store.write({ entities: [{ state, dirtySince: 0, snapshotSeq: 8 }], mark });
    const rebuilt = createEntities({ store, factsCreated: 'c', hotBytes: ONE, nowMs: () => nowMs });
    rebuilt.fold(record({ ...scope, kind: 'FlagOverridden', externalId: 'p', flagKey: 'shop', value: 'true' }), 7);
    expect(rebuilt.get('p')).toEqual({ ...tombstone, lastSeq: 8 });
    rebuilt.fold(record(...old, erased), 9);
    expect(rebuilt.get('p')).toEqual({ ...tombstone, lastSeq: 9 });
    rebuilt.fold(record(erased, again), 10);
    expect(rebuilt.get('p')).toMatchObject({
      kind: 'player',
      externalId: player.externalId,
      overrides: [],
      lastSeq: 10,
    });
  });

  it('finds after a restart the entities that wait for a snapshot', async () => {
    const first = register('a');
    register('b');
    await entities.flush();
    const again = createEntities({ store, factsCreated: 'c', hotBytes: ONE, nowMs: () => nowMs });
    expect(again.snapshots.coveredTo(again.appliedSeq)).toBe(first - 1);
    nowMs = 60_000;
    expect(again.snapshots.due(10)).toEqual(['a', 'b']);
  });

  it('rejects a log that does not fit its state', () => {
    const snapshot: Fact = {
      kind: 'EntitySnapshot',
      entityId: 'p',
      game: 'demo',
      environment: 'live',
      at: 1,
      state: aPlayer({ id: 'p', lastSeq: 3 }),
    };
    expect(() => entities.fold(record(snapshot), 9)).toThrow('is not of the state held');
  });
});
