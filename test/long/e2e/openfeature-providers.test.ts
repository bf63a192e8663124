import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OpenFeature as ServerSide, ProviderEvents as ServerEvents } from '@openfeature/server-sdk';
import { OpenFeature as WebSide, ProviderEvents } from '@openfeature/web-sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createServer } from '../../../sdk/typescript/server/server.ts';
import { createGame } from '../../../sdk/typescript/src/game-node.ts';
import { createServerProvider } from '../../../sdk/typescript/src/openfeature/server-provider.ts';
import { createWebProvider } from '../../../sdk/typescript/src/openfeature/web-provider.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

/* The project's own providers, with OpenFeature's SDKs as published, against the real service. */

const everybody = [{ segment_id: null, percentage: 100 }];
const split = (key: string, flagType: string, value: unknown) => ({
  key,
  flag_type: flagType,
  targeting_rules: everybody,
  variants: [{ key: 'v', value, weight: 1 }],
});
const FLAGS = [
  { key: 'bool', flag_type: 'boolean', targeting_rules: everybody },
  split('text', 'string', 'grüße'),
  split('num', 'number', 0),
  split('doc', 'json', { rows: [1, { x: null }] }),
  { key: 'off', flag_type: 'boolean', enabled: false },
  { key: 'rich', flag_type: 'boolean', targeting_rules: [{ conditions: { 'attributes.gold': { $gte: 100 } } }] },
];

let service: RunningService;
const folder = mkdtempSync(join(tmpdir(), 'player-analytics-providers-'));
const change = (key: string, flag: object) =>
  service.call(service.keys.live.server, 'PATCH', `/v1/flags/flags/${key}`, flag);
/** Each exposure of a player in ClickHouse, once it has as many. */
async function exposed(player: string, count: number): Promise<unknown[]> {
  const rows = () =>
    service.sql<{ flag_key: string; variant_key: string }>(
      `SELECT flag_key, variant_key FROM flag_exposures WHERE external_id = '${player}' ORDER BY flag_key`,
    );
  await until('ClickHouse holds the exposures', async () => (await rows()).length >= count);
  return (await rows()).map(({ flag_key: flag }) => flag);
}

beforeAll(async () => {
  service = await startService();
  for (const flag of FLAGS) {
    expect((await service.call(service.keys.live.server, 'POST', '/v1/flags/flags', flag)).status).toBe(201);
  }
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('the web provider', () => {
  it('resolves, follows changes, exposes what was seen, and ties events to it', async () => {
    const { client: key } = service.keys.live;
    const options = { baseUrl: service.url, key, syncIntervalMs: 3_600_000 };
    const provider = createWebProvider({
      game: (player) => createGame({ ...options, player, folder: join(folder, player) }),
      attributes: ['gold'],
    });
    await WebSide.setContext('own', { targetingKey: 'web-player' });
    await WebSide.setProviderAndWait('own', provider);
    const flags = WebSide.getClient('own');
    const changed: unknown[] = [];
    flags.addHandler(ProviderEvents.ConfigurationChanged, (event) => void changed.push(event?.flagsChanged));
    expect(flags.getBooleanDetails('bool', false)).toMatchObject({
      value: true,
      reason: 'SPLIT',
      flagMetadata: { reason: 'percentage_rollout', enabled: true },
    });
    expect(flags.getNumberDetails('num', 5)).toMatchObject({ value: 0, variant: 'v' });
    expect(flags.getObjectValue('doc', {})).toEqual({ rows: [1, { x: null }] });
    expect(flags.getBooleanDetails('off', true)).toMatchObject({ value: false, reason: 'DISABLED' });
    expect(flags.getBooleanDetails('gone', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' });
    expect(flags.getBooleanValue('rich', true)).toBe(false);
    await WebSide.setContext('own', { targetingKey: 'web-player', gold: 100 });
    expect(flags.getBooleanValue('rich', false)).toBe(true);
    // The stream brings it: the next sync is an hour away.
    expect((await change('text', { variants: [{ key: 'v', value: 'servus', weight: 1 }] })).status).toBe(200);
    await until('the change is there', () => changed.flat().includes('text'));
    expect(flags.getStringValue('text', '')).toBe('servus');
    flags.track('checkout', { value: 4.99 });
    await WebSide.clearProviders();
    expect(await exposed('web-player', 6)).toEqual(['bool', 'doc', 'num', 'rich', 'rich', 'text']);
    const [row] = await service.sql<{ properties: string }>(
      `SELECT properties FROM events WHERE external_id = 'web-player' AND event_name = 'checkout'`,
    );
    expect(JSON.parse(row?.properties ?? '')).toEqual({ value: 4.99 });
  });
});

describe('the server provider', () => {
  it('resolves in process, asks for the state that it lacks, exposes and tracks', async () => {
    const { server: key } = service.keys.live;
    await service.player(key, 'server-player');
    const server = createServer({ baseUrl: service.url, key });
    const names = Object.values(ServerEvents);
    const events: string[] = [];
    for (const name of names) ServerSide.getClient('own').addHandler(name, () => void events.push(name));
    await ServerSide.setProviderAndWait('own', createServerProvider({ server }));
    const flags = ServerSide.getClient('own');
    const context = { targetingKey: 'server-player' };
    expect(await flags.getBooleanDetails('bool', false, context)).toMatchObject({ value: true, reason: 'SPLIT' });
    expect(await flags.getNumberDetails('num', 5, context)).toMatchObject({ value: 0, variant: 'v' });
    expect(await flags.getObjectValue('doc', {}, context)).toEqual({ rows: [1, { x: null }] });
    expect(await flags.getBooleanDetails('off', true, context)).toMatchObject({ value: false, reason: 'DISABLED' });
    // Only the service knows the player's attributes.
    expect(await flags.getBooleanDetails('rich', true, context)).toMatchObject({ value: false, reason: 'STATIC' });
    const failed = { reason: 'ERROR' };
    expect(await flags.getBooleanDetails('gone', true, context)).toMatchObject({
      ...failed,
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    expect(await flags.getStringDetails('num', 'x', context)).toMatchObject({ ...failed, errorCode: 'TYPE_MISMATCH' });
    expect(await flags.getBooleanDetails('bool', false)).toMatchObject({
      ...failed,
      errorCode: 'TARGETING_KEY_MISSING',
    });
    expect((await change('bool', { enabled: false })).status).toBe(200);
    await until('the change is told', () => events.includes(ServerEvents.ConfigurationChanged));
    expect(await flags.getBooleanValue('bool', true, context)).toBe(false);
    flags.track('bought', context, { value: 3 });
    await server.shutdown();
    expect(await exposed('server-player', 4)).toEqual(['bool', 'doc', 'num', 'rich']);
    await until('the event is there', async () => {
      const rows = await service.sql(
        `SELECT 1 FROM events WHERE external_id = 'server-player' AND event_name = 'bought'`,
      );
      return rows.length === 1;
    });
    await ServerSide.clearProviders();
  });
});
