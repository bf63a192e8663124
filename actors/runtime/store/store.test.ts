import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import { afterEach, describe, expect, it } from 'vitest';
import { OWNER_LIMITS } from '../limits.ts';
import { aPlayer } from '../../testing-players.ts';
import { checkedStore, StoreFaultError } from './checked-store.ts';
import { compactLmdbStores, openLmdbStores } from './store-lmdb.ts';
import { createMemoryStores } from './store-memory.ts';
import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import type { Stores } from './store.ts';

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function lmdb(): Stores {
  const folder = mkdtempSync(join(tmpdir(), 'store-'));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const stores = openLmdbStores(folder);
  cleanups.push(() => stores.close());
  return stores;
}

describe('the file of the stores', () => {
  // Rows of several sizes: LMDB keeps what it removed in free pages, and in the free space of pages in use.
  const REPEATS = [1, 10, 50, 100, 200, 300, 400];
  it.each(REPEATS)('holds nothing of erased players (%i words) a day after the last time', async (repeats) => {
    const folder = mkdtempSync(join(tmpdir(), 'store-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const mark = { appliedSeq: 1, factsCreated: 'c' };
    const ids = Array.from({ length: 50 }, (_, n) => `p${n}`);
    const secrets = () => readFileSync(join(folder, 'data.mdb'), 'latin1').split('SECRET').length - 1;
    const living = (id: string) => ({
      state: aPlayer({ id, attributes: JSON.stringify({ a: 'SECRET'.repeat(repeats) }) }),
      dirtySince: 1,
      snapshotSeq: 0,
    });
    async function eraseAll(): Promise<void> {
      const stores = openLmdbStores(folder);
      const store = stores.partition(0);
      await store.write({
        entities: [...ids.map(living), { ...living('kept'), state: aPlayer({ id: 'kept' }) }],
        mark,
      });
      const tombstone = {
        kind: 'erased',
        game: 'demo',
        environment: 'live',
        erasedAt: 1,
        keys: [],
        quarantined: 0,
      } as const;
      const erased = ids.map((id) => ({ state: { ...tombstone, id, lastSeq: 1 }, dirtySince: 1, snapshotSeq: 0 }));
      await store.write({ entities: erased, mark });
      await stores.close();
    }

    expect(await compactLmdbStores(folder, 0)).toBe(false);
    await eraseAll();
    expect(secrets()).toBeGreaterThan(0);
    const day = OWNER_LIMITS.compactionMs;
    expect(await compactLmdbStores(folder, day)).toBe(true);
    expect(secrets()).toBe(0);
    expect(await compactLmdbStores(folder, 3 * day)).toBe(false);
    const stores = openLmdbStores(folder);
    expect(stores.partition(0).get('kept')?.state).toMatchObject({ id: 'kept' });
    expect(stores.partition(0).get('p1')?.state.kind).toBe('erased');
    expect(stores.partition(0).count()).toBe(51);
    await stores.close();

    await eraseAll();
    expect(await compactLmdbStores(folder, 2 * day - 1)).toBe(false);
    expect(await compactLmdbStores(folder, 2 * day)).toBe(true);
    expect(secrets()).toBe(0);
  });

  /** A file of 24 MB, of which a player was erased. */
  async function withErased(): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), 'store-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const stores = openLmdbStores(folder);
    const mark = { appliedSeq: 1, factsCreated: 'c' };
    const attributes = JSON.stringify({ a: 'x'.repeat(60_000) });
    const entities = Array.from({ length: 400 }, (_, n) => ({
      state: aPlayer({ id: `p${n}`, attributes }),
      dirtySince: 0,
      snapshotSeq: 0,
    }));
    await stores.partition(0).write({ entities, mark });
    const tombstone = { kind: 'erased', id: 'p1', game: 'demo', environment: 'live', erasedAt: 1, lastSeq: 1 } as const;
    const erased = { state: { ...tombstone, keys: [], quarantined: 0 }, dirtySince: 0, snapshotSeq: 0 };
    await stores.partition(0).write({ entities: [erased], mark });
    await stores.close();
    return folder;
  }

  it('is written anew while the process does other work', async () => {
    const folder = await withErased();
    const copy = join(folder, 'compacted', 'data.mdb');
    const sizes = new Set<number>();
    let isDone = false;
    const look = () => {
      sizes.add(statSync(copy, { throwIfNoEntry: false })?.size ?? 0);
      if (!isDone) setImmediate(look);
    };
    look();
    expect(await compactLmdbStores(folder, OWNER_LIMITS.compactionMs)).toBe(true);
    isDone = true;
    expect(sizes.size).toBeGreaterThan(4);
  });

  it('stays as it is if the copy cannot be written, and no part of the copy stays', async () => {
    const folder = await withErased();
    const store = new URL('store-lmdb.ts', import.meta.url).href;
    const code = `const { compactLmdbStores } = await import('${store}');
      await compactLmdbStores(${JSON.stringify(folder)}, ${OWNER_LIMITS.compactionMs});`;
    // No file of the process may have more than 10 MB.
    const limited = 'trap "" XFSZ; ulimit -f 20480; exec "$0" --input-type=module -e "$1"';
    const { status, stderr } = spawnSync('sh', ['-c', limited, process.execPath, code], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('at copyEntries')]);
    expect(existsSync(join(folder, 'compacted'))).toBe(false);
    const stores = openLmdbStores(folder);
    expect([stores.partition(0).count(), stores.partition(0).get('p2')?.state.id]).toEqual([400, 'p2']);
    await stores.close();
    expect(await compactLmdbStores(folder, OWNER_LIMITS.compactionMs)).toBe(true);
  });
});

describe('a store with damaged bytes', () => {
  const mark = { appliedSeq: 1, factsCreated: 'c' };
  const some = (id: string) => ({ state: aPlayer({ id }), dirtySince: 1, snapshotSeq: 0 });

  /** A store with the players `a`, `b` and `c`, after `damage` has changed the file. */
  async function damaged(damage: (root: ReturnType<typeof open>) => Promise<unknown>) {
    const folder = mkdtempSync(join(tmpdir(), 'store-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const before = openLmdbStores(folder);
    await before.partition(0).write({ entities: ['a', 'b', 'c'].map(some), mark });
    await before.close();
    const root = open({ path: folder, maxDbs: 10, encoding: 'binary' });
    await damage(root);
    await root.close();
    const stores = openLmdbStores(folder);
    cleanups.push(() => stores.close());
    return checkedStore(stores.partition(0));
  }

  const rows = (root: ReturnType<typeof open>) => root.openDB<Uint8Array, string>('0/entities', { encoding: 'binary' });
  async function changeRow(root: ReturnType<typeof open>, change: (row: Buffer) => Uint8Array): Promise<void> {
    const entities = rows(root);
    await entities.put('b', change(Buffer.from(entities.get('b') ?? [])));
  }
  const DAMAGES: [string, (row: Buffer) => Uint8Array][] = [
    ['empty', () => new Uint8Array(0)],
    ['cut in the header', (row) => row.subarray(0, 20)],
    ['without a state', (row) => row.subarray(0, 24)],
    ['cut in the state', (row) => row.subarray(0, 60)],
    ['zeroes', (row) => Buffer.alloc(row.length)],
    ['all bits set', (row) => Buffer.alloc(row.length, 0xff)],
    ['of another version', (row) => row.fill(9, 24, 25)],
    ['of another kind', (row) => row.fill(9, 28, 29)],
    ['of another entity', (row) => row.fill('x', 30, 31)],
  ];

  it.each(DAMAGES)('reports a row that is %s as a fault of the store', async (_name, change) => {
    const store = await damaged((root) => changeRow(root, change));
    expect(() => store.get('b')).toThrow(StoreFaultError);
    expect(() => [...store.all()]).toThrow(StoreFaultError);
    expect(store.get('a')?.state.id).toBe('a');
    await store.clear();
    expect(store.get('b')).toBeUndefined();
    await store.write({ entities: ['a', 'b'].map(some), mark });
    expect(store.get('b')?.state.id).toBe('b');
    expect(store.count()).toBe(2);
  });

  it('reports a row that it cannot replace as a fault, not as a failed write', async () => {
    const store = await damaged((root) => changeRow(root, (row) => row.subarray(0, 40)));
    await expect(store.write({ entities: [some('a'), some('b')], mark })).rejects.toThrow(StoreFaultError);
    await store.clear();
    await store.write({ entities: [some('b')], mark });
    expect(store.get('b')?.state.id).toBe('b');
  });

  it.each(['mark', 'players'])('reports an unreadable "%s" as a fault of the store', async (key) => {
    const store = await damaged((root) =>
      root.openDB<Uint8Array, string>('0/meta', { encoding: 'binary' }).put(key, Buffer.from('{"appliedSeq":')),
    );
    expect(() => (key === 'mark' ? store.mark() : store.players())).toThrow(StoreFaultError);
    await store.clear();
    expect(store.mark()).toBeUndefined();
    expect(store.players().size).toBe(0);
  });
});

describe.each([
  ['lmdb', lmdb],
  ['memory', () => createMemoryStores()],
])('a partition store (%s)', (_name, openStores) => {
  it('is empty at first', () => {
    const store = openStores().partition(0);
    expect(store.mark()).toBeUndefined();
    expect(store.get('nobody')).toBeUndefined();
    expect(store.nextDue()).toBeUndefined();
    expect(store.count()).toBe(0);
  });

  it('returns written entities and the mark', async () => {
    const store = openStores().partition(0);
    const state = aPlayer({ id: 'p1', attributes: '{"__proto__":{"a":1},"level":3}', lastSeq: 7 });
    await store.write({
      entities: [{ state, dirtySince: 7, snapshotSeq: 0 }],
      mark: { appliedSeq: 7, factsCreated: 'c1' },
    });
    expect(store.get('p1')).toEqual({ state, dirtySince: 7, snapshotSeq: 0 });
    expect(store.mark()).toEqual({ appliedSeq: 7, factsCreated: 'c1' });
    expect([...store.all()]).toHaveLength(1);
  });

  it('counts the players of each game and environment, also after erasures', async () => {
    const store = openStores().partition(0);
    const write = (...states: EntityState[]) =>
      store.write({
        entities: states.map((state) => ({ state, dirtySince: 1, snapshotSeq: 0 })),
        mark: { appliedSeq: 1, factsCreated: 'c' },
      });
    expect(store.players()).toEqual(new Map());
    const scope = { game: 'a game with a name of more than 31 bytes: größer', environment: 'test' } as const;
    await write(aPlayer({ id: 'p1' }), aPlayer({ id: 'p2' }), aPlayer({ id: 'p3', ...scope }));
    await write(aPlayer({ id: 'p1', sessionCount: 9 }));
    expect(store.players()).toEqual(
      new Map([
        [`${scope.game}/test`, 1],
        ['demo/live', 2],
      ]),
    );
    const erased = { kind: 'erased', erasedAt: 1, keys: [], quarantined: 0, lastSeq: 1 } as const;
    await write({ ...erased, id: 'p2', game: 'demo', environment: 'live' }, { ...erased, id: 'p3', ...scope });
    expect([...store.players()]).toEqual([['demo/live', 1]]);
    await write(aPlayer({ id: 'p2' }));
    expect([...store.players()]).toEqual([['demo/live', 2]]);
  });

  it('keeps due times and the snapshot index in step with the newest state', async () => {
    const store = openStores().partition(0);
    const fresh = aPlayer({ id: 'p1', lifecycleDueAt: 1_000 });
    const older = aPlayer({ id: 'p2', lifecycleDueAt: 500 });
    const write = (states: (typeof fresh)[], dirtySince: number) =>
      store.write({
        entities: states.map((state) => ({ state, dirtySince, snapshotSeq: 0 })),
        mark: { appliedSeq: 1, factsCreated: 'c' },
      });
    await write([fresh, older], 5);
    expect(store.nextDue()).toBe(500);
    expect(store.due(499, 10)).toEqual([]);
    expect(store.due(1_000, 10)).toEqual(['p2', 'p1']);
    expect(store.due(1_000, 1)).toEqual(['p2']);
    await write([{ ...older, lifecycleDueAt: 0 }], 0);
    expect(store.due(1_000, 10)).toEqual(['p1']);
    expect([...store.dirty()]).toEqual([{ entityId: 'p1', dirtySince: 5, snapshotSeq: 0 }]);
  });

  it('is iterated in steps, in the order of its keys, whatever is added meanwhile', async () => {
    const store = openStores().partition(0);
    const write = (ids: readonly string[]) =>
      store.write({
        entities: ids.map((id) => ({ state: aPlayer({ id }), dirtySince: 0, snapshotSeq: 1 })),
        mark: { appliedSeq: 1, factsCreated: 'c' },
      });
    expect(store.idsAfter(undefined, 3)).toEqual([]);
    await write(['p3', 'p1', 'p5', 'p2', 'ledger:k']);
    expect(store.idsAfter(undefined, 3)).toEqual(['ledger:k', 'p1', 'p2']);
    await write(['p0', 'p4']);
    expect(store.idsAfter('p2', 2)).toEqual(['p3', 'p4']);
    expect(store.idsAfter('p4x', 2)).toEqual(['p5']);
    expect(store.idsAfter('p5', 2)).toEqual([]);
    expect(store.head('p5')).toMatchObject({ kind: 'player', game: 'demo', environment: 'live' });
    expect(store.head('p6')).toBeUndefined();
  });

  it('keeps partitions apart and clears one alone', async () => {
    const stores = openStores();
    const state = aPlayer({ id: 'p1' });
    const batch = { entities: [{ state, dirtySince: 0, snapshotSeq: 1 }], mark: { appliedSeq: 1, factsCreated: 'c' } };
    await stores.partition(0).write(batch);
    await stores.partition(1).write(batch);
    await stores.partition(0).clear();
    expect(stores.partition(0).get('p1')).toBeUndefined();
    expect(stores.partition(0).mark()).toBeUndefined();
    expect(stores.partition(0).nextDue()).toBeUndefined();
    expect(stores.partition(1).get('p1')?.snapshotSeq).toBe(1);
  });
});

describe('the LMDB store', () => {
  it('holds written entities after it is closed and opened again', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'store-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const first = openLmdbStores(folder);
    const state = aPlayer({ id: 'p1' });
    const entities = [{ state, dirtySince: 3, snapshotSeq: 2 }];
    await first.partition(4).write({ entities, mark: { appliedSeq: 9, factsCreated: 'c' } });
    await first.close();
    const second = openLmdbStores(folder);
    cleanups.push(() => second.close());
    expect(second.partition(4).get('p1')).toEqual({ state, dirtySince: 3, snapshotSeq: 2 });
    expect(second.partition(4).mark()).toEqual({ appliedSeq: 9, factsCreated: 'c' });
  });
});
