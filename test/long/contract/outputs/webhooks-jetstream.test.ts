import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../core/kernel/clock.ts';
import { systemIds } from '../../../../core/kernel/ids.ts';
import { createMetrics } from '../../../../src/parts/metrics.ts';
import { type ConfigStore, openConfigStore } from '../../../../streams/config/config-store.ts';
import type { WebhookDocument } from '../../../../core/vocabulary/documents/documents.ts';
import type { Log } from '../../../../streams/log/log.ts';
import { connectJetStream } from '../../../../streams/log/jetstream/log-jetstream.ts';
import { aTrackedEvent, commit } from '../../../../streams/sinks/testing-commits.ts';
import { A_SECRET, aWebhook } from '../../../../streams/sinks/webhooks/testing-webhooks.ts';
import { createWebhooks } from '../../../../streams/sinks/webhooks/webhooks.ts';
import { startTestNats, type TestNats } from '../../../support/servers/nats.ts';
import { silentLogger } from '../../../support/in-memory/silent-logger.ts';
import { until } from '../../../support/until.ts';
import { type ReceivedRequest, type Respond, startWebhookReceiver } from '../../../support/wire/webhook-receiver.ts';

/** The webhooks sink over real NATS and real HTTP, with the broker's own message schedules and its restarts. */

const DELAYS_MS = [400, 800, 1_200];
/** Tolerance for late attempts on a busy machine. */
const LATE_MS = 5_000;

let nats: TestNats;
let config: ConfigStore;
let log: Log;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  nats = await startTestNats();
});
afterAll(() => nats.stop());

beforeEach(async () => {
  log = await connect();
  config = await openConfigStore(log, systemClock, silentLogger);
  closing.push(() => config.stop());
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function connect(): Promise<Log> {
  const connected = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock: systemClock });
  closing.push(() => connected.close());
  return connected;
}

function startSink(sinkLog: Log = log) {
  const webhooks = createWebhooks({
    log: sinkLog,
    config,
    clock: systemClock,
    ids: systemIds,
    logger: silentLogger,
    metrics: createMetrics(),
    node: 'n-1',
    retryDelaysMs: DELAYS_MS,
    timeoutMs: 2_000,
    allowPrivateHosts: ['127.0.0.1'],
  });
  webhooks.start();
  closing.push(() => webhooks.stop());
  return webhooks;
}

/** A receiver, and a webhook in a new game, so that tests do not affect each other. */
async function hook(some: Partial<WebhookDocument> = {}, respond?: Respond) {
  const receiver = await startWebhookReceiver(respond);
  closing.push(() => receiver.stop());
  const id = `wh_${systemIds.uuidv4()}`;
  const game = systemIds.uuidv4();
  const document = aWebhook({ id, url: receiver.url, ...some });
  const write = await config.put({ game, environment: 'live', kind: 'webhook', key: id }, document, 0);
  expect(write.kind).toBe('written');
  const track = (level: number) =>
    commit(log, [aTrackedEvent({ game, properties: `{"level":${level}}` })], { configRevision: config.revision });
  return { receiver, track, id };
}

const attemptOf = ({ body }: ReceivedRequest): unknown => JSON.parse(body).metadata.delivery_attempt;
const idOf = ({ body }: ReceivedRequest): unknown => JSON.parse(body).id;
const levelOf = ({ body }: ReceivedRequest): unknown => JSON.parse(body).data.properties.level;

describe('webhooks over JetStream', () => {
  it('a delivery arrives with both signatures and the webhook’s own headers', async () => {
    startSink();
    const { receiver, track, id } = await hook({ headers: { 'X-Team': 'economy', 'content-type': 'text/plain' } });
    await track(5);
    const request = await until('it arrives', () => receiver.requests[0]);
    const { headers, body } = request;
    expect(headers['x-service-signature']).toBe(`sha256=${createHmac('sha256', A_SECRET).update(body).digest('hex')}`);
    const verified = new Webhook(A_SECRET).verify(body, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    });
    expect(verified).toMatchObject({
      id: headers['webhook-id'],
      type: 'event.level_up',
      data: { external_id: 'ext-1', event_name: 'level_up', properties: { level: 5 } },
      metadata: { webhook_id: id, delivery_attempt: 1 },
    });
    expect(headers).toMatchObject({ 'x-team': 'economy', 'content-type': 'application/json' });
  });

  it('failed attempts are retried by message schedules after the set delays, until one succeeds', async () => {
    startSink();
    const { receiver, track } = await hook({}, ({ body }, response) => {
      response.writeHead(JSON.parse(body).metadata.delivery_attempt < 4 ? 500 : 200).end();
    });
    await track(1);
    await until('four attempts are made', () => receiver.requests.length === 4);
    const { requests } = receiver;
    expect(requests.map(attemptOf)).toEqual([1, 2, 3, 4]);
    expect(new Set(requests.map(idOf)).size).toBe(1);
    for (const [i, delayMs] of DELAYS_MS.entries()) {
      const gapMs = (requests[i + 1]?.atMs ?? 0) - (requests[i]?.atMs ?? 0);
      expect(gapMs).toBeGreaterThanOrEqual(delayMs - 5);
      expect(gapMs).toBeLessThan(delayMs + LATE_MS);
    }
    await until('nothing is left in DELIVERIES', async () => (await log.info('DELIVERIES')).sizeBytes === 0);
    expect(requests).toHaveLength(4);
  });

  it('the last attempt leaves nothing in DELIVERIES', async () => {
    startSink();
    const policy = { maxRetries: 1, backoff: 'exponential' as const };
    const { receiver, track } = await hook(
      { retryPolicy: policy },
      (_, response) => void response.writeHead(503).end(),
    );
    await track(1);
    await until('two attempts are made', () => receiver.requests.length === 2);
    await until('nothing is left in DELIVERIES', async () => (await log.info('DELIVERIES')).sizeBytes === 0);
    expect(receiver.requests.map(attemptOf)).toEqual([1, 2]);
  });

  it('waiting retries survive a restart of the sink and of the broker', async () => {
    const first = startSink();
    let isHealthy = false;
    const { receiver, track } = await hook({}, (_, response) => void response.writeHead(isHealthy ? 200 : 500).end());
    await track(1);
    await until('an attempt has failed', () => receiver.requests.length === 1);
    await until('its retry is stored', async () => (await log.info('DELIVERIES')).sizeBytes > 0);
    await first.stop();
    await nats.kill();
    await nats.start();
    isHealthy = true;
    startSink(await connect());
    await until('the retry is made', () => receiver.requests.length === 2, 40_000);
    expect(receiver.requests.map(attemptOf)).toEqual([1, 2]);
    expect(new Set(receiver.requests.map(idOf)).size).toBe(1);
    await until('nothing is left in DELIVERIES', async () => (await log.info('DELIVERIES')).sizeBytes === 0);
  });

  it('every event arrives under one id while the broker is killed', async () => {
    startSink();
    const { receiver, track } = await hook();
    const total = 300;
    for (let level = 0; level < total; level++) {
      await track(level);
      if (level === 100) {
        await nats.kill();
        await nats.start();
        await until('the log is back', () => log.connected);
      }
    }
    const seen = () => new Set(receiver.requests.map(levelOf)).size;
    await until('each has arrived', () => seen() === total, 50_000);
    expect(new Set(receiver.requests.map(idOf)).size).toBe(total);
    await until('nothing is left in DELIVERIES', async () => (await log.info('DELIVERIES')).sizeBytes === 0, 40_000);
  });

  it('two sinks share the work, and each fact is delivered once', async () => {
    startSink();
    startSink(await connect());
    const { receiver, track } = await hook();
    for (let level = 0; level < 50; level++) await track(level);
    await until('each has arrived', () => receiver.requests.length >= 50);
    await until('nothing is left in DELIVERIES', async () => (await log.info('DELIVERIES')).sizeBytes === 0);
    expect(new Set(receiver.requests.map(idOf)).size).toBe(50);
    expect(receiver.requests).toHaveLength(50);
  });
});
