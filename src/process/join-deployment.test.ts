import { FORMAT } from '../../core/vocabulary/formats.ts';
import { expect, test } from 'vitest';
import { createMemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import type { StreamShape } from '../../streams/log/jetstream/stream-shape.ts';
import { SETTINGS } from './deployment.ts';
import { joinDeployment } from './join-deployment.ts';
import { systemClock as clock } from '../../core/kernel/clock.ts';

const GIB = 1024 ** 3;
const NO_SETTINGS = { partitions: undefined, replicas: undefined, factsMaxBytes: undefined };

/** The streams of a broker: `ensured` holds the least shapes that were asked for. */
function aLog(ensure: () => Promise<void> = async () => {}) {
  const ensured: (StreamShape | undefined)[] = [];
  const log = {
    held: async () => [{ name: 'FACTS', replicas: 3, maxBytes: GIB, sizeBytes: 0 }],
    ensure(shape?: StreamShape) {
      ensured.push(shape && { replicas: shape.replicas, factsMaxBytes: shape.factsMaxBytes });
      return ensure();
    },
  };
  return { log, ensured };
}

test('a process starts although a broker that is down keeps the streams from being raised', async () => {
  const { log } = aLog(() => Promise.reject(new Error('no suitable peers for placement, peer offline')));
  const configStore = createMemoryConfigStore();
  const joined = joinDeployment({ log, configStore, settings: NO_SETTINGS, clock, logger: silentLogger });
  expect(await joined).toMatchObject({ kind: 'joined', deployment: { replicas: 3, factsMaxBytes: GIB } });
});

test('a running process follows what an operator changes, and only that', async () => {
  const { log, ensured } = aLog();
  const configStore = createMemoryConfigStore();
  await joinDeployment({ log, configStore, settings: NO_SETTINGS, clock, logger: silentLogger });
  const document = configStore.get(SETTINGS)?.document;
  if (document === undefined) throw new Error('the first process records the deployment');
  await configStore.put(SETTINGS, { ...document, secretsKey: 'k' });
  await configStore.put(SETTINGS, { ...document, factsMaxBytes: 2 * GIB });
  expect(ensured).toEqual([
    { replicas: 3, factsMaxBytes: GIB },
    { replicas: 3, factsMaxBytes: 2 * GIB },
  ]);
});

test('a starting process follows what an operator changes while it raises the streams', async () => {
  const configStore = createMemoryConfigStore();
  const lowered = { format: FORMAT, partitions: 2, createdAt: 0, replicas: 1, factsMaxBytes: GIB };
  let changes = 0;
  const { log, ensured } = aLog(async () => {
    changes += 1;
    if (changes === 1) await configStore.put(SETTINGS, lowered);
  });
  await joinDeployment({ log, configStore, settings: NO_SETTINGS, clock, logger: silentLogger });
  // The checks of every minute would raise the streams again to the last shape.
  expect(ensured.at(-1)).toEqual({ replicas: 1, factsMaxBytes: GIB });
});

test('a running process keeps the last values when the document holds others that cannot be', async () => {
  const { log, ensured } = aLog();
  const configStore = createMemoryConfigStore();
  await joinDeployment({ log, configStore, settings: NO_SETTINGS, clock, logger: silentLogger });
  await configStore.put(SETTINGS, { format: FORMAT, partitions: 2, createdAt: 0, replicas: 0.5, factsMaxBytes: GIB });
  expect(ensured).toEqual([{ replicas: 3, factsMaxBytes: GIB }]);
});
