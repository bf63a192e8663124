import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../core/kernel/errors.ts';
import { WEBHOOK_LIMITS } from '../../../src/api/webhooks/limits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway({
    webhookAllowPrivateHosts: ['127.0.0.1', 'Receiver.Local', 'localhost:9999', '[::1]'],
  });
  key = await gateway.key();
});
afterEach(() => gateway.close());

const GOOD = { name: 'n', url: 'https://hooks.example.com/x', events: ['level_up'] };
const create = (body: unknown, headers?: Record<string, string>) =>
  gateway.call(key, 'POST', '/v1/integrations/webhooks', body, headers);
const stored = () => gateway.config.list('webhook').map((entry) => entry.document);

describe('creating a webhook', () => {
  it('stores the webhook and returns it with its id, version and secret', async () => {
    const body = {
      name: 'Purchases',
      url: 'https://hooks.example.com/purchases?x=1',
      events: ['purchase_completed', 'event.session_end', 'player.*', 'player.created', 'event.*', '*'],
      secret: '<SIGNING_SECRET>',
      enabled: false,
      headers: { 'X-Team': 'economy', Authorization: 'Bearer t' },
      retry_policy: { max_retries: 3, backoff: 'exponential' },
      filters: { 'properties.amount': { gte: 10, lt: 1000 }, 'properties.currency': { in: ['EUR', 'USD'] } },
    };
    const response = await create(body);
    expect(response.status).toBe(201);
    const { data } = await bodyOf(response);
    expect(data).toEqual({
      ...body,
      webhook_id: expect.stringMatching(/^wh_[0-9a-f-]{36}$/),
      owner: '',
      tags: [],
      note: '',
      managed_by: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: data.created_at,
      version: 1,
      warnings: ['amount', 'currency'].map((name) => ({
        path: `/filters/properties.${name}`,
        message: 'is a field that player.created does not have',
      })),
    });
    expect(stored()).toEqual([
      {
        id: data.webhook_id,
        name: 'Purchases',
        url: body.url,
        events: body.events,
        secret: '<SIGNING_SECRET>',
        enabled: false,
        headers: body.headers,
        retryPolicy: { maxRetries: 3, backoff: 'exponential' },
        filters: body.filters,
        createdAt: Date.parse(data.created_at),
        version: 1,
        writes: [],
      },
    ]);
    expect(gateway.config.list('webhook')[0]).toMatchObject({
      game: 'demo',
      environment: 'live',
      key: data.webhook_id,
    });
  });

  it('sets defaults for missing fields and creates a secret', async () => {
    const { data } = await bodyOf(await create({ url: GOOD.url, events: ['*'] }));
    expect(data).toMatchObject({
      name: 'hooks.example.com',
      enabled: true,
      headers: {},
      filters: {},
      retry_policy: { max_retries: 4, backoff: 'exponential' },
    });
    expect(data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    const second = await bodyOf(await create({ url: GOOD.url, events: ['*'] }));
    expect(second.data.secret).not.toBe(data.secret);
  });

  it.each([
    ['ftp://hooks.example.com/', 'http or https'],
    ['hooks.example.com', 'absolute URL'],
    ['http://hooks.example.com/', 'https'],
    ['https://user:pw@hooks.example.com/', 'credentials'],
    ['https://localhost/', 'public host'],
    ['https://localhost./', 'public host'],
    ['https://LOCALHOST:1/', 'public host'],
    ['https://db.internal/', 'public host'],
    ['https://intranet/', 'public host'],
    ['https://10.0.0.1/', 'not an IP address'],
    ['https://93.184.216.34/', 'not an IP address'],
    ['https://0x7f.1/', 'https'],
    ['https://2130706434/', 'not an IP address'],
    ['https://[fe80::1]/', 'not an IP address'],
    ['https://[::ffff:10.0.0.1]/', 'not an IP address'],
  ])('refuses the URL %s', async (url, message) => {
    const response = await create({ ...GOOD, url });
    // 0x7f.1 is another spelling of 127.0.0.1, which this gateway allows.
    if (url.includes('0x7f.1')) return expect(response.status).toBe(201);
    expect(response.status).toBe(400);
    expect((await bodyOf(response)).error.details.fields).toEqual([
      { path: '/url', message: expect.stringContaining(message) },
    ]);
    expect(stored()).toEqual([]);
  });

  it.each([
    'http://127.0.0.1:9000/hook',
    'http://receiver.local/',
    'http://localhost:9999/',
    'http://[::1]:1/',
    'https://hooks.example.com:8443/',
  ])('accepts the URL %s', async (url) => {
    expect((await create({ ...GOOD, url })).status).toBe(201);
  });

  it.each([
    [{ events: undefined }, '/events'],
    [{ events: [] }, '/events'],
    [{ events: ['player.craeted'] }, '/events/0'],
    [{ events: ['a', ''] }, '/events/1'],
    [{ url: undefined }, '/url'],
    [{ url: 'https://hooks.example.com/[hidden]' }, '/url'],
    [{ colour: 'red' }, '/colour'],
    [{ enabled: 'yes' }, '/enabled'],
    [{ secret: '' }, '/secret'],
    [{ headers: { 'X-Service-Signature': 'x' } }, '/headers/X-Service-Signature'],
    [{ headers: { 'content-type': 'x' } }, '/headers/content-type'],
    [{ headers: { Host: 'x' } }, '/headers/Host'],
    [{ headers: { 'Transfer-Encoding': 'x' } }, '/headers/Transfer-Encoding'],
    [{ headers: { 'webhook-id': 'x' } }, '/headers/webhook-id'],
    [{ headers: { 'X Y': 'x' } }, '/headers/X Y'],
    [{ headers: { 'X-A': 'a\r\nX-B: b' } }, '/headers/X-A'],
    [{ headers: { 'X-A': 1 } }, '/headers/X-A'],
    [{ headers: { 'X-A': '1', 'x-a': '2' } }, '/headers/x-a'],
    [{ retry_policy: { max_retries: 11 } }, '/retry_policy/max_retries'],
    [{ retry_policy: { max_retries: -1 } }, '/retry_policy/max_retries'],
    [{ retry_policy: { max_retries: 1.5 } }, '/retry_policy/max_retries'],
    [{ retry_policy: { backoff: 'quadratic' } }, '/retry_policy/backoff'],
    [{ retry_policy: { jitter: true } }, '/retry_policy/jitter'],
    [{ filters: { 'properties.amount': { between: [1, 2] } } }, '/filters/properties.amount/between'],
    [{ filters: { 'properties.amount': { gte: '10' } } }, '/filters/properties.amount/gte'],
    [{ filters: { 'properties.amount': { in: 10 } } }, '/filters/properties.amount/in'],
    [{ filters: { 'properties.amount': { in: [] } } }, '/filters/properties.amount/in'],
    [{ filters: { 'properties.amount': { eq: { a: 1 } } } }, '/filters/properties.amount/eq'],
    [{ filters: { 'properties.amount': { exists: 1 } } }, '/filters/properties.amount/exists'],
    [{ filters: { 'properties.amount': {} } }, '/filters/properties.amount'],
    [{ filters: { 'properties.amount': 10 } }, '/filters/properties.amount'],
  ])('refuses %j', async (some, path) => {
    const response = await create({ ...GOOD, ...some });
    expect(response.status).toBe(400);
    const { error } = await bodyOf(response);
    expect(error.details.fields.map((field: { path: string }) => field.path)).toContain(path);
    expect(stored()).toEqual([]);
  });

  it('refuses an invalid __proto__ filter and keeps a valid one as data', async () => {
    const body = (condition: string) =>
      `{"url":"${GOOD.url}","events":["*"],"filters":{"properties.__proto__":${condition}}}`;
    expect((await create(body('5'))).status).toBe(400);
    const response = await create(body('{"eq":1}'));
    expect(response.status).toBe(201);
    expect(await response.text()).toContain('"filters":{"properties.__proto__":{"eq":1}}');
  });

  it('creates one webhook per Idempotency-Key, and a repeat returns the first response', async () => {
    const first = await create(GOOD, { 'Idempotency-Key': 'k' });
    const claim = gateway.backend.calls[0];
    expect(claim?.body).toMatchObject({ kind: 'ClaimIdempotencyKey', ledgerId: claim?.entityId });
    gateway.backend.reply = () => ({ kind: 'claimed', replayed: true });
    const second = await create(GOOD, { 'Idempotency-Key': 'k' });
    expect(second.status).toBe(201);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await bodyOf(second)).toEqual(await bodyOf(first));
    expect(stored()).toHaveLength(1);
    gateway.backend.reply = () => failure('CONFLICT');
    expect((await create({ ...GOOD, name: 'm' }, { 'Idempotency-Key': 'k' })).status).toBe(409);
  });

  it('creates the webhook on a repeat if the first request did not', async () => {
    gateway.backend.reply = () => ({ kind: 'claimed', replayed: true });
    const response = await create(GOOD, { 'Idempotency-Key': 'k' });
    expect(response.status).toBe(201);
    expect(stored()).toHaveLength(1);
  });

  it('returns 503 while definitions cannot be written', async () => {
    gateway.config.down = true;
    const response = await create(GOOD);
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).not.toBeNull();
  });

  it('has a maximum number per game and environment', async () => {
    for (let n = 0; n < WEBHOOK_LIMITS.webhooksPerEnvironment; n++) expect((await create(GOOD)).status).toBe(201);
    expect((await create(GOOD)).status).toBe(409);
    key = await gateway.key({ environment: 'test' });
    expect((await create(GOOD)).status).toBe(201);
  });
});
