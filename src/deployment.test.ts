import { beforeEach, describe, expect, test } from 'vitest';
import { createMemoryConfigStore, type MemoryConfigStore } from '../test/support/memory-config-store.ts';
import { agreeOnPartitions, agreeOnSecretsKey, SETTINGS } from './deployment.ts';
import { systemClock } from './kernel/clock.ts';
import { systemIds } from './kernel/ids.ts';
import { createSecretBox } from './kernel/secret-box.ts';

const random = (sizeBytes: number) => systemIds.bytes(sizeBytes);
const [one, two] = [random(32), random(32)];
const boxOne = createSecretBox([one], random);
const boxTwo = createSecretBox([two], random);
const boxBoth = createSecretBox([two, one], random);

let config: MemoryConfigStore;
beforeEach(async () => {
  config = createMemoryConfigStore();
  await agreeOnPartitions(config, 4, systemClock);
});
const idHeld = () => config.get(SETTINGS)?.document.secretsKey;

describe('the key of a deployment', () => {
  test('is the key of the first process, and every other process must have it', async () => {
    expect(await agreeOnSecretsKey(config, boxOne, undefined)).toEqual({ kind: 'agreed' });
    expect(await agreeOnSecretsKey(config, boxOne, undefined)).toEqual({ kind: 'agreed' });
    expect(config.get(SETTINGS)?.document).toMatchObject({ partitions: 4, secretsKey: boxOne.keyId });
    const refused = await agreeOnSecretsKey(config, boxTwo, undefined);
    expect(refused).toEqual({
      kind: 'refused',
      message: expect.stringMatching(
        new RegExp(`sealed with the key ${boxOne.keyId}, but this process has the key ${boxTwo.keyId}`),
      ),
    });
    expect(idHeld()).toBe(boxOne.keyId);
  });

  test('changes with a process that has both keys; processes with both start at any moment', async () => {
    await agreeOnSecretsKey(config, boxOne, undefined);
    expect(await agreeOnSecretsKey(config, boxBoth, undefined)).toEqual({ kind: 'agreed' });
    expect(idHeld()).toBe(boxTwo.keyId);
    expect(await agreeOnSecretsKey(config, createSecretBox([one, two], random), undefined)).toEqual({ kind: 'agreed' });
    expect(await agreeOnSecretsKey(config, boxTwo, undefined)).toMatchObject({ kind: 'refused' });
  });

  test('is required of every process as soon as one process has a key', async () => {
    expect(await agreeOnSecretsKey(config, undefined, undefined)).toEqual({ kind: 'agreed' });
    expect(idHeld()).toBeUndefined();
    await agreeOnSecretsKey(config, boxOne, undefined);
    expect(await agreeOnSecretsKey(config, undefined, undefined)).toMatchObject({ kind: 'refused' });
  });

  test('is replaced without the old key only by naming its id', async () => {
    await agreeOnSecretsKey(config, boxOne, undefined);
    expect(await agreeOnSecretsKey(config, boxTwo, 'another')).toMatchObject({ kind: 'refused' });
    expect(await agreeOnSecretsKey(config, boxTwo, boxOne.keyId)).toEqual({ kind: 'agreed' });
    expect(idHeld()).toBe(boxTwo.keyId);
  });

  test('is unavailable while the log is unavailable', async () => {
    config.down = true;
    expect(await agreeOnSecretsKey(config, boxOne, undefined)).toEqual({ kind: 'unavailable' });
  });
});
