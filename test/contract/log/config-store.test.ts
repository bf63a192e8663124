import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { openConfigStore } from '../../../streams/config/config-store.ts';
import type { ConfigStore } from '../../../streams/config/config-store.ts';
import type { DocumentAddress } from '../../../core/vocabulary/documents/documents.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import type { Log } from '../../../streams/log/log.ts';
import { startTestNats } from '../../support/servers/nats.ts';
import type { TestNats } from '../../support/servers/nats.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';

let nats: TestNats;
const logs: Log[] = [];
let here: ConfigStore;
let there: ConfigStore;

beforeAll(async () => {
  nats = await startTestNats();
  const open = async () => {
    const log = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock: systemClock });
    logs.push(log);
    return openConfigStore(log, systemClock, silentLogger);
  };
  [here, there] = [await open(), await open()];
});
afterAll(async () => {
  for (const store of [here, there]) store?.stop();
  for (const log of logs) await log.close();
  await nats?.stop();
});

const addressOf = (game: string): DocumentAddress<'game'> => ({
  game,
  environment: '_',
  kind: 'game',
  key: 'settings',
});
const document = { name: 'One', tenant: 'acme', namespace: 'n', createdAt: 1 };

test('a write is in effect on this node when it resolves, and on another soon after', async () => {
  const written = await here.put(addressOf('one'), document, 0);
  expect(written.kind).toBe('written');
  expect(here.get(addressOf('one'))?.document).toEqual(document);
  expect(await there.seen(here.revision, 10_000)).toBe(true);
  expect(there.get(addressOf('one'))?.document).toEqual(document);
});

test('follows changes across a restart of the broker', async () => {
  await nats.kill();
  await nats.start();
  await vi.waitFor(
    async () => expect((await here.put(addressOf('one'), { ...document, name: 'Two' })).kind).toBe('written'),
    { timeout: 20_000, interval: 20 },
  );
  expect(await there.seen(here.revision, 5_000)).toBe(true);
  expect(there.get(addressOf('one'))?.document.name).toBe('Two');
});
