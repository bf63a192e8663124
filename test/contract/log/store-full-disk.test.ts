import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { openLmdbStores } from '../../../actors/runtime/store/store-lmdb.ts';
import { aPlayer } from '../../../actors/testing-players.ts';
import { mountSmallFileSystem } from '../../support/servers/small-file-system.ts';

const disk = mountSmallFileSystem(4 * 1024 * 1024);

describe.skipIf(disk === undefined)('a local store on a full disk', () => {
  if (disk === undefined) return;
  const stores = openLmdbStores(join(disk.path, 'players'));
  afterAll(async () => {
    await stores.close();
    disk.remove();
  });

  test('rejects a write with the reason, keeps its state, and writes again once space is free', async () => {
    const store = stores.partition(0);
    const write = (seq: number) =>
      store.write({
        entities: [
          {
            state: aPlayer({ id: `p${seq}`, attributes: JSON.stringify({ a: 'x'.repeat(60_000) }) }),
            dirtySince: 1,
            snapshotSeq: 0,
          },
        ],
        mark: { appliedSeq: seq, factsCreated: 'c' },
      });
    await write(1);
    disk.fill(0);
    for (const seq of [2, 3, 4]) await expect(write(seq)).rejects.toThrow(/No space left|Input\/output/);
    expect(store.mark()?.appliedSeq).toBe(1);
    expect(store.get('p2')).toBeUndefined();
    disk.free();
    await write(5);
    expect(store.mark()?.appliedSeq).toBe(5);
    expect(store.get('p5')?.state.id).toBe('p5');
    expect(store.get('p1')?.state.id).toBe('p1');
  });
});
