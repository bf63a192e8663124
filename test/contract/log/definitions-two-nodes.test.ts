import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createApiKey } from '../../../streams/config/api-keys.ts';
import { openConfigStore, type ConfigStore } from '../../../streams/config/config-store.ts';
import { createGame, gameAddress } from '../../../streams/config/games.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import type { Log } from '../../../streams/log/log.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { startTestNats, type TestNats } from '../../support/servers/nats.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';

/* Two nodes over one real broker: gateways write definitions, and owners on the other node compile them. */

interface Node {
  log: Log;
  store: ConfigStore;
  gateway: Gateway;
}

let nats: TestNats;
let here: Node;
let there: Node;
let key: string;

beforeAll(async () => {
  nats = await startTestNats();
  const start = async (): Promise<Node> => {
    const log = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock: systemClock });
    const store = await openConfigStore(log, systemClock, silentLogger);
    return { log, store, gateway: await startGateway({ configStore: store }) };
  };
  [here, there] = [await start(), await start()];
  await here.store.put(gameAddress('demo'), createGame('demo', 'tenant', systemClock, systemIds));
  const request = { game: 'demo', environment: 'live', kind: 'server', tier: 'enterprise', scopes: [] } as const;
  const made = createApiKey({ ...request, scopes: [] }, systemClock, systemIds);
  await here.store.put(made.address, made.document);
  await there.store.seen(here.store.revision, 5_000);
  key = made.text;
});
afterAll(async () => {
  for (const node of [here, there]) {
    await node?.gateway.close();
    node?.store.stop();
    await node?.log.close();
  }
  await nats?.stop();
});

const PATH = '/v1/flags/flags';
const call = async (node: Node, method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await node.gateway.call(key, method, path, body, headers);
  return { status: response.status, body: await bodyOf(response) };
};

test('a change is compiled on the other node once its store has seen it', async () => {
  const definitions = createLiveDefinitions(there.store, silentLogger);
  const versionThere = () => definitions.of('demo', 'live').flags.get('a..b')?.document.version;
  expect((await call(here, 'POST', PATH, { key: 'a..b', flag_type: 'boolean' })).status).toBe(201);
  for (let version = 2; version <= 20; version += 1) {
    expect((await call(here, 'PATCH', `${PATH}/a..b`, { description: `${version}` })).status).toBe(200);
    expect(await there.store.seen(here.store.revision, 10_000)).toBe(true);
    expect(versionThere()).toBe(version);
  }
  await call(here, 'DELETE', `${PATH}/a..b`);
  expect(await there.store.seen(here.store.revision, 10_000)).toBe(true);
  expect(versionThere()).toBeUndefined();
  definitions.stop();
});

test('changes made on both nodes at once become a version each, and lose nothing', async () => {
  await call(here, 'POST', PATH, { key: 'busy', flag_type: 'boolean' });
  await there.store.seen(here.store.revision, 5_000);
  const patches = [{ name: 'n' }, { description: 'd' }, { enabled: false }, { default_value: true }];
  const answers = await Promise.all(
    patches.map((patch, n) => call(n % 2 === 0 ? here : there, 'PATCH', `${PATH}/busy`, patch)),
  );
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const versions = answers.map(({ body }) => Number(body.data['version']));
  expect(versions.sort((a, b) => a - b)).toEqual([2, 3, 4, 5]);
  await here.store.seen(there.store.revision, 5_000);
  const { body } = await call(here, 'GET', `${PATH}/busy`);
  expect(body.data).toMatchObject({ name: 'n', description: 'd', enabled: false, default_value: true, version: 5 });
});

test('with If-Match one of two changes made on both nodes at once goes through', async () => {
  await call(here, 'POST', PATH, { key: 'fought', flag_type: 'boolean' });
  await there.store.seen(here.store.revision, 5_000);
  const answers = await Promise.all(
    [here, there].map((node) => call(node, 'PATCH', `${PATH}/fought`, { enabled: false }, { 'If-Match': '1' })),
  );
  expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 412]);
});

test.each([
  ['flag', PATH, { key: 'twice', flag_type: 'boolean' }],
  ['segment', '/v1/segments/segments', { key: 'twice', conditions: { is_payer: true } }],
] as const)(
  'of two creations of one %s made on both nodes at once one is 409, and one document stays',
  async (kind, path, body) => {
    const answers = await Promise.all([here, there, here, there].map((node) => call(node, 'POST', path, body)));
    expect(answers.map(({ status }) => status).sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
    for (const [one, other] of [
      [here, there],
      [there, here],
    ] as const) {
      await one.store.seen(other.store.revision, 5_000);
      expect(one.store.list(kind).filter(({ document }) => document.key === 'twice')).toHaveLength(1);
    }
  },
);
