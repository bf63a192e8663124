import { beforeEach, describe, expect, test } from 'vitest';
import type { StreamShape } from '../../streams/log/jetstream/stream-shape.ts';
import { createMemoryConfigStore, type MemoryConfigStore } from '../../test/support/memory-config-store.ts';
import { SETTINGS } from '../deployment.ts';
import { changeDeployment } from './deployment.ts';

const MIB = 1024 ** 2;
let store: MemoryConfigStore;
/** The streams as the broker holds them, and every change in order, with the document at that moment. */
let held: StreamShape & { sizeBytes: number };
let changes: string[];

beforeEach(async () => {
  store = createMemoryConfigStore();
  held = { replicas: 3, factsMaxBytes: 64 * MIB, sizeBytes: 10 * MIB };
  changes = [];
  await store.put(SETTINGS, { partitions: 4, createdAt: 1, secretsKey: 'k', replicas: 3, factsMaxBytes: 64 * MIB });
});

const streams = {
  async held() {
    return [{ name: 'FACTS', replicas: held.replicas, maxBytes: held.factsMaxBytes, sizeBytes: held.sizeBytes }];
  },
  async reshape(shape: Partial<StreamShape>, { lower }: { lower: boolean }) {
    const document = store.get(SETTINGS)?.document;
    for (const name of ['replicas', 'factsMaxBytes'] as const) {
      const wanted = shape[name];
      if (wanted === undefined || wanted === held[name] || (!lower && wanted < held[name])) continue;
      held[name] = wanted;
      changes.push(`${name} ${wanted} while the document says ${document?.[name]}`);
    }
  },
};

describe('deployment set', () => {
  test('raises the streams before the document', async () => {
    await changeDeployment(store, streams, { replicas: 5, factsMaxBytes: 128 * MIB });
    expect(changes).toEqual([
      'replicas 5 while the document says 3',
      `factsMaxBytes ${128 * MIB} while the document says ${64 * MIB}`,
    ]);
    expect(store.get(SETTINGS)?.document).toEqual({
      partitions: 4,
      createdAt: 1,
      secretsKey: 'k',
      replicas: 5,
      factsMaxBytes: 128 * MIB,
    });
  });

  test('refuses a lower value without --lower, and changes nothing', async () => {
    await expect(changeDeployment(store, streams, { replicas: 1 })).rejects.toThrow(/lower than today's 3.*--lower/);
    await expect(changeDeployment(store, streams, { factsMaxBytes: 32 * MIB })).rejects.toThrow(/--lower/);
    expect(changes).toEqual([]);
    expect(store.get(SETTINGS)?.document).toMatchObject({ replicas: 3, factsMaxBytes: 64 * MIB });
  });

  test('with --lower changes the document first, so that running processes do not raise the streams again', async () => {
    await changeDeployment(store, streams, { replicas: 1, lower: true });
    expect(changes).toEqual(['replicas 1 while the document says 1']);
  });

  test('never makes FACTS smaller than what it holds', async () => {
    await expect(changeDeployment(store, streams, { factsMaxBytes: 8 * MIB, lower: true })).rejects.toThrow(
      /FACTS holds 10485760 bytes/,
    );
    expect(changes).toEqual([]);
  });

  test('needs a setting, and a deployment that has recorded its own', async () => {
    await expect(changeDeployment(store, streams, {})).rejects.toThrow(/Name a setting/);
    store = createMemoryConfigStore();
    await store.put(SETTINGS, { partitions: 4, createdAt: 1 });
    await expect(changeDeployment(store, streams, { replicas: 3 })).rejects.toThrow(/no settings yet/);
  });
});
