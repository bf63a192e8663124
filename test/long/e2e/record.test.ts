import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';
import { startService, type RunningService } from '../../support/servers/running-service.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../support/wire/webhook-receiver.ts';

/* Sessions and purchases that callers record, through the whole service. */

let service: RunningService;
let receiver: WebhookReceiver;
let shapes: PublishedShapes;
let player: string;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  service = await startService({ WEBHOOK_ALLOW_PRIVATE_HOSTS: '127.0.0.1' });
  shapes = publishedShapes(JSON.parse(await (await fetch(`${service.url}/openapi.json`)).text()));
  player = await service.player(service.keys.live.server, 'payer');
});
afterAll(async () => {
  await service.stop();
  await receiver.stop();
});

/** Calls one of the two endpoints and checks that its answer has exactly the published shape. */
async function record(
  what: string,
  body?: object,
  { key = service.keys.live.client, of = player, headers = {} }: { key?: string; of?: string; headers?: object } = {},
) {
  const path = `/v1/players/players/${of}/${what}`;
  const answer = await service.call(key, 'POST', path, body, { ...headers });
  const [endpoint = ''] = what.split('?');
  const documented = `/v1/players/players/{id}/${endpoint}`;
  expect(shapes.faultsOf('POST', documented, answer.status, answer.body)).toEqual([]);
  const { status, body: said } = answer;
  return { status, data: said.data, code: said.error?.code, replayed: answer.headers.get('idempotent-replayed') };
}

const profile = async () => {
  const { body } = await service.call(service.keys.live.server, 'GET', `/v1/players/players/${player}`);
  return body.data;
};

test('a session and a purchase count at once, each once, and a repeat gets the same answer', async () => {
  const webhook = await service.call(service.keys.live.server, 'POST', '/v1/integrations/webhooks', {
    name: 'money',
    url: receiver.url,
    events: ['event.session_recorded', 'purchase'],
    enabled: true,
    filters: { 'properties.currency': { exists: false } },
  });
  expect(webhook.status).toBe(201);
  const told = { session_id: 'own-1', start_time: '2026-01-15T10:00:00Z', end_time: '2026-01-15T10:30:00Z' };
  const session = await record('session', told);
  expect(session).toMatchObject({
    status: 200,
    data: { session_id: 'own-1', player_id: player, session_count: 1, total_playtime_seconds: 1_800 },
    replayed: null,
  });
  const bought = 'purchase?amount=0.1&currency=EUR&product_id=gems&transaction_id=tx-1';
  const purchase = await record(bought);
  expect(purchase.data).toEqual({
    player_id: player,
    amount: 0.1,
    total_revenue: 0.1,
    purchase_count: 1,
    is_payer: true,
    state: 'recorded',
  });
  expect((await record('purchase?amount=0.2')).data).toMatchObject({ total_revenue: 0.3, purchase_count: 2 });
  expect(await profile()).toMatchObject({ session_count: 1, total_revenue: 0.3, is_payer: true });

  expect(await record('session', { ...told, duration_seconds: 5 })).toEqual({ ...session, replayed: 'true' });
  expect(await record('purchase?amount=77&transaction_id=tx-1')).toEqual({ ...purchase, replayed: 'true' });
  expect(await profile()).toMatchObject({ session_count: 1, total_revenue: 0.3 });
});

test('repeats and Idempotency-Keys are recognised after kill -9 of the service', async () => {
  const headers = { 'Idempotency-Key': 'purchase-7' };
  const first = await record('purchase?amount=5', undefined, { headers });
  expect(first.data).toMatchObject({ total_revenue: 5.3, purchase_count: 3 });
  const pids: { service: number } = JSON.parse(readFileSync(join(service.supervised.dataDir, 'pids.json'), 'utf8'));
  process.kill(pids.service, 'SIGKILL');
  const again = await until('it is back', async () => {
    const answer = await record('purchase?amount=5', undefined, { headers }).catch(() => undefined);
    return answer?.status === 200 && answer;
  });
  expect(again).toEqual({ ...first, replayed: 'true' });
  expect((await record('session', { session_id: 'own-1', duration_seconds: 9 })).replayed).toBe('true');
  expect((await record('purchase?amount=6', undefined, { headers })).code).toBe('CONFLICT');
  expect(await profile()).toMatchObject({ session_count: 1, total_revenue: 5.3 });
});

test('a refused request changes nothing', async () => {
  const before = await profile();
  const testPlayer = await service.player(service.keys.test.server, 'payer');
  for (const [what, body] of [
    ['session', { session_id: 'bad', duration_seconds: -1 }],
    ['session', { session_id: 'bad', start_time: '2026-01-15T10:00:00Z', end_time: '2026-01-15T09:00:00Z' }],
    ['purchase?amount=1e999', undefined],
    ['purchase?amount=-1', undefined],
    ['purchase?amount=1&currency=XYZ', undefined],
  ] as const) {
    expect(await record(what, body)).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  }
  for (const of of ['00000000-0000-5000-8000-000000000000', testPlayer]) {
    const session = { session_id: 's', duration_seconds: 1 };
    expect(await record('session', session, { of })).toMatchObject({ status: 404, code: 'PLAYER_NOT_FOUND' });
    expect(await record('purchase?amount=1', undefined, { of })).toMatchObject({ status: 404 });
  }
  expect(await profile()).toEqual(before);
});

test('recording the session of an init adds nothing, while it is open and after', async () => {
  const init = await service.call(service.keys.live.client, 'POST', '/v1/bff/game/init', { player_id: player });
  const sessionId = String(init.body.data['session_id']);
  const session = { session_id: sessionId, duration_seconds: 3_600 };
  expect((await record('session', session)).data).toMatchObject({ session_count: 2, total_playtime_seconds: 1_800 });
  const end = { player_id: player, session_id: sessionId, session_duration_seconds: 0 };
  await service.call(service.keys.live.client, 'POST', '/v1/bff/game/end-session', end);
  expect((await record('session', session)).data).toMatchObject({ session_count: 2, total_playtime_seconds: 1_800 });
  expect(await profile()).toMatchObject({ session_count: 2 });
});

test('views count each once and exclude the test environment, which only the tables contain', async () => {
  const keys = service.keys.test;
  const testPlayer = await service.player(keys.server, 'tester');
  await record('session', { session_id: 'in-test', duration_seconds: 1 }, { key: keys.client, of: testPlayer });
  await record('purchase?amount=1000', undefined, { key: keys.client, of: testPlayer });
  await until('all is in ClickHouse', async () => {
    const [row] = await service.sql<{ rows: number; events: number }>(
      `SELECT toUInt32((SELECT count() FROM purchases) + (SELECT count() FROM sessions)) AS rows,
        toUInt32((SELECT count() FROM events WHERE event_name IN ('purchase', 'session_recorded'))) AS events`,
    );
    return row !== undefined && row.rows >= 7 && row.events >= 6;
  });
  const sessions = await service.sql(
    'SELECT session_id, end_reason, duration_seconds, toString(end_time) AS end FROM sessions ' +
      "WHERE end_reason = 'recorded' ORDER BY received_at",
  );
  expect(sessions).toEqual([
    { session_id: 'own-1', end_reason: 'recorded', duration_seconds: 1_800, end: '2026-01-15 10:30:00.000' },
    { session_id: 'in-test', end_reason: 'recorded', duration_seconds: 1, end: null },
  ]);
  const purchases = await service.sql(
    'SELECT toString(amount) AS amount, currency, product_id, transaction_id, environment FROM purchases ORDER BY received_at',
  );
  const unsaid = { currency: null, product_id: null, transaction_id: null };
  expect(purchases).toEqual([
    { amount: '0.1', currency: 'EUR', product_id: 'gems', transaction_id: 'tx-1', environment: 'live' },
    { amount: '0.2', ...unsaid, environment: 'live' },
    { amount: '5', ...unsaid, environment: 'live' },
    { amount: '1000', ...unsaid, environment: 'test' },
  ]);
  expect(await service.sql('SELECT toString(sum(revenue)) AS revenue FROM purchases_daily')).toEqual([
    { revenue: '5.3' },
  ]);
  const named = "SELECT event_name, toUInt32(count()) AS n FROM events WHERE environment = 'live' GROUP BY event_name";
  expect(
    await service.sql(`${named} HAVING event_name IN ('purchase', 'session_recorded') ORDER BY event_name`),
  ).toEqual([
    { event_name: 'purchase', n: 3 },
    { event_name: 'session_recorded', n: 1 },
  ]);
});

test('webhooks get both as events', async () => {
  interface Delivery {
    id: string;
    type: string;
    data: { properties: { amount?: number } };
  }
  const bodies = await until('all deliveries are there', () => {
    const found = receiver.requests.map(({ body }): Delivery => JSON.parse(body));
    return new Set(found.map(({ id }) => id)).size >= 3 ? found : undefined;
  });
  const byId = new Map(bodies.map(({ id, type, data }) => [id, { type, ...data.properties }]));
  const seen = [...byId.values()].toSorted((a, b) => (a.amount ?? 0) - (b.amount ?? 0));
  expect(seen).toEqual([
    {
      type: 'event.session_recorded',
      session_id: 'own-1',
      duration_seconds: 1_800,
      start_time: '2026-01-15T10:00:00.000Z',
      end_time: '2026-01-15T10:30:00.000Z',
    },
    { type: 'event.purchase', amount: 0.2 },
    { type: 'event.purchase', amount: 5 },
  ]);
});

test('a game that accepts purchases only from servers refuses client keys', async () => {
  await service.cli('games', 'set', 'demo', '--client-purchases', 'off');
  await until(
    'client keys are refused',
    async () => (await record('purchase?amount=1&transaction_id=tx-1')).code === 'FORBIDDEN',
  );
  const { server } = service.keys.live;
  // A client key recorded it first, with another amount: what the server says counts, once.
  const corrected = await record('purchase?amount=1&transaction_id=tx-1', undefined, { key: server });
  expect([corrected.replayed, corrected.data['amount']]).toEqual([null, 1]);
  expect((await record('purchase?amount=1&transaction_id=tx-1', undefined, { key: server })).replayed).toBe('true');
  await until('the row of the client is taken back', async () => {
    const sql =
      "SELECT toString(sum(amount)) AS amount, toInt32(sum(counts)) AS purchases FROM purchases WHERE transaction_id = 'tx-1'";
    const [sum] = await service.sql<{ amount: string; purchases: number }>(sql);
    return sum?.amount === '1' && sum.purchases === 1;
  });
  expect((await record('session', { session_id: 'own-1', duration_seconds: 1 })).replayed).toBe('true');
});

test('a refund changes totals, rows, events and webhooks, once, also over kill -9', async () => {
  const { server } = service.keys.live;
  const webhook = { name: 'refunds', url: receiver.url, events: ['event.purchase_refunded'], enabled: true };
  expect((await service.call(server, 'POST', '/v1/integrations/webhooks', webhook)).status).toBe(201);
  const of = await service.player(server, 'refunded');
  const send = (what: string) => record(what, undefined, { key: server, of });
  await send('purchase?amount=9.99&product_id=gems&transaction_id=tx-1');
  await send('purchase?amount=5&transaction_id=tx-2');
  const part = await send('refund?transaction_id=tx-1&amount=2&refund_id=r-1');
  expect(part.data).toEqual({
    player_id: of,
    transaction_id: 'tx-1',
    amount: 2,
    remaining: 7.99,
    total_revenue: 12.99,
    purchase_count: 2,
    is_payer: true,
  });
  const pids: { service: number } = JSON.parse(readFileSync(join(service.supervised.dataDir, 'pids.json'), 'utf8'));
  process.kill(pids.service, 'SIGKILL');
  const again = await until('it is back', async () => {
    const answer = await send('refund?transaction_id=tx-1&amount=2&refund_id=r-1').catch(() => undefined);
    return answer?.status === 200 && answer;
  });
  expect(again).toEqual({ ...part, replayed: 'true' });
  expect(await send('refund?transaction_id=tx-1&amount=8')).toMatchObject({ status: 409, code: 'CONFLICT' });
  expect(await send('refund?transaction_id=tx-9')).toMatchObject({ status: 404, code: 'NOT_FOUND' });
  expect((await send('refund?transaction_id=tx-1')).data).toMatchObject({ total_revenue: 5, purchase_count: 1 });
  expect((await send('refund?transaction_id=tx-2')).data).toMatchObject({ total_revenue: 0, is_payer: false });

  const sums = await until('all is in ClickHouse', async () => {
    const [row] = await service.sql<Record<string, string | number>>(
      `SELECT toUInt32(count()) AS rows, toString(sum(amount)) AS net, toInt32(sum(counts)) AS count,
        toString(sumIf(amount, kind != 'refund')) AS gross FROM purchases WHERE player_id = '${of}'`,
    );
    return row?.['rows'] === 5 && row;
  });
  expect(sums).toEqual({ rows: 5, net: '0', count: 0, gross: '14.99' });
  const delivered = await until('the refunds are delivered', () => {
    const bodies = receiver.requests.map(({ body }): { id: string; type: string; data: { properties: object } } =>
      JSON.parse(body),
    );
    const refunds = new Map(
      bodies.filter(({ type }) => type === 'event.purchase_refunded').map(({ id, data }) => [id, data.properties]),
    );
    return refunds.size >= 3 && [...refunds.values()];
  });
  expect(delivered).toContainEqual({
    amount: 2,
    remaining: 7.99,
    product_id: 'gems',
    transaction_id: 'tx-1',
    refund_id: 'r-1',
  });
});
