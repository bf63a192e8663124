import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Sends a request with a key of the live environment and returns the data; fails the test on an error. */
async function call(
  kind: 'server' | 'client',
  method: string,
  path: string,
  body?: unknown,
): Promise<Record<string, unknown>> {
  const { status, body: answer } = await service.call(service.keys.live[kind], method, path, body);
  expect([status < 300, answer.error], `${method} ${path}`).toEqual([true, undefined]);
  return answer.data;
}

interface Variant {
  variant_key: string;
  players: number;
  conversions: number;
}

test('an experiment from its flag to its results: exposures and later conversions', async () => {
  await call('server', 'POST', '/v1/flags/flags', {
    key: 'shop',
    name: 'Shop',
    flag_type: 'multivariate',
    enabled: true,
    variants: [
      { key: 'control', value: 'old', weight: 50 },
      { key: 'wide', value: 'new', weight: 50 },
    ],
    targeting_rules: [{ name: 'everybody', segment_id: null, value: true, percentage: 100, priority: 1 }],
  });
  const segment = await call('server', 'POST', '/v1/segments/segments', {
    key: 'buyers',
    name: 'Buyers',
    conditions: { 'events.bought.count_1d': { $gte: 1 } },
  });
  const players = await Promise.all(
    Array.from({ length: 40 }, (_, n) => service.player(service.keys.live.server, `player-${n}`)),
  );
  const track = (player: string) =>
    call('client', 'POST', '/v1/events/events', { player_id: player, event_name: 'bought', properties: { amount: 2 } });

  // The first buys before seeing anything, which does not count.
  await track(players[0] ?? '');
  const seen = new Map<string, string[]>();
  for (const player of players) {
    const { variant_key: variant } = await call('client', 'POST', '/v1/flags/flags/shop/evaluate', {
      player_id: player,
    });
    seen.set(String(variant), [...(seen.get(String(variant)) ?? []), player]);
  }
  const exposures = 'SELECT toUInt32(count()) AS n FROM flag_exposures';
  await until(
    'all exposures are in',
    async () => (await service.sql<{ n: number }>(exposures))[0]?.n === players.length,
  );
  // Every second player of each variant buys after seeing it.
  const buyers = [...seen.values()].flatMap((them) => them.filter((player, n) => n % 2 === 1 && player !== players[0]));
  for (const player of buyers) await track(player);
  const conversionsOf = (variant: string) =>
    (seen.get(variant) ?? []).filter((player) => buyers.includes(player)).length;

  const results = async (): Promise<Variant[]> => {
    const data = await call('server', 'GET', '/v1/flags/flags/shop/results?metric=bought');
    expect(data).toMatchObject({ flag_version: 1, period: 1, excluded_players: 0 });
    const { variants }: { variants: Variant[] } = JSON.parse(JSON.stringify(data));
    return variants;
  };
  const total = (variants: Variant[]) => variants.reduce((sum, { conversions }) => sum + conversions, 0);
  await until('all purchases are in', async () => total(await results()) >= buyers.length);
  expect((await results()).map(({ variant_key: key, players: n, conversions }) => [key, n, conversions])).toEqual(
    ['control', 'wide'].map((key) => [key, seen.get(key)?.length, conversionsOf(key)]),
  );

  const path = `/v1/segments/segments/${String(segment['segment_id'])}/players?limit=500`;
  const members = async (): Promise<string[]> => {
    const data = await call('server', 'GET', path);
    const page: { players: { player_id: string }[] } = JSON.parse(JSON.stringify(data));
    return page.players.map((player) => player.player_id);
  };
  const expected = [...new Set([players[0] ?? '', ...buyers])].toSorted();
  await until('all buyers are listed', async () => (await members()).length >= expected.length);
  expect((await members()).toSorted()).toEqual(expected);
});

test('on a boolean flag: true against false, of the players for whom chance decides', async () => {
  await call('server', 'POST', '/v1/flags/flags', {
    key: 'double-xp',
    flag_type: 'boolean',
    targeting_rules: [{ conditions: { 'attributes.level': { $gte: 2 } }, percentage: 50 }],
  });
  const see = async (player: string) =>
    String((await call('client', 'POST', '/v1/flags/flags/double-xp/evaluate', { player_id: player }))['value']);
  const join = (name: string) => service.player(service.keys.live.server, name);
  const levelUp = (player: string) =>
    call('server', 'PATCH', `/v1/players/players/${player}`, { attributes: { level: 2 } });
  const [off, later] = [await join('off'), await join('later')];
  const eligible = await Promise.all(Array.from({ length: 12 }, (_, n) => join(`eligible-${n}`)));
  for (const player of eligible) await levelUp(player);
  const served: { value: string; player: string }[] = [];
  // Each counts once, however often it is served; one that becomes eligible counts from then on.
  for (const player of [off, later, ...eligible]) {
    served.push({ value: await see(player), player });
    await see(player);
  }
  await levelUp(later);
  served.push({ value: await see(later), player: later });

  const exposures = () =>
    service.sql<{ value: string; player: string }>(
      "SELECT value, toString(player_id) AS player FROM flag_exposures WHERE flag_key = 'double-xp'",
    );
  await until('all exposures are in', async () => (await exposures()).length >= served.length);
  expect((await exposures()).toSorted(byValue)).toEqual(served.toSorted(byValue));
  const compared = (value: string) => served.slice(2).filter((one) => one.value === value).length;
  expect(await call('server', 'GET', '/v1/flags/flags/double-xp/results?metric=bought')).toMatchObject({
    variants: [
      { variant_key: 'false', players: compared('false') },
      { variant_key: 'true', players: compared('true') },
    ],
    percentage: 50,
    ineligible_players: 1,
    excluded_players: 0,
  });

  // What a disabled flag serves does not belong to an experiment, and a switch exposes nobody again.
  const before = served.length;
  await call('server', 'PATCH', '/v1/flags/flags/double-xp', { enabled: false });
  await see(await join('while-off'));
  await call('server', 'PATCH', '/v1/flags/flags/double-xp', { enabled: true });
  for (const player of [off, later, await join('after')]) await see(player);
  await until('the exposure after it is in', async () => (await exposures()).length > before);
  expect(await exposures()).toHaveLength(before + 1);
  const versions =
    "SELECT DISTINCT flag_version AS version FROM flag_exposures WHERE flag_key = 'double-xp' ORDER BY 1";
  expect(await service.sql(versions)).toEqual([{ version: 1 }, { version: 3 }]);
});

test('with contexts over OpenFeature: an event exposes what was served, and may be the conversion itself', async () => {
  const rules = [{ conditions: { 'context.platform': 'ios' }, percentage: 50 }];
  await call('server', 'POST', '/v1/flags/flags', { key: 'banner', flag_type: 'boolean', targeting_rules: rules });
  const players = await Promise.all(
    Array.from({ length: 20 }, (_, n) => service.player(service.keys.live.server, `viewer-${n}`)),
  );
  const served: string[] = [];
  for (const [n, targetingKey] of players.entries()) {
    const context = { targetingKey, platform: n % 2 === 0 ? 'ios' : 'android' };
    const path = '/ofrep/v1/evaluate/flags/banner';
    const { status, body } = await service.call(service.keys.live.client, 'POST', path, { context });
    expect(status).toBe(200);
    const { value }: { value: boolean } = JSON.parse(JSON.stringify(body));
    served.push(String(value));
  }
  for (const [n, player] of players.entries()) {
    const properties = { flag_key: 'banner', ...(n < 10 ? {} : { variant_key: served[n] }) };
    await call('client', 'POST', '/v1/events/events', { player_id: player, event_name: 'tapped', properties });
  }
  // A new description does not change which player gets which variant.
  await call('server', 'PATCH', '/v1/flags/flags/banner', { description: 'The banner of the start screen' });
  const results = () => call('server', 'GET', '/v1/flags/flags/banner/results?metric=tapped');
  await until('all exposures are in', async () => {
    const { variants }: { variants: Variant[] } = JSON.parse(JSON.stringify(await results()));
    return variants.reduce((sum, { conversions }) => sum + conversions, 0) === 10;
  });
  const [off, on] = ['false', 'true'].map((value) => served.filter((one, n) => n % 2 === 0 && one === value).length);
  expect(await results()).toMatchObject({
    flag_version: 2,
    period: 1,
    variants: [
      { variant_key: 'false', players: off, conversions: off },
      { variant_key: 'true', players: on, conversions: on },
    ],
    ineligible_players: 10,
    excluded_players: 0,
    mismatched_players: 0,
  });
});

function byValue(one: { value: string; player?: string | undefined }, other: typeof one): number {
  return `${one.value} ${one.player}` < `${other.value} ${other.player}` ? -1 : 1;
}
