import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OFREPWebProvider } from '@openfeature/ofrep-web-provider';
import { OpenFeature as ServerSide } from '@openfeature/server-sdk';
import { OpenFeature as WebSide, ProviderEvents } from '@openfeature/web-sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { until } from '../support/until.ts';

let service: RunningService;
let playerId: string;

const everybody = [{ name: 'all', segment_id: null, value: true, percentage: 100, priority: 1 }];
const FLAGS = [
  { key: 'bool', flag_type: 'boolean', targeting_rules: everybody },
  { key: 'multi', flag_type: 'multivariate', variants: [{ key: 'b', value: 'layout_b', weight: 1 }] },
  { key: 'text', flag_type: 'string', variants: [{ key: 'v', value: 'grüße', weight: 1 }] },
  { key: 'num', flag_type: 'number', variants: [{ key: 'v', value: 2.5, weight: 1 }] },
  { key: 'doc', flag_type: 'json', variants: [{ key: 'v', value: { rows: [1, { x: null }] }, weight: 1 }] },
];

const put = (key: string, flag: object) =>
  service.call(service.keys.live.server, 'PATCH', `/v1/flags/flags/${key}`, flag);

beforeAll(async () => {
  service = await startService();
  const { server } = service.keys.live;
  playerId = await service.player(server, 'player_12345');
  for (const flag of FLAGS) {
    const body = { name: flag.key, enabled: true, targeting_rules: everybody, ...flag };
    expect((await service.call(server, 'POST', '/v1/flags/flags', body)).status).toBe(201);
  }
  const off = { key: 'off', name: 'off', flag_type: 'boolean', enabled: false };
  expect((await service.call(server, 'POST', '/v1/flags/flags', off)).status).toBe(201);
  // Without rules and without a default: null.
  const nothing = { key: 'nothing', flag_type: 'string', variants: [{ key: 'v', value: 'x', weight: 1 }] };
  expect((await service.call(server, 'POST', '/v1/flags/flags', nothing)).status).toBe(201);
  await service.call(server, 'PATCH', `/v1/players/players/${playerId}`, { attributes: { veteran: true } });
  const veterans = {
    key: 'veterans',
    flag_type: 'boolean',
    targeting_rules: [{ ...everybody[0], conditions: { 'attributes.veteran': true } }],
  };
  expect((await service.call(server, 'POST', '/v1/flags/flags', veterans)).status).toBe(201);
  const ios = {
    key: 'ios_only',
    name: 'ios_only',
    flag_type: 'boolean',
    targeting_rules: [{ ...everybody[0], conditions: { 'context.platform': 'ios' } }],
  };
  expect((await service.call(server, 'POST', '/v1/flags/flags', ios)).status).toBe(201);
});
afterAll(() => service.stop());

describe("OpenFeature's server SDK with its OFREP provider", () => {
  const baseUrl = () => service.url;
  const clientWith = async (headers: [string, string][], domain: string) => {
    await ServerSide.setProviderAndWait(domain, new OFREPProvider({ baseUrl: baseUrl(), headers }));
    return ServerSide.getClient(domain);
  };
  const client = () => clientWith([['X-API-Key', service.keys.live.server]], 'server');
  afterAll(() => ServerSide.close());

  it('resolves every type of flag, by external_id and by player id', async () => {
    const flags = await client();
    for (const targetingKey of ['player_12345', playerId]) {
      const context = { targetingKey };
      const bool = await flags.getBooleanDetails('bool', false, context);
      expect(bool).toMatchObject({
        value: true,
        reason: 'SPLIT',
        flagMetadata: { reason: 'percentage_rollout' },
      });
      expect(await flags.getStringDetails('multi', '', context)).toMatchObject({ value: 'layout_b', variant: 'b' });
      expect(await flags.getStringValue('text', '', context)).toBe('grüße');
      expect(await flags.getNumberValue('num', 0, context)).toBe(2.5);
      expect(await flags.getObjectValue('doc', {}, context)).toEqual({ rows: [1, { x: null }] });
      // The kill switch: the default in the code, whatever the flag's own default is.
      expect(await flags.getBooleanValue('off', true, context)).toBe(true);
      expect(await flags.getStringValue('off', 'code', context)).toBe('code');
      expect(await flags.getStringValue('nothing', 'code', context)).toBe('code');
    }
  });

  it('passes its context to the rules', async () => {
    const flags = await client();
    const on = (platform: string) => flags.getBooleanDetails('ios_only', false, { targetingKey: playerId, platform });
    expect(await on('ios')).toMatchObject({ value: true, reason: 'SPLIT' });
    expect(await on('android')).toMatchObject({ value: false, reason: 'STATIC' });
  });

  it('accepts the key as a bearer token', async () => {
    const flags = await clientWith([['Authorization', `Bearer ${service.keys.live.client}`]], 'bearer');
    expect(await flags.getBooleanValue('bool', false, { targetingKey: playerId })).toBe(true);
  });

  it('reports the error code and falls back to the default value in the code', async () => {
    const flags = await client();
    const known = { targetingKey: playerId };
    expect(await flags.getBooleanDetails('bool', false, {})).toMatchObject({
      value: false,
      reason: 'ERROR',
      errorCode: 'TARGETING_KEY_MISSING',
    });
    expect(await flags.getBooleanDetails('gone', true, known)).toMatchObject({
      value: true,
      errorCode: 'FLAG_NOT_FOUND',
    });
    expect(await flags.getNumberDetails('text', 7, known)).toMatchObject({ value: 7, errorCode: 'TYPE_MISMATCH' });
    const stranger = await clientWith([['X-API-Key', 'sk_live_unknown']], 'stranger');
    expect(await stranger.getBooleanDetails('bool', false, known)).toMatchObject({
      value: false,
      errorCode: 'GENERAL',
    });
  });
});

describe("OpenFeature's web SDK with its OFREP provider", () => {
  /** A provider, and what its requests were answered, in order. */
  const providerOf = (pollInterval = 0) => {
    const statuses: number[] = [];
    const bodies: string[] = [];
    const provider = new OFREPWebProvider({
      baseUrl: service.url,
      headers: [['X-API-Key', service.keys.live.client]],
      pollInterval,
      changeDetection: pollInterval > 0 ? 'polling' : 'none',
      cacheMode: 'disabled',
      async fetchImplementation(request: Request) {
        const response = await fetch(request);
        statuses.push(response.status);
        bodies.push(await response.clone().text());
        return response;
      },
    });
    // Its declaration lets `hooks` be undefined, which the SDK's own does not.
    return { provider: Object.assign(provider, { hooks: [] }), statuses, bodies };
  };
  afterEach(() => WebSide.clearProviders());

  it('resolves every type of flag from one bulk evaluation', async () => {
    await WebSide.setContext('web', { targetingKey: 'player_12345' });
    const { provider, statuses } = providerOf();
    await WebSide.setProviderAndWait('web', provider);
    const flags = WebSide.getClient('web');
    expect(flags.getBooleanDetails('bool', false)).toMatchObject({ value: true, reason: 'SPLIT' });
    expect(flags.getStringDetails('multi', '')).toMatchObject({ value: 'layout_b', variant: 'b' });
    expect(flags.getStringValue('text', '')).toBe('grüße');
    expect(flags.getNumberValue('num', 0)).toBe(2.5);
    expect(flags.getObjectValue('doc', {})).toEqual({ rows: [1, { x: null }] });
    expect(flags.getBooleanDetails('off', true)).toMatchObject({ value: true, reason: 'DISABLED' });
    expect(flags.getStringValue('off', 'code')).toBe('code');
    expect(flags.getStringValue('nothing', 'code')).toBe('code');
    expect(flags.getBooleanDetails('gone', true)).toMatchObject({ value: true, errorCode: 'FLAG_NOT_FOUND' });
    expect(statuses).toEqual([200]);
  });

  it('gives a player who is not registered its own values, not those of the player before', async () => {
    await WebSide.setContext('new', { targetingKey: 'player_12345' });
    const { provider, statuses } = providerOf();
    await WebSide.setProviderAndWait('new', provider);
    const flags = WebSide.getClient('new');
    expect(flags.getBooleanValue('veterans', false)).toBe(true);
    await WebSide.setContext('new', { targetingKey: 'never-seen' });
    expect(flags.getBooleanDetails('veterans', true)).toMatchObject({ value: false, reason: 'STATIC' });
    expect(flags.getBooleanDetails('bool', false)).toMatchObject({ value: true, reason: 'SPLIT' });
    expect(statuses).toEqual([200, 200]);
    const path = '/v1/players/players/external/never-seen';
    expect((await service.call(service.keys.live.server, 'GET', path)).status).toBe(404);
  });

  it('is told 304 as long as nothing changes, and hears of a change', async () => {
    await WebSide.setContext('polling', { targetingKey: playerId });
    const { provider, statuses } = providerOf(20);
    await WebSide.setProviderAndWait('polling', provider);
    const flags = WebSide.getClient('polling');
    const changed: string[] = [];
    flags.addHandler(ProviderEvents.ConfigurationChanged, (event) => changed.push(...(event?.flagsChanged ?? [])));
    await until('it polled in vain', () => statuses.filter((status) => status === 304).length >= 3);
    expect(statuses.filter((status) => status !== 304)).toEqual([200]);
    expect(changed).toEqual([]);
    expect(flags.getStringValue('text', '')).toBe('grüße');

    expect((await put('text', { variants: [{ key: 'v', value: 'servus', weight: 1 }] })).status).toBe(200);
    await until('the change is there', () => flags.getStringValue('text', '') === 'servus');
    expect(changed).toEqual(['text']);
    expect(statuses.filter((status) => status !== 304)).toEqual([200, 200]);
  });

  it('evaluates again for another context', async () => {
    await WebSide.setContext('context', { targetingKey: playerId, platform: 'android' });
    await WebSide.setProviderAndWait('context', providerOf().provider);
    const flags = WebSide.getClient('context');
    expect(flags.getBooleanValue('ios_only', false)).toBe(false);
    await WebSide.setContext('context', { targetingKey: playerId, platform: 'ios' });
    expect(flags.getBooleanValue('ios_only', false)).toBe(true);
  });

  it.each([['no targetingKey', {}, 'TARGETING_KEY_MISSING']])(
    'does not become ready with %s',
    async (name, context, code) => {
      await WebSide.setContext(name, context);
      // The provider makes one error of every refusal; what it was told stands in the answer.
      const { provider, bodies } = providerOf();
      await expect(WebSide.setProviderAndWait(name, provider)).rejects.toThrow('status: 400');
      expect(bodies).toEqual([expect.stringContaining(`"errorCode":"${code}"`)]);
    },
  );
});
