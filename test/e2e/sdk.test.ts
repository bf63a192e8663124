import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFaultyProxy } from '../../sdk/typescript/examples/faulty-proxy.ts';
import { differences, play } from '../../sdk/typescript/examples/play.ts';
import { startService, type RunningService } from '../support/running-service.ts';
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
