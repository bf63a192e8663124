import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client, ClientKind, Command } from '../../sdk/conformance/client.ts';
import { godotClient } from '../../sdk/conformance/godot-client.ts';
import { typescriptClient } from '../../sdk/conformance/typescript-client.ts';
import { unityClient } from '../../sdk/conformance/unity-client.ts';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';

/*
 * The game clients against the real service, through a network that can be cut. Clients whose engine is not on this
 * machine are skipped, by name.
 */

let service: RunningService;
let network: Server;
let port = 0;
let isCut = false;
const sockets = new Set<Socket>();
const folder = mkdtempSync(join(tmpdir(), 'player-analytics-clients-'));

beforeAll(async () => {
  service = await startService();
  network = createServer((socket) => {
    if (isCut) return void socket.destroy();
    const upstream = connect(Number(new URL(service.url).port), '127.0.0.1');
    for (const each of [socket, upstream]) {
      sockets.add(each);
      each.on('error', () => each.destroy()).on('close', () => sockets.delete(each));
    }
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => network.listen(0, '127.0.0.1', resolve));
  const address = network.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(async () => {
  cut(true);
  network.close();
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

function cut(isOffline: boolean): void {
  isCut = isOffline;
  if (isOffline) for (const socket of sockets) socket.destroy();
}

/** A client of one player that has come to rest; its clock moves only when it is told to. */
async function play(kind: ClientKind, player: string, seed: number) {
  const client: Client = await kind.launch();
  const rest = () =>
    until('the client rests', async () => {
      const { sending, saving, dueMs } = await client.send({ do: 'look' });
      if (dueMs === 0) await client.send({ do: 'advance', ms: 0 });
      return !sending && !saving && dueMs !== 0;
    });
  const start = { folder: join(folder, kind.name), baseUrl: `http://127.0.0.1:${port}`, key: service.keys.live.client };
  await client.send({ do: 'start', ...start, player, wallMs: Date.now(), seed, options: {} });
  await rest();
  return {
    send: (command: Command) => client.send(command),
    async pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 1_000) {
        await client.send({ do: 'advance', ms: 1_000 });
        await rest();
      }
    },
    async quit() {
      await client.send({ do: 'quit' });
      await rest();
      await client.kill();
    },
  };
}

const kinds = [typescriptClient, await unityClient(), await godotClient()];

describe.each(kinds.map((kind) => ['name' in kind ? kind.name : kind.missing, kind] as const))('%s', (name, kind) => {
  if (!('name' in kind)) {
    test.skip('is not on this machine', () => {});
    return;
  }

  test('counts an exposure for the variant that the player saw while offline', async () => {
    const { server } = service.keys.live;
    const key = `layout_${name}`;
    const variants = [{ key: 'wide', value: 'list-v2', weight: 1 }];
    const flag = { key, flag_type: 'string', variants, targeting_rules: [{ percentage: 100 }] };
    expect((await service.call(server, 'POST', '/v1/flags/flags', flag)).status).toBe(201);
    const online = await play(kind, `${name}-ida`, 1);
    expect((await online.send({ do: 'flag', key, fallback: 'old' })).result).toBe('list-v2');
    await online.quit();

    const edit = { variants: [{ key: 'grid', value: 'grid-v1', weight: 1 }] };
    expect((await service.call(server, 'PATCH', `/v1/flags/flags/${key}`, edit)).status).toBe(200);
    cut(true);
    const offline = await play(kind, `${name}-ida`, 2);
    expect((await offline.send({ do: 'flag', key, fallback: 'old' })).result).toBe('list-v2');
    await offline.send({ do: 'expose', key });
    await offline.send({ do: 'track', name: 'item_bought', properties: {} });
    cut(false);
    await offline.pass(70_000);
    await until('the exposure is counted', async () => (await exposures(key)).length > 0);
    expect(await exposures(key)).toEqual([{ variant_key: 'wide', attribution: 'earlier' }]);
    await offline.quit();
  });

  test('sends what a guest left unsent, once another player is online', async () => {
    cut(true);
    const guest = await play(kind, `${name}-guest`, 3);
    for (let n = 0; n < 5; n += 1) await guest.send({ do: 'track', name: 'step', properties: { n } });
    await guest.quit();
    cut(false);
    const next = await play(kind, `${name}-bob`, 4);
    await next.pass(15_000);
    const rows = () =>
      service.sql<{ n: number }>(
        `SELECT toUInt32(JSONExtractUInt(properties, 'n')) AS n FROM events ` +
          `WHERE event_name = 'step' AND external_id = '${name}-guest' ORDER BY facts_sequence, facts_index`,
      );
    await until('the events of the guest are stored', async () => (await rows()).length >= 5);
    expect((await rows()).map(({ n }) => n)).toEqual([0, 1, 2, 3, 4]);
    await next.quit();
  });

  function exposures(key: string) {
    return service.sql<{ variant_key: string; attribution: string }>(
      `SELECT variant_key, attribution FROM flag_exposures WHERE flag_key = '${key}'`,
    );
  }
});
