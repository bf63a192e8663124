import { FORMAT } from '../../core/vocabulary/formats.ts';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DeploymentDocument } from '../../core/vocabulary/documents/documents.ts';
import { createMemoryConfigStore, type MemoryConfigStore } from '../../test/support/in-memory/memory-config-store.ts';
import { agreeOnDeployment, agreeOnSecretsKey, type DeploymentSettings, SETTINGS } from './deployment.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { createSecretBox } from '../../core/kernel/secrets/secret-box.ts';

const random = (sizeBytes: number) => systemIds.bytes(sizeBytes);
const [one, two] = [random(32), random(32)];
const boxOne = createSecretBox([one], random);
const boxTwo = createSecretBox([two], random);
const boxBoth = createSecretBox([two, one], random);

let config: MemoryConfigStore;
beforeEach(async () => {
  config = createMemoryConfigStore();
  await agree({ partitions: 4 });
});

const GIB = 1024 ** 3;
const UNSET: DeploymentSettings = { partitions: undefined, replicas: undefined, factsMaxBytes: undefined };
const agree = (settings: Partial<DeploymentSettings>, held = {}) =>
  agreeOnDeployment(config, { ...UNSET, ...settings }, held, systemClock);
const documentOf = () => config.get(SETTINGS)?.document;

const idHeld = () => config.get(SETTINGS)?.document.secretsKey;

describe('what a deployment is', () => {
  test('is what the first process wants, and applies to every process without the setting', async () => {
    config = createMemoryConfigStore();
    await agree({ partitions: 8, replicas: 3, factsMaxBytes: 2 * GIB });
    const deployment = { partitions: 8, replicas: 3, factsMaxBytes: 2 * GIB };
    expect(documentOf()).toMatchObject(deployment);
    expect(await agree({})).toMatchObject({ kind: 'agreed', deployment, warnings: [] });
  });

  test('without any setting is two partitions, one replica and 64 GiB of facts', async () => {
    config = createMemoryConfigStore();
    const deployment = { partitions: 2, replicas: 1, factsMaxBytes: 64 * GIB };
    expect(await agree({})).toMatchObject({ kind: 'agreed', deployment });
  });

  test('has more partitions at the first start of several processes, and keeps them afterwards', async () => {
    config = createMemoryConfigStore();
    expect(await agree({ firstPartitions: 10 })).toMatchObject({ kind: 'agreed', deployment: { partitions: 10 } });
    expect(await agree({ firstPartitions: 4 })).toMatchObject({ kind: 'agreed', deployment: { partitions: 10 } });
    config = createMemoryConfigStore();
    const both = { partitions: 3, firstPartitions: 10 };
    expect(await agree(both)).toMatchObject({ kind: 'agreed', deployment: { partitions: 3 } });
  });

  test('refuses a process with other partitions or replicas, and changes nothing', async () => {
    const before = documentOf();
    expect(await agree({ partitions: 5 })).toEqual({
      kind: 'refused',
      message: expect.stringMatching(/^PARTITIONS is 5, but .* 4 partitions/),
    });
    expect(await agree({ replicas: 3 })).toEqual({
      kind: 'refused',
      message: expect.stringMatching(/^NATS_REPLICAS is 3, but .* on 1 brokers\. .*deployment set --replicas 3/),
    });
    expect(documentOf()).toEqual(before);
  });

  test('warns a process with another size of FACTS, and keeps the size', async () => {
    const agreed = await agree({ factsMaxBytes: GIB });
    expect(agreed).toMatchObject({ kind: 'agreed', deployment: { factsMaxBytes: 64 * GIB } });
    expect(agreed).toMatchObject({ warnings: [expect.stringMatching(/deployment set --facts-max-bytes 1073741824/)] });
  });

  test('is at least what its streams are', async () => {
    config = createMemoryConfigStore();
    const held = { replicas: 3, factsMaxBytes: 10 * GIB };
    expect(await agree({ factsMaxBytes: GIB }, held)).toMatchObject({ kind: 'agreed', deployment: held });
  });

  test.each([
    [
      undefined,
      /^The data of this deployment has the format of a version before 1\.0\.0; this version reads format 1 /,
    ],
    [FORMAT + 1, /^The data of this deployment has the format 2; .*Start the version that wrote.*empty DATA_DIR/],
  ])('is refused when its data has the format %s', async (format, message) => {
    const document: DeploymentDocument = JSON.parse(JSON.stringify({ ...documentOf(), format }));
    await config.put(SETTINGS, document);
    expect(await agree({})).toEqual({ kind: 'refused', message: expect.stringMatching(message) });
    expect(documentOf()).toEqual(document);
  });

  test.each([
    [{ replicas: 0 }, /_\._\.deployment\.settings.*`replicas` 0; .*from 1 to 5.*deployment set --replicas/],
    [{ replicas: 6 }, /`replicas` 6; /],
    [{ replicas: 1.5 }, /`replicas` 1.5; /],
    [{ replicas: '3' }, /`replicas` "3"; /],
    [{ replicas: null }, /`replicas` null; /],
    [{ factsMaxBytes: -1 }, /`factsMaxBytes` -1; .*from 1048576 to .*deployment set --facts-max-bytes/],
    [{ factsMaxBytes: 2 ** 60 }, /`factsMaxBytes` 1152921504606847000; /],
    [{ partitions: 0 }, /`partitions` 0; .*from 1 to 256.*backup/],
    [{ partitions: 257 }, /`partitions` 257; /],
  ])('is refused when its document holds %j', async (wrong, message) => {
    const document: DeploymentDocument = JSON.parse(JSON.stringify({ ...documentOf(), ...wrong }));
    await config.put(SETTINGS, document);
    expect(await agree({})).toEqual({ kind: 'refused', message: expect.stringMatching(message) });
    expect(documentOf()).toEqual(document);
  });

  test('is decided by one of two processes that start at once', async () => {
    config = createMemoryConfigStore();
    const outcomes = await Promise.all([agree({ replicas: 3 }), agree({ replicas: 1 })]);
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['agreed', 'refused']);
    expect([1, 3]).toContain(documentOf()?.replicas);
  });

  test('is unavailable while the log is unavailable', async () => {
    config = createMemoryConfigStore();
    config.down = true;
    expect(await agree({})).toEqual({ kind: 'unavailable' });
  });
});

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
