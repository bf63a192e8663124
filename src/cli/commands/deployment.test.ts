import { FORMAT } from '../../../core/vocabulary/formats.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ReshapeOptions, StreamShape } from '../../../streams/log/jetstream/stream-shape.ts';
import {
  createMemoryConfigStore,
  type MemoryConfigStore,
} from '../../../test/support/in-memory/memory-config-store.ts';
import { SETTINGS } from '../../process/deployment.ts';
import { changeDeployment, type DeploymentChanges } from './deployment.ts';

const MIB = 1024 ** 2;
let store: MemoryConfigStore;
/** The streams as the broker holds them, and every change in order, with the document at that moment. */
let held: StreamShape & { sizeBytes: number };
let changes: string[];
/** Runs before a stream is lowered, and while the command waits. */
let whileLowering: () => Promise<void>;
let whileWaiting: () => Promise<void>;

beforeEach(async () => {
  store = createMemoryConfigStore();
  held = { replicas: 3, factsMaxBytes: 64 * MIB, sizeBytes: 10 * MIB };
  changes = [];
  whileLowering = async () => {};
  whileWaiting = async () => {};
  await store.put(SETTINGS, {
    format: FORMAT,
    partitions: 4,
    createdAt: 1,
    secretsKey: 'k',
    replicas: 3,
    factsMaxBytes: 64 * MIB,
  });
});

const streams = {
  async held() {
    return [{ name: 'FACTS', replicas: held.replicas, maxBytes: held.factsMaxBytes, sizeBytes: held.sizeBytes }];
  },
  async reshape(shape: Partial<StreamShape>, { lower, still = () => true }: ReshapeOptions) {
    if (lower) await whileLowering();
    const document = store.get(SETTINGS)?.document;
    for (const name of ['replicas', 'factsMaxBytes'] as const) {
      const wanted = shape[name];
      if (wanted === undefined || wanted === held[name] || (!lower && wanted < held[name])) continue;
      if (!still()) return;
      held[name] = wanted;
      changes.push(`${name} ${wanted} while the document says ${document?.[name]}`);
    }
  },
};

const clock = {
  timer(_delayMs: number, fn: () => void) {
    void whileWaiting().then(fn);
    return () => {};
  },
};
const change = (wanted: DeploymentChanges): Promise<void> => changeDeployment(store, streams, wanted, clock);

describe('deployment set', () => {
  test('raises the streams before the document', async () => {
    await change({ replicas: 5, factsMaxBytes: 128 * MIB });
    expect(changes).toEqual([
      'replicas 5 while the document says 3',
      `factsMaxBytes ${128 * MIB} while the document says ${64 * MIB}`,
    ]);
    expect(store.get(SETTINGS)?.document).toEqual({
      format: FORMAT,
      partitions: 4,
      createdAt: 1,
      secretsKey: 'k',
      replicas: 5,
      factsMaxBytes: 128 * MIB,
    });
  });

  test('refuses a lower value without --lower, and changes nothing', async () => {
    await expect(change({ replicas: 1 })).rejects.toThrow(/lower than today's 3.*--lower/);
    await expect(change({ factsMaxBytes: 32 * MIB })).rejects.toThrow(/--lower/);
    expect(changes).toEqual([]);
    expect(store.get(SETTINGS)?.document).toMatchObject({ replicas: 3, factsMaxBytes: 64 * MIB });
  });

  test('with --lower changes the document first, so that running processes do not raise the streams again', async () => {
    await change({ replicas: 1, lower: true });
    expect(changes).toEqual(['replicas 1 while the document says 1']);
  });

  test('never makes FACTS smaller than what it holds', async () => {
    await expect(change({ factsMaxBytes: 8 * MIB, lower: true })).rejects.toThrow(/FACTS holds 10485760 bytes/);
    expect(changes).toEqual([]);
  });

  test('never makes FACTS so small that only the reserve of the owners has room', async () => {
    const least = Math.floor((10 * MIB * 4) / 3) + 1;
    await expect(change({ factsMaxBytes: least - 1, lower: true })).rejects.toThrow(
      new RegExp(`--facts-max-bytes ${least - 1} .* FACTS holds 10485760 bytes.* at least ${least}`),
    );
    expect(changes).toEqual([]);
    await change({ factsMaxBytes: least, lower: true });
    expect(held.factsMaxBytes).toBe(least);
  });

  test('raises a full FACTS, however little', async () => {
    held.sizeBytes = 64 * MIB;
    await change({ factsMaxBytes: 65 * MIB });
    expect(held.factsMaxBytes).toBe(65 * MIB);
  });

  test('lowers again what a process was just raising to the values before', async () => {
    let raised = false;
    whileWaiting = async () => {
      if (!raised) held.replicas = 3;
      raised = true;
    };
    await change({ replicas: 1, lower: true });
    expect([raised, held.replicas]).toEqual([true, 1]);
  });

  test('fails when a process keeps raising what it lowers', async () => {
    whileWaiting = async () => void (held.replicas = 3);
    await expect(change({ replicas: 1, lower: true })).rejects.toThrow(/raises streams again/);
  });

  test('lowers nothing that another operator raised meanwhile', async () => {
    whileLowering = async () => {
      whileLowering = async () => {};
      await change({ replicas: 5, lower: true });
    };
    await expect(change({ replicas: 1, lower: true })).rejects.toThrow(/changed the deployment meanwhile/);
    expect(held.replicas).toBe(5);
    expect(store.get(SETTINGS)?.document).toMatchObject({ replicas: 5 });
  });

  test('replaces values that no process accepts', async () => {
    const document = { format: FORMAT, partitions: 4, createdAt: 1, replicas: 2.5, factsMaxBytes: 64 * MIB };
    await store.put(SETTINGS, document);
    await expect(change({ factsMaxBytes: 65 * MIB })).rejects.toThrow(/`replicas` 2.5.*--replicas/);
    await change({ replicas: 3 });
    expect(store.get(SETTINGS)?.document).toEqual({ ...document, replicas: 3 });
  });

  test('needs a setting, and a deployment that has recorded its own', async () => {
    await expect(change({})).rejects.toThrow(/Name a setting/);
    store = createMemoryConfigStore();
    await expect(change({ replicas: 3 })).rejects.toThrow(/no settings yet/);
  });
});
