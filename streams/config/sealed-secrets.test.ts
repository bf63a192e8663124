import { beforeEach, describe, expect, test, vi } from 'vitest';
import { createFakeClock } from '../../test/support/in-memory/fake-clock.ts';
import { silentLogger } from '../../test/support/in-memory/silent-logger.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { createSecretBox, withoutSealing, type SecretBox } from '../../core/kernel/secrets/secret-box.ts';
import { decodeJson, encodeJson } from '../../core/codec/codec.ts';
import { createMemoryBroker, type MemoryBroker } from '../log/memory/log-memory.ts';
import { openConfigStore, type ConfigStore } from './config-store.ts';
import type { DocumentAddress, WebhookDocument } from '../../core/vocabulary/documents/documents.ts';
import { playerTokensAddress } from './player-tokens.ts';
import { rewriteSecrets } from './rewrite-secrets.ts';

/* Webhooks as the CONFIG bucket stores them. */

const random = (sizeBytes: number) => systemIds.bytes(sizeBytes);
const [oldKey, newKey] = [random(32), random(32)];
const box = createSecretBox([oldKey], random);
const clock = createFakeClock();
const PATIENCE = { timeout: 20_000 };

const addressOf = (key: string): DocumentAddress<'webhook'> => ({
  game: 'g',
  environment: 'live',
  kind: 'webhook',
  key,
});
const webhook = (id: string): WebhookDocument => ({
  id,
  name: id,
  url: 'https://receiver.example/',
  events: ['level_up'],
  secret: `whsec_${id}`,
  previousSecret: { secret: `before_${id}`, until: 5 },
  enabled: true,
  headers: { Authorization: `Bearer ${id}`, 'X-Team': 'live-ops' },
  retryPolicy: { maxRetries: 3, backoff: 'exponential' },
  filters: { 'properties.secret': { eq: 'a filter is no secret' } },
  createdAt: 1,
  version: 1,
});

let broker: MemoryBroker;
const open = (by?: SecretBox) => openConfigStore(broker.connect(), clock, silentLogger, by);
let store: ConfigStore;

beforeEach(async () => {
  broker = createMemoryBroker({ clock });
  store = await open(box);
});

/** The bucket's documents as they are stored, as JSON text by key. */
async function stored(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  await new Promise<void>((resolve) => {
    broker
      .connect()
      .bucket('CONFIG')
      .watch({
        onEntry: ({ key, value }) => void found.set(key, value === undefined ? '' : JSON.stringify(decodeJson(value))),
        onCurrent: resolve,
      });
  });
  return found;
}
const SECRETS = /whsec_|before_|Bearer|live-ops/;

describe('secrets of webhooks', () => {
  test('are sealed in the bucket, and plain for every process with the key', async () => {
    await store.put(addressOf('a'), webhook('a'));
    const text = (await stored()).get('g.live.webhook.a');
    expect(text).toContain('a filter is no secret');
    expect(text).not.toMatch(SECRETS);
    expect((await open(box)).get(addressOf('a'))?.document).toEqual(webhook('a'));
    expect(store.get(addressOf('a'))?.document).toEqual(webhook('a'));
    expect(store.outdatedSecrets()).toEqual([]);
  });

  test('cannot be decrypted in another webhook’s document, nor under another path', async () => {
    await store.put(addressOf('a'), webhook('a'));
    const text = (await stored()).get('g.live.webhook.a') ?? '';
    const bucket = broker.connect().bucket('CONFIG');
    await bucket.put('g.live.webhook.b', encodeJson(JSON.parse(text)));
    const { secret, previousSecret, ...rest } = JSON.parse(text);
    const swapped = { ...rest, secret: previousSecret.secret, previousSecret: { ...previousSecret, secret } };
    await bucket.put('g.live.webhook.a', encodeJson(swapped));
    const late = await open(box);
    expect([late.get(addressOf('a')), late.get(addressOf('b'))]).toEqual([undefined, undefined]);
  });

  test('stored in plain text stay readable; the next start seals them without changing the webhook', async () => {
    const before = await open();
    await before.put(addressOf('a'), webhook('a'));
    expect((await stored()).get('g.live.webhook.a')).toMatch(SECRETS);
    const createdRevision = before.get(addressOf('a'))?.revision;
    await store.seen(before.revision, 1_000);
    expect(store.get(addressOf('a'))?.document).toEqual(webhook('a'));

    expect(await rewriteSecrets(store)).toEqual({ written: 1, failed: 0 });
    expect((await stored()).get('g.live.webhook.a')).not.toMatch(SECRETS);
    expect(store.get(addressOf('a'))?.document).toEqual({ ...webhook('a'), createdRevision });
    expect(await rewriteSecrets(store)).toEqual({ written: 0, failed: 0 });
  });

  test('sealed with another key are ignored, and the version before stays', async () => {
    await store.put(addressOf('a'), webhook('a'));
    const stranger = await open(createSecretBox([newKey], random));
    expect(stranger.get(addressOf('a'))).toBeUndefined();
    expect((await open()).get(addressOf('a'))).toBeUndefined();
  });

  test('move to a new key while both are configured, and back into plain text', async () => {
    await store.put(addressOf('a'), webhook('a'));
    const changed = createSecretBox([newKey, oldKey], random);
    expect(await rewriteSecrets(await open(changed))).toEqual({ written: 1, failed: 0 });
    expect((await stored()).get('g.live.webhook.a')).toContain(changed.keyId);
    const onlyNew = createSecretBox([newKey], random);
    expect((await open(onlyNew)).get(addressOf('a'))?.document.secret).toBe('whsec_a');

    expect(await rewriteSecrets(await open(withoutSealing(onlyNew)))).toEqual({ written: 1, failed: 0 });
    expect((await open()).get(addressOf('a'))?.document.secret).toBe('whsec_a');
  });
});

test('secrets for player tokens are sealed, apart from the game, and sealed again with a new key', async () => {
  const address = playerTokensAddress('g');
  const secrets = { secret: 'ptsec_new', previous: { secret: 'ptsec_old', until: 5 } };
  await (await open()).put(address, secrets);
  expect((await stored()).get('g._.player_tokens.secrets')).toMatch(/ptsec_new.*ptsec_old/);
  await vi.waitFor(() => expect(store.get(address)?.document).toEqual(secrets), PATIENCE);
  expect(await rewriteSecrets(store)).toEqual({ written: 1, failed: 0 });
  const text = (await stored()).get('g._.player_tokens.secrets');
  expect(text).toContain(box.keyId);
  expect(text).not.toContain('ptsec_');
  expect((await open(box)).get(address)?.document).toEqual(secrets);
});

test('secrets for player tokens sealed with a lost key give way to new ones, once', async () => {
  const address = playerTokensAddress('g');
  await store.put(address, { secret: 'ptsec_lost' });
  const [one, two] = [await open(createSecretBox([newKey], random)), await open(createSecretBox([newKey], random))];
  expect(one.get(address)).toBeUndefined();
  expect(await one.put(address, { secret: 'ptsec_one' }, 0)).toMatchObject({ kind: 'written' });
  expect(await two.put(address, { secret: 'ptsec_two' }, 0)).toEqual({ kind: 'conflict' });
  expect(await one.put(address, { secret: 'ptsec_three' }, 0)).toEqual({ kind: 'conflict' });
  await vi.waitFor(() => expect(two.get(address)?.document).toEqual({ secret: 'ptsec_one' }), PATIENCE);
});
