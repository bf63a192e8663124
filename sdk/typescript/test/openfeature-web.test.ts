import { OpenFeature, ProviderEvents } from '@openfeature/web-sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { createWebProvider, type WebProviderOptions } from '../src/openfeature/web-provider.ts';
import { createWorld, type World } from './support/world.ts';

const SERVED = { enabled: true, reason: 'percentage_rollout' };

/** The client of OpenFeature's SDK whose provider plays in a world. */
async function clientIn(world: World, some: Partial<WebProviderOptions> = {}, targetingKey = 'ann') {
  const domain = `world-${(worlds += 1)}`;
  const players: string[] = [];
  const provider = createWebProvider({
    game(player) {
      players.push(player);
      return world.start({ player });
    },
    ...some,
  });
  const client = OpenFeature.getClient(domain);
  const events: unknown[] = [];
  for (const name of Object.values(ProviderEvents)) {
    client.addHandler(name, (event) => void events.push(event?.flagsChanged === undefined ? name : event.flagsChanged));
  }
  await OpenFeature.setContext(domain, { targetingKey });
  const isSet = OpenFeature.setProviderAndWait(domain, provider);
  await isSet.catch(() => {});
  return { client, events, provider, players, domain, isSet };
}
let worlds = 0;
afterEach(() => OpenFeature.clearProviders());

describe("OpenFeature's web SDK with the provider of the game client", () => {
  it('resolves every type, with variant, reason and metadata', async () => {
    const world = createWorld();
    world.service.flags = {
      bool: { enabled: true, value: true, reason: 'segment_match' },
      text: { ...SERVED, variant: 'a', value: 'grüße' },
      num: { ...SERVED, variant: 'control', value: 0 },
      doc: { ...SERVED, variant: 'v', value: { rows: [1] } },
      list: { enabled: true, value: [1], reason: 'default' },
      mine: { enabled: true, variant: 'b', value: 'b', reason: 'player_override' },
      off: { enabled: false, value: false, reason: 'flag_disabled' },
      none: { enabled: false, value: null, reason: 'default' },
      large: SERVED,
    };
    const { client } = await clientIn(world);
    expect(client.getBooleanDetails('bool', false)).toMatchObject({
      value: true,
      reason: 'TARGETING_MATCH',
      flagMetadata: { reason: 'segment_match', enabled: true },
    });
    expect(client.getStringDetails('text', '')).toMatchObject({ value: 'grüße', variant: 'a', reason: 'SPLIT' });
    expect(client.getNumberDetails('num', 5)).toMatchObject({ value: 0, variant: 'control' });
    expect(client.getObjectDetails('doc', {})).toMatchObject({ value: { rows: [1] }, variant: 'v' });
    expect(client.getObjectDetails('list', [])).toMatchObject({ value: [1], reason: 'STATIC' });
    expect(client.getStringDetails('mine', '')).toMatchObject({ value: 'b', reason: 'TARGETING_MATCH' });
    expect(client.getBooleanDetails('off', true)).toMatchObject({ value: false, reason: 'DISABLED' });
    expect(client.getStringDetails('none', 'code')).toMatchObject({ value: 'code', reason: 'DEFAULT' });
    const failed = (value: unknown, errorCode: string) => ({ value, errorCode, reason: 'ERROR' });
    expect(client.getBooleanDetails('gone', true)).toMatchObject(failed(true, 'FLAG_NOT_FOUND'));
    expect(client.getBooleanDetails('constructor', true)).toMatchObject(failed(true, 'FLAG_NOT_FOUND'));
    expect(client.getBooleanDetails('num', true)).toMatchObject(failed(true, 'TYPE_MISMATCH'));
    expect(client.getStringDetails('doc', 'x')).toMatchObject(failed('x', 'TYPE_MISMATCH'));
    expect(client.getStringDetails('large', 'x')).toMatchObject(failed('x', 'GENERAL'));
  });

  it('tells of changed flags in one event', async () => {
    const world = createWorld();
    const { client, events } = await clientIn(world);
    expect(events).toEqual([ProviderEvents.Ready]);
    world.service.flags['new_shop'] = { ...SERVED, variant: 'c', value: 'red' };
    world.service.flags['double_xp'] = { enabled: true, value: true, reason: 'default' };
    await world.pass(30_000);
    expect(events.slice(1)).toEqual([['new_shop', 'double_xp']]);
    expect(client.getStringValue('new_shop', '')).toBe('red');
  });

  it('is stale while the service does not answer, and says so of its values', async () => {
    const world = createWorld();
    const { client, events } = await clientIn(world);
    world.service.onRequest = () => 'cut';
    await world.pass(60_000);
    expect(events.slice(1)).toEqual([ProviderEvents.Stale]);
    expect(client.getStringDetails('new_shop', '')).toMatchObject({ value: 'blue', reason: 'STALE' });
    delete world.service.onRequest;
    await world.pass(300_000);
    expect(events.slice(2)).toEqual([ProviderEvents.Ready]);
  });

  it('starts with the flags of the last session, and fails where there are none', async () => {
    const world = createWorld();
    world.service.onRequest = () => 'cut';
    const first = await clientIn(world);
    await expect(first.isSet).rejects.toThrow('no flags');
    expect(first.client.getStringDetails('new_shop', 'x')).toMatchObject({ value: 'x', reason: 'ERROR' });
    delete world.service.onRequest;
    await world.pass(10_000);
    expect(first.events).toEqual([ProviderEvents.Error, ProviderEvents.Ready]);
    expect(first.client.getStringValue('new_shop', 'x')).toBe('blue');
    await OpenFeature.clearProviders();

    world.service.onRequest = () => 'cut';
    const { client, events } = await clientIn(world);
    await expect.poll(() => events, { timeout: 20_000 }).toEqual([ProviderEvents.Ready, ProviderEvents.Stale]);
    expect(client.getStringDetails('new_shop', 'x')).toMatchObject({ value: 'blue', reason: 'STALE' });
  });

  it('needs a player', async () => {
    const { isSet } = await clientIn(createWorld(), {}, '');
    await expect(isSet).rejects.toThrow('targetingKey');
  });

  it('counts an evaluation as an exposure once per variant and period, with the variant that was seen', async () => {
    const world = createWorld();
    world.service.flags['bonus'] = { enabled: true, variant: 'b', value: 1, reason: 'player_override' };
    world.service.flags['off'] = { enabled: false, value: false, reason: 'flag_disabled' };
    const { client, provider } = await clientIn(world);
    for (let turn = 0; turn < 3; turn += 1) client.getStringValue('new_shop', '');
    client.getBooleanValue('double_xp', true);
    // Neither an override nor a disabled flag, an unknown one or one of another type was served to an experiment.
    client.getNumberValue('bonus', 0);
    client.getBooleanValue('off', true);
    client.getBooleanValue('gone', true);
    client.getBooleanValue('new_shop', true);
    world.service.flags['new_shop'] = { ...SERVED, variant: 'c', value: 'red' };
    await world.pass(30_000);
    client.getStringValue('new_shop', '');
    // An edit of the flag begins a new period, also where this player keeps the variant.
    world.service.flags['new_shop'] = { ...SERVED, variant: 'c', value: 'red', period: 2 };
    await world.pass(30_000);
    for (let turn = 0; turn < 2; turn += 1) client.getStringValue('new_shop', '');
    await provider.game?.flush();
    expect(world.service.events.map(({ event_name: name, properties }) => [name, properties])).toEqual([
      ['flag_exposed', { flag_key: 'new_shop', variant_key: 'b' }],
      ['flag_exposed', { flag_key: 'double_xp', variant_key: false }],
      ['flag_exposed', { flag_key: 'new_shop', variant_key: 'c' }],
      ['flag_exposed', { flag_key: 'new_shop', variant_key: 'c' }],
    ]);
  });

  it('counts no exposure if told so', async () => {
    const world = createWorld();
    const { client, provider } = await clientIn(world, { exposes: false });
    expect(client.getStringValue('new_shop', '')).toBe('blue');
    await provider.game?.flush();
    expect(world.service.events).toEqual([]);
  });

  it('tracks events of the tracking API', async () => {
    const world = createWorld();
    const { client, provider } = await clientIn(world);
    client.track('checkout', { value: 4.99, currency: 'EUR' });
    client.track('opened');
    await provider.game?.flush();
    expect(world.service.events).toMatchObject([
      { event_name: 'checkout', properties: { value: 4.99, currency: 'EUR' } },
      { event_name: 'opened' },
    ]);
  });

  it('changes the player with the context, and sends what the one before tracked', async () => {
    const world = createWorld();
    const { client, players, domain, events } = await clientIn(world);
    client.track('before');
    await OpenFeature.setContext(domain, { targetingKey: 'bob' });
    expect(players).toEqual(['ann', 'bob']);
    expect(events).toContain(ProviderEvents.ContextChanged);
    client.track('after');
    await world.pass(30_000);
    expect(world.service.events.map(({ event_name: name }) => name)).toEqual(['before', 'after']);
    const registered = world.service.received.filter(({ path }) => path === '/v1/players/players');
    expect(registered.map(({ body }) => body['external_id'])).toEqual(['ann', 'bob']);
    await OpenFeature.clearProviders();
    expect([...world.service.sessions.values()]).toEqual(['ended', 'ended']);
  });

  it('sets the named fields of the context as attributes, and waits for the flags that follow', async () => {
    const world = createWorld();
    const { client, domain } = await clientIn(world, { attributes: ['level', 'country'] });
    world.service.flags['new_shop'] = { ...SERVED, variant: 'c', value: 'red' };
    await OpenFeature.setContext(domain, { targetingKey: 'ann', level: 5, secret: 'x', country: 'SE' });
    expect(world.service.attributes).toEqual({ level: 5, country: 'SE' });
    expect(client.getStringValue('new_shop', '')).toBe('red');
    await OpenFeature.setContext(domain, { targetingKey: 'ann', level: 5 });
    expect(world.service.attributes).toEqual({ level: 5, country: null });
  });

  it('leaves a client alone that it was given', async () => {
    const world = createWorld();
    const game = world.start();
    const { client } = await clientIn(world, { game }, '');
    expect(client.getStringValue('new_shop', '')).toBe('blue');
    await OpenFeature.clearProviders();
    expect(game.track('still_there')).toBe(true);
  });
});
