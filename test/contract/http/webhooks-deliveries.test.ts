import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createMetrics } from '../../../src/parts/metrics.ts';
import type { Log } from '../../../streams/log/log.ts';
import { connectJetStream } from '../../../streams/log/jetstream/log-jetstream.ts';
import { createClickhouseSink } from '../../../streams/sinks/clickhouse/clickhouse-sink.ts';
import { aTrackedEvent, commit } from '../../../streams/sinks/testing-commits.ts';
import { createWebhookOperations } from '../../../streams/sinks/webhooks/recovery/operations.ts';
import { createWebhooks } from '../../../streams/sinks/webhooks/webhooks.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';
import { documentedWebhookPath } from '../../support/wire/webhook-paths.ts';
import { startTestNats, type TestNats } from '../../support/servers/nats.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';
import { startWebhookReceiver, type ReceivedRequest, type Respond } from '../../support/wire/webhook-receiver.ts';

/*
 * Webhook deliveries over HTTP, real NATS and the real ClickHouse engine: requests, deliveries and the log of attempts.
 */

let nats: TestNats;
let clickhouse: TestClickhouse;
let log: Log;
let gateway: Gateway;
let shapes: PublishedShapes;
let key: string;
const closing: (() => unknown)[] = [];

beforeAll(async () => {
  [nats, clickhouse] = await Promise.all([startTestNats(), startWithTables()]);
  log = await connectJetStream({ url: nats.url, replicas: 1, logger: silentLogger, clock: systemClock });
  const shared = { log, clock: systemClock, ids: systemIds, logger: silentLogger, metrics: createMetrics() };
  const analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const sending = { timeoutMs: 5_000, allowPrivateHosts: ['127.0.0.1'] };
  const webhookOperations = createWebhookOperations({ ...shared, ...sending });
  gateway = await startGateway({ webhookOperations, analytics, webhookAllowPrivateHosts: ['127.0.0.1'] });
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
  shapes = publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
  const webhooks = createWebhooks({
    ...shared,
    ...sending,
    config: gateway.config,
    node: 'n-1',
    retryDelaysMs: [200],
  });
  const sink = createClickhouseSink({ ...shared, holder: 'sink', clickhouse: clickhouse.address });
  webhooks.start();
  sink.start();
  closing.push(
    () => clickhouse.close(),
    () => nats.stop(),
    () => log.close(),
    () => analytics.close(),
    () => webhookOperations.close(),
    () => sink.stop(),
    () => webhooks.stop(),
    () => gateway.close(),
  );
});
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const PATH = '/v1/integrations/webhooks';
const call = async (method: string, path: string, body?: unknown, asKey = key) => {
  const response = await gateway.call(asKey, method, path, body);
  const answer = await bodyOf(response);
  expect(shapes.faultsOf(method, documentedWebhookPath(path), response.status, answer)).toEqual([]);
  return { status: response.status, body: answer };
};

interface Attempt {
  delivery_id: string;
  kind: string;
  attempt: number;
  attempted_at: string;
  outcome: string;
  status: number | null;
  response_start: string;
  next_attempt_at: string | null;
}

/** A webhook for events with one name, and its receiver. */
async function hook(some: object = {}, respond?: Respond) {
  const receiver = await startWebhookReceiver(respond);
  closing.push(() => receiver.stop());
  const eventName = `e_${systemIds.uuidv4().slice(0, 8)}`;
  const { status, body } = await call('POST', PATH, { url: receiver.url, events: [eventName], ...some });
  expect(status).toBe(201);
  const { webhook_id: id, secret } = body.data;
  const track = (): Promise<number> =>
    commit(log, [aTrackedEvent({ eventName, entityId: systemIds.uuidv4() })], {
      configRevision: gateway.config.revision,
    });
  async function attempts(query = ''): Promise<{ deliveries: Attempt[]; next_cursor: string | null }> {
    const page = await call('GET', `${PATH}/${id}/deliveries${query}`);
    expect(page.status).toBe(200);
    return JSON.parse(JSON.stringify(page.body.data));
  }
  const logged = (count: number): Promise<Attempt[]> =>
    until(`${count} attempts are logged`, async () => {
      const { deliveries } = await attempts();
      return deliveries.length >= count ? deliveries : undefined;
    });
  return { id, secret, receiver, kind: `event.${eventName}`, track, attempts, logged };
}

const payloadOf = ({ body }: ReceivedRequest): { id: string; type: string; metadata: { delivery_attempt: number } } =>
  JSON.parse(body);

describe('the deliveries of a webhook', () => {
  it('are listed attempt by attempt, newest first, by page and filter, without those of other webhooks', async () => {
    const failFirst: Respond = (request, response) => {
      const status = payloadOf(request).metadata.delivery_attempt === 1 ? 500 : 200;
      response.writeHead(status).end(`"status": ${status}\u0000 ü`);
    };
    const mine = await hook({}, failFirst);
    const other = await hook();
    await Promise.all([mine.track(), mine.track(), other.track()]);
    const deliveries = await mine.logged(4);
    await other.logged(1);
    expect(new Set(deliveries.map(({ delivery_id: id }) => id))).toEqual(
      new Set(mine.receiver.requests.map((request) => payloadOf(request).id)),
    );
    for (const { kind, attempt, outcome, status, response_start: start, next_attempt_at: next } of deliveries) {
      expect({ kind, outcome, status, start, isRetried: next !== null }).toEqual(
        attempt === 1
          ? { kind: mine.kind, outcome: 'failed', status: 500, start: '"status": 500\u0000 ü', isRetried: true }
          : { kind: mine.kind, outcome: 'delivered', status: 200, start: '"status": 200\u0000 ü', isRetried: false },
      );
    }
    const times = deliveries.map((attempt) => attempt.attempted_at);
    expect(times).toEqual(times.toSorted().toReversed());

    const paged: Attempt[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await mine.attempts(`?limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`);
      expect(page.deliveries.length).toBeLessThanOrEqual(1);
      paged.push(...page.deliveries);
      cursor = page.next_cursor;
    }
    expect(paged).toEqual(deliveries);
    const delivered = await mine.attempts('?outcome=delivered');
    expect(delivered.deliveries).toEqual(deliveries.filter(({ outcome }) => outcome === 'delivered'));
    const [newest = '', , , oldest = ''] = times;
    expect((await mine.attempts(`?from=${oldest}&to=${newest}`)).deliveries).toEqual(
      deliveries.filter(({ attempted_at: at }) => at < newest),
    );
    expect((await mine.attempts('?to=2020-01-01')).deliveries).toEqual([]);
    const stranger = await gateway.key({ environment: 'test' });
    expect((await call('GET', `${PATH}/${mine.id}/deliveries`, undefined, stranger)).status).toBe(404);
  });

  it('can be repeated one by one with their ids and attempts from 1', async () => {
    const { id, receiver, track, logged } = await hook({ retry_policy: { max_retries: 0 } }, (_, response) => {
      response.writeHead(receiver.requests.length === 1 ? 500 : 200).end();
    });
    await track();
    const [first] = await logged(1);
    expect(first?.outcome).toBe('exhausted');
    const path = `${PATH}/${id}/deliveries/${first?.delivery_id}/redeliver`;
    expect(await call('POST', path)).toMatchObject({
      status: 200,
      body: { data: { delivery_id: first?.delivery_id } },
    });
    const again = await until('it comes again', () => receiver.requests[1]);
    expect(again.body).toBe(receiver.requests[0]?.body);
    expect((await logged(2)).map(({ outcome }) => outcome)).toEqual(['delivered', 'exhausted']);
    const other = await hook();
    const elsewhere = `${PATH}/${other.id}/deliveries/${first?.delivery_id}/redeliver`;
    expect((await call('POST', elsewhere)).status).toBe(404);
    expect((await call('POST', `${PATH}/${id}/deliveries/${systemIds.uuidv4()}/redeliver`)).status).toBe(404);
  });

  it('can all be repeated since a time with their original ids', async () => {
    const { id, receiver, track } = await hook();
    const since = new Date(systemClock.wallMs()).toISOString();
    await track();
    await until('the first arrived', () => receiver.requests.length === 1);
    expect((await call('PATCH', `${PATH}/${id}`, { enabled: false })).status).toBe(200);
    await track();
    expect((await call('POST', `${PATH}/${id}/recover?since=${since}`)).status).toBe(409);
    expect((await call('PATCH', `${PATH}/${id}`, { enabled: true })).status).toBe(200);
    const begun = await call('POST', `${PATH}/${id}/recover?since=${since}`);
    expect([begun.status, begun.body.data]).toMatchObject([200, { since, webhook_id: id }]);
    await until('both came by the recovery', () => receiver.requests.length >= 3);
    const ids = receiver.requests.map((request) => payloadOf(request).id);
    expect(ids.slice(1).toSorted()).toEqual([...new Set(ids)].toSorted());
    const progress = await call('GET', `${PATH}/${id}/recover`);
    expect(progress.body.data).toMatchObject({ recovery_id: begun.body.data['recovery_id'], since });
  });
});

describe('a test delivery', () => {
  it("is signed like any delivery and returns the receiver's response", async () => {
    const { id, secret, kind, receiver, attempts } = await hook({}, (_, response) => {
      response.writeHead(418).end('a teapot');
    });
    const { status, body } = await call('POST', `${PATH}/${id}/test`);
    const sent = await until('it arrives', () => receiver.requests[0]);
    expect([status, body.data]).toMatchObject([
      200,
      { delivery_id: payloadOf(sent).id, kind, delivered: false, status: 418, error: null, response_start: 'a teapot' },
    ]);
    expect(new Webhook(secret).verify(sent.body, headersOf(sent))).toMatchObject({ type: kind });
    await receiver.stop();
    expect((await call('POST', `${PATH}/${id}/test`)).body.data).toMatchObject({
      delivered: false,
      status: null,
      error: expect.stringContaining('ECONNREFUSED'),
    });
    expect((await attempts()).deliveries).toEqual([]);
  });
});

describe('a test delivery of a webhook with filters', () => {
  it('says whether kinds and filters would take the sample', async () => {
    const { id, kind, receiver } = await hook({ filters: { 'properties.level': { gte: 3 }, event_name: { ne: 'x' } } });
    const test = async (sample?: unknown) => (await call('POST', `${PATH}/${id}/test`, sample)).body.data;
    expect(await test()).toMatchObject({
      delivered: true,
      would_be_delivered: false,
      unmet_filters: ['properties.level'],
    });
    expect(await test({ properties: { level: 2 } })).toMatchObject({ would_be_delivered: false });
    expect(await test({ properties: { level: 3 } })).toMatchObject({ would_be_delivered: true, unmet_filters: [] });
    expect(await test({ kind: 'other_event', properties: { level: 3 } })).toMatchObject({
      kind: 'event.other_event',
      would_be_delivered: false,
      unmet_filters: [],
    });
    expect(receiver.requests.map((request) => payloadOf(request).type)).toEqual([
      kind,
      kind,
      kind,
      'event.other_event',
    ]);
    for (const sample of [{ kind: 'player.craeted' }, { kind: '' }, { knd: 'x' }, { properties: 5 }]) {
      expect((await call('POST', `${PATH}/${id}/test`, sample)).status).toBe(400);
    }
  });
});

const headersOf = ({ headers }: ReceivedRequest): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));

describe('during a rotation', () => {
  it('either secret verifies, by the public library, by a plain HMAC and by what docs/webhooks.md says; afterwards one alone', async () => {
    const verify = await documentedFunctions();
    const { id, secret: first, receiver, track } = await hook();
    const rotated = await call('POST', `${PATH}/${id}/rotate-secret`, { secret: OWN_SECRET });
    expect(rotated.status).toBe(200);
    await track();
    const request = await until('it arrives', () => receiver.requests[0]);
    const headers = headersOf(request);
    const plain = (secret: string): string =>
      `sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`;
    expect(headers['x-service-signature']).toBe(plain(OWN_SECRET));
    expect(headers['x-service-signature-previous']).toBe(plain(first));
    expect(headers['webhook-signature']?.split(' ')).toHaveLength(2);
    expect(new Webhook(OWN_SECRET, { format: 'raw' }).verify(request.body, headers)).toBeDefined();
    expect(new Webhook(first).verify(request.body, headers)).toBeDefined();
    expect(verify.verified(headers, request.body, first)).toMatchObject({ id: payloadOf(request).id });
    for (const secret of [first, OWN_SECRET]) expect(verify.isGenuine(headers, request.body, secret)).toBe(true);
    expect(verify.isGenuine(headers, `${request.body} `, first)).toBe(false);
    expect(verify.isGenuine(headers, request.body, 'another')).toBe(false);
    expect(verify.isGenuine({}, request.body, first)).toBe(false);
    expect(() => verify.verified(headers, `${request.body} `, first)).toThrow();

    // A second rotation ends the overlap of the first secret.
    await call('POST', `${PATH}/${id}/rotate-secret`);
    await track();
    const later = await until('the next arrives', () => receiver.requests[1]);
    expect(verify.isGenuine(headersOf(later), later.body, first)).toBe(false);
    expect(verify.isGenuine(headersOf(later), later.body, OWN_SECRET)).toBe(true);
  });
});

interface DocumentedFunctions {
  isGenuine: (headers: Record<string, string>, body: string, secret: string) => boolean;
  verified: (headers: Record<string, string>, body: string, secret: string) => unknown;
}

/** ASCII only, since the public library treats characters as bytes. */
const OWN_SECRET = 'a text of our own';

/** The verification that docs/webhooks.md documents for receivers, verbatim. */
async function documentedFunctions(): Promise<DocumentedFunctions> {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/webhooks.md', import.meta.url)), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith('Verify')) ?? '';
  const blocks = [...section.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const folder = mkdtempSync(join(tmpdir(), 'documented-'));
  try {
    const file = join(folder, 'verify.mjs');
    writeFileSync(
      file,
      blocks.join('\n').replace("'standardwebhooks'", `'${import.meta.resolve('standardwebhooks')}'`),
    );
    const loaded: DocumentedFunctions = await import(pathToFileURL(file).href);
    return loaded;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
