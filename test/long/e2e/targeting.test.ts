import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/wire/webhook-receiver.ts';

let service: RunningService;
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

interface Delivered {
  type: string;
  data: { player_id: string; segment_key?: string; flag_key?: string; value?: unknown };
}

const delivered = () =>
  receiver.requests.map(({ body, atMs }) => {
    const payload: Delivered = JSON.parse(body);
    return { ...payload, atMs };
  });

async function made(path: string, body: unknown): Promise<Record<string, unknown>> {
  const { status, body: answer } = await service.call(service.keys.live.server, 'POST', path, body);
  expect([status, answer.error]).toEqual([201, undefined]);
  return answer.data;
}

async function evaluate(playerId: string, key: string, context = {}) {
  const path = `/v1/flags/flags/${key}/evaluate`;
  const { body } = await service.call(service.keys.live.client, 'POST', path, { player_id: playerId, context });
  return body.data;
}

const track = (playerId: string, eventName: string, properties: object = {}) =>
  service.call(service.keys.live.client, 'POST', '/v1/events/events', {
    player_id: playerId,
    event_name: eventName,
    properties,
  });

test('an event that enters a segment changes the next evaluation, and the webhook gets it within 100 ms', async () => {
  const webhook = { name: 'targeting', url: receiver.url, enabled: true };
  await made('/v1/integrations/webhooks', { ...webhook, events: ['player.segment_entered', 'flag.evaluated'] });
  const segment = await made('/v1/segments/segments', {
    key: 'winners',
    name: 'Winners',
    conditions: { 'events.level_won.count_7d': { $gte: 2 } },
  });
  const segmentId = String(segment['segment_id']);
  await made('/v1/flags/flags', {
    key: 'trophy',
    name: 'Trophy',
    flag_type: 'boolean',
    enabled: true,
    targeting_rules: [{ name: 'winners', segment_id: segmentId, value: true, percentage: 100, priority: 1 }],
  });

  const delaysMs: number[] = [];
  for (let n = 0; n < 15; n += 1) {
    const playerId = await service.player(service.keys.live.server, `winner-${n}`);
    await track(playerId, 'level_won');
    expect(await evaluate(playerId, 'trophy')).toMatchObject({ value: false, reason: 'default' });
    const beganMs = performance.now();
    expect((await track(playerId, 'level_won')).status).toBe(200);
    expect(await evaluate(playerId, 'trophy')).toMatchObject({
      flag_key: 'trophy',
      value: true,
      reason: 'segment_match',
      segment_id: segmentId,
      evaluation_time_ms: expect.any(Number),
    });
    const entered = await until('the webhook heard of it', () =>
      delivered().find(({ type, data }) => type === 'player.segment_entered' && data.player_id === playerId),
    );
    expect(entered.data.segment_key).toBe('winners');
    delaysMs.push(entered.atMs - beganMs);
  }
  // The real latency is milliseconds, which `npm run bench -- outputs` measures. This limit detects only a poll or a
  // pause.
  expect(delaysMs.toSorted((a, b) => a - b)[7]).toBeLessThan(1_000);
});

test('an exposure is recorded once, in ClickHouse and at the webhook', async () => {
  await made('/v1/flags/flags', {
    key: 'shop.layout',
    name: 'Shop',
    flag_type: 'multivariate',
    enabled: true,
    variants: [{ key: 'b', value: 'layout_b', weight: 100 }],
    targeting_rules: [{ name: 'all', segment_id: null, value: true, percentage: 100, priority: 1 }],
  });
  const [seen, tracked, bulk, overridden] = await Promise.all(
    ['seen', 'tracked', 'bulk', 'overridden'].map((name) => service.player(service.keys.live.server, name)),
  );
  if (seen === undefined || tracked === undefined || bulk === undefined || overridden === undefined) throw new Error();
  const override = `/v1/flags/flags/shop.layout/overrides/${overridden}`;
  const set = await service.call(service.keys.live.server, 'PUT', override, { variant_key: 'b' });
  expect(set.status).toBe(200);

  const all = await service.call(service.keys.live.client, 'POST', '/v1/flags/flags/evaluate', { player_id: bulk });
  expect(all.body.data).toMatchObject({
    evaluations: { 'shop.layout': { value: 'layout_b', variant_key: 'b', reason: 'percentage_rollout' } },
  });
  expect(await evaluate(overridden, 'shop.layout')).toMatchObject({ value: 'layout_b', reason: 'player_override' });
  for (let n = 0; n < 5; n += 1) expect(await evaluate(seen, 'shop.layout')).toMatchObject({ value: 'layout_b' });
  // An event exposes what was served; the first time, nothing was.
  await track(tracked, 'shop_opened', { flag_key: 'shop.layout' });
  await service.call(service.keys.live.client, 'POST', '/v1/flags/flags/evaluate', { player_id: tracked });
  for (let n = 0; n < 3; n += 1) await track(tracked, 'shop_opened', { flag_key: 'shop.layout' });

  const exposures = () =>
    service.sql<{ player: string; variant_key: string }>(
      "SELECT toString(player_id) AS player, variant_key FROM flag_exposures WHERE flag_key = 'shop.layout'",
    );
  await until('both are in ClickHouse', async () => (await exposures()).length >= 2);
  // If the others counted too, they would be there by now, because the tracked ones came last.
  expect((await exposures()).map(({ player }) => player).toSorted()).toEqual([seen, tracked].toSorted());
  const told = () =>
    delivered().filter(({ type, data }) => type === 'flag.evaluated' && data.flag_key === 'shop.layout');
  await until('both are at the webhook', () => told().length >= 2);
  expect(
    told()
      .map(({ data }) => data.player_id)
      .toSorted(),
  ).toEqual([seen, tracked].toSorted());
});

test('a test player is served variants, but its exposures never count', async () => {
  const { server, client } = service.keys.test;
  const flag = { key: 'only_test', name: 'Test', flag_type: 'boolean', enabled: true };
  expect((await service.call(server, 'POST', '/v1/flags/flags', flag)).status).toBe(201);
  const playerId = await service.player(server, 'tester');
  const path = '/v1/flags/flags/only_test/evaluate';
  const { body } = await service.call(client, 'POST', path, { player_id: playerId });
  expect(body.data).toMatchObject({ value: false, reason: 'default' });
  // Flags and players of another environment count as unknown.
  expect((await service.call(service.keys.live.client, 'POST', path, { player_id: playerId })).body.error.code).toBe(
    'PLAYER_NOT_FOUND',
  );
  const live = await service.player(service.keys.live.server, 'live-one');
  expect((await service.call(service.keys.live.client, 'POST', path, { player_id: live })).body.error.code).toBe(
    'FLAG_NOT_FOUND',
  );
  await track(live, 'afterwards');
  await until('later facts are in ClickHouse', async () => {
    return (await service.sql("SELECT 1 FROM events WHERE event_name = 'afterwards'")).length > 0;
  });
  expect(await service.sql("SELECT 1 FROM flag_exposures WHERE flag_key = 'only_test'")).toEqual([]);
});

test('failures before and after the definition count, and the next evaluation shows the second one', async () => {
  const registered = await service.call(service.keys.live.client, 'POST', '/v1/players/players', {
    external_id: 'stuck-player',
  });
  const id = String(registered.body.data['id']);
  await track(id, 'level_failed', { level: 4 });
  await track(id, 'level_failed', { level: 3 });
  const property = { key: 'worst', event: 'level_failed', aggregate: 'max', value: 'properties.level' };
  await made('/v1/properties/properties', property);
  const segment = await made('/v1/segments/segments', {
    key: 'stuck',
    conditions: {
      events: { name: 'level_failed', where: { 'properties.level': 3 }, within_days: 7, count: { $gte: 2 } },
    },
  });
  await made('/v1/flags/flags', {
    key: 'help',
    flag_type: 'boolean',
    enabled: true,
    targeting_rules: [{ segment_id: segment['segment_id'], value: true }],
  });
  const read = async (path: string) => (await service.call(service.keys.live.server, 'GET', path)).body.data;
  await until('the past is counted', async () => {
    const { past } = await read('/v1/properties/properties/worst');
    const { evaluation } = await read(`/v1/segments/segments/${String(segment['segment_id'])}`);
    return JSON.stringify([past, evaluation]).match(/"counted".*"done"/) !== null;
  });
  expect((await read(`/v1/players/players/${id}`))['computed']).toEqual({ worst: 4 });
  expect((await evaluate(id, 'help'))['value']).toBe(false);
  await track(id, 'level_failed', { level: 3 });
  expect((await evaluate(id, 'help'))['value']).toBe(true);
});
