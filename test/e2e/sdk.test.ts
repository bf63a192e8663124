import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFaultyProxy } from '../../sdk/typescript/examples/faulty-proxy.ts';
import { createGame } from '../../sdk/typescript/src/game-node.ts';
import { differences, play } from '../../sdk/typescript/examples/play.ts';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';

/*
 * The game client against the real service, through a proxy that cuts, delays, refuses and swaps answers, with kills of
 * the client between. `sdk/typescript/examples/play-sessions.ts` is the same with more sessions.
 */

let service: RunningService;
const folder = mkdtempSync(join(tmpdir(), 'player-analytics-sdk-'));
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('every event that a device stored is in ClickHouse once, in order', async () => {
  let state = 7;
  const random = () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const proxy = await startFaultyProxy(service.url, random);
  try {
    const played = await play({
      url: proxy.url,
      key: service.keys.live.client,
      players: 24,
      sessions: 4,
      atOnce: 24,
      folder,
      prefix: 'sdk-',
      random,
      onLast: () => proxy.mend(),
    });
    expect(played.unsent).toBe(0);
    expect(played.kills).toBeGreaterThan(5);
    for (const [fault, count] of Object.entries(proxy.counts)) expect([fault, count > 0]).toEqual([fault, true]);
    const expected = [...played.events.values()].reduce((sum, { length }) => sum + length, 0);
    const rows = () =>
      service.sql<{ player: string; n: number }>(
        `SELECT external_id AS player, toUInt32(JSONExtractUInt(properties, 'n')) AS n FROM events ` +
          `WHERE event_name = 'step' ORDER BY facts_sequence, facts_index`,
      );
    await until('ClickHouse holds the events', async () => (await rows()).length >= expected);
    expect(differences(played.events, await rows())).toEqual([]);
    // Sessions that were played online are closed, and none was recorded twice.
    const [sessions] = await service.sql<{ all: number; ids: number }>(
      'SELECT toUInt32(count()) AS all, toUInt32(uniqExact(session_id)) AS ids FROM sessions',
    );
    expect(sessions?.all).toBe(sessions?.ids);
  } finally {
    await proxy.close();
  }
});

test('a changed flag reaches a game in Node at once, and a stream keeps no process alive', async () => {
  const flag = {
    key: 'bonus',
    flag_type: 'number',
    default_value: 0,
    variants: [{ key: 'b', value: 25, weight: 1 }],
    targeting_rules: [{ percentage: 100 }],
    enabled: false,
  };
  const { server, client } = service.keys.live;
  expect((await service.call(server, 'POST', '/v1/flags/flags', flag)).status).toBe(201);
  const options = { baseUrl: service.url, key: client, player: 'streams', syncIntervalMs: 3_600_000 };
  const game = createGame({ ...options, folder: join(folder, 'streams') });
  await game.ready;
  expect(game.flag('bonus', 5)).toBe(0);
  const changes: string[] = [];
  game.onFlagChange((key) => void changes.push(key));
  for (const [turn, value] of [0.5, -3].entries()) {
    const change = { enabled: true, variants: [{ key: 'b', value, weight: 1 }] };
    expect((await service.call(server, 'PATCH', '/v1/flags/flags/bonus', change)).status).toBe(200);
    await until('the flag has changed', () => changes.length === turn + 1);
    expect(game.flag('bonus', 5)).toBe(value);
  }
  expect(await game.shutdown()).toEqual({ unsent: [] });

  const program = `
    import { createGame } from ${JSON.stringify(new URL('../../sdk/typescript/src/game-node.ts', import.meta.url).href)};
    const game = createGame(${JSON.stringify({ ...options, folder: join(folder, 'ends') })});
    await game.ready;
    console.log(game.flag('bonus', 5));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('-3\n');
});
