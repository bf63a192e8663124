import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type RunningService } from '../support/servers/running-service.ts';
import { openStream } from '../support/wire/sse-client.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/wire/webhook-receiver.ts';

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

test('an event reaches the stream, ClickHouse and a webhook, each once and with the same id', async () => {
  const { server, client } = service.keys.live;
  const playerId = await service.player(server, 'walker');
  const webhook = await service.call(server, 'POST', '/v1/integrations/webhooks', {
    name: 'mine',
    url: receiver.url,
    events: ['level_up'],
    enabled: true,
    headers: { 'X-Team': 'live-ops' },
  });
  expect(webhook.status).toBe(201);
  const stream = await openStream(service.url, server);
  await until('the stream is connected', () => stream.messages[0]);
  expect(stream.messages[0]?.data).toEqual({ type: 'connected', game_id: 'demo' });

  const properties = { level: 4, nested: { text: 'grüße “quoted” \n', list: [1, 2.5, null, true] } };
  const { status, body } = await service.call(client, 'POST', '/v1/events/events', {
    player_id: playerId,
    event_name: 'level_up',
    properties,
    timestamp: '2026-01-15T10:30:00Z',
  });
  expect(status).toBe(200);
  expect(body.data).toEqual({
    event_id: expect.any(String),
    player_id: playerId,
    event_name: 'level_up',
    timestamp: '2026-01-15T10:30:00.000Z',
    received_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  });

  const streamed = await until('it is on the stream', () => stream.messages[1]);
  expect(streamed.data).toEqual({ type: 'event', ...body.data, session_id: null, properties });
  expect(streamed.id).toMatch(/.+-\d+-\d+$/);

  const select =
    'SELECT event_id, toString(player_id) AS player, external_id, event_name, properties, game_id, environment, ' +
    "formatDateTime(timestamp, '%FT%TZ') AS at FROM events";
  const rows = await until('it is in ClickHouse', async () => {
    const found = await service.sql(select);
    return found.length > 0 && found;
  });
  expect(rows).toEqual([
    {
      event_id: body.data['event_id'],
      player: playerId,
      external_id: 'walker',
      event_name: 'level_up',
      properties: JSON.stringify(properties),
      game_id: 'demo',
      environment: 'live',
      at: '2026-01-15T10:30:00Z',
    },
  ]);

  const delivered = await until('the webhook was called', () => receiver.requests[0]);
  const { secret, webhook_id: webhookId } = webhook.body.data;
  const digest = createHmac('sha256', secret).update(delivered.body).digest('hex');
  expect(delivered.headers['x-service-signature']).toBe(`sha256=${digest}`);
  const headers = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, String(delivered.headers[name])]),
  );
  const verified = new Webhook(secret).verify(delivered.body, headers);
  expect(verified).toEqual({
    id: headers['webhook-id'],
    type: 'event.level_up',
    timestamp: expect.any(String),
    data: { player_id: playerId, external_id: 'walker', event_name: 'level_up', properties },
    metadata: { webhook_id: webhookId, delivery_attempt: 1 },
  });
  expect(delivered.headers['x-team']).toBe('live-ops');
  expect(() => new Webhook(secret).verify(`${delivered.body} `, headers)).toThrow();

  // A second event follows the first everywhere: if the first had been sent twice, both copies would be there by now.
  await service.call(client, 'POST', '/v1/events/events', { player_id: playerId, event_name: 'level_up' });
  await until('the second one is everywhere', async () => {
    return stream.messages.length > 2 && receiver.requests.length > 1 && (await service.sql(select)).length > 1;
  });
  expect([stream.messages.length, receiver.requests.length, (await service.sql(select)).length]).toEqual([3, 2, 2]);

  // One of the two was traced through each output, as all were accepted within a second or two.
  let fresh: Record<string, unknown> = {};
  await until('every output has reported a traced event', async () => {
    fresh = (await service.call(server, 'GET', '/v1/ops/freshness')).body.data;
    const { outputs } = fresh;
    return Array.isArray(outputs) && outputs.every(({ samples }) => samples > 0);
  });
  expect(fresh['outputs']).toEqual(
    ['stream', 'clickhouse', 'webhooks'].map((output) => ({
      output,
      fresh_as_of: expect.any(String),
      behind_records: expect.any(Number),
      newest_event_at: expect.any(String),
      newest_event_age_seconds: expect.any(Number),
      p50_seconds: expect.any(Number),
      p99_seconds: expect.any(Number),
      samples: expect.any(Number),
    })),
  );
  expect(fresh['game']).toMatchObject({ silent: false });
  const page = await service.call(server, 'GET', '/v1/events/events?limit=1');
  const eventId = String(body.data['event_id']);
  const receivedAt = String(body.data['received_at']);
  expect(Date.parse(page.headers.get('x-fresh-as-of') ?? '')).toBeGreaterThan(Date.parse(receivedAt));
  let traced = '';
  await until('the attempt is recorded', async () => {
    traced = await service.cli('trace', eventId);
    return traced.includes('attempt 1');
  });
  const lines = traced.split('\n').map((line) => line.replaceAll(/\d+ ms/g, 'N ms').replaceAll(/ {2,}/g, '  '));
  expect(lines).toEqual([
    `event  ${eventId} level_up of walker (${playerId}), demo live`,
    `accepted  ${receivedAt}  by a caller; its own time is 2026-01-15T10:30:00.000Z`,
    expect.stringMatching(/^appended {2}\+N ms {2}record \d+ of FACTS, fact \d+, partition \d$/),
    expect.stringMatching(/^row {2}\+N ms {2}in events, one of \d rows? of records \d+-\d+$/),
    `stream  id ${streamed.id}, sent once it was appended`,
    expect.stringMatching(/^webhook {2}\+N ms {2}mine \(\S+\), attempt 1: delivered, 200 of 127.0.0.1:\d+ after N ms$/),
  ]);
  await expect(service.cli('trace', 'nobody')).rejects.toThrow('hold no event with the id nobody');
  // Tracing injects nothing.
  expect(await service.sql(select)).toHaveLength(2);
  stream.close();
});
