import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type RunningService } from '../support/running-service.ts';
import { openStream } from '../support/sse-client.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

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
  stream.close();
});
