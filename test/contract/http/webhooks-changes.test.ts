import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WebhookDocument } from '../../../core/vocabulary/documents/documents.ts';
import { WEBHOOK_LIMITS } from '../../../src/api/webhooks/limits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';
import { documentedWebhookPath } from '../../support/wire/webhook-paths.ts';

let gateway: Gateway;
let shapes: PublishedShapes | undefined;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
  shapes ??= publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterEach(() => gateway.close());

const PATH = '/v1/integrations/webhooks';
const GOOD = { name: 'n', url: 'https://hooks.example.com/x', events: ['level_up'], secret: 'first' };
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await gateway.call(key, method, path, body, headers);
  const answer = await bodyOf(response);
  expect(shapes?.faultsOf(method, documentedWebhookPath(path), response.status, answer)).toEqual([]);
  return { status: response.status, headers: response.headers, body: answer };
};
const made = async (some: object = {}): Promise<string> => {
  const { status, body } = await call('POST', PATH, { ...GOOD, ...some });
  expect(status).toBe(201);
  return body.data.webhook_id;
};
const entryOf = (id: string) => gateway.config.list('webhook').find((entry) => entry.key === id);
const stored = (id: string): WebhookDocument => {
  const entry = entryOf(id);
  if (entry === undefined) throw new Error(`there is no webhook ${id}`);
  return entry.document;
};
/** Makes the service disable a webhook, as after a 410. */
const disable = async (id: string): Promise<void> => {
  const entry = entryOf(id);
  if (entry === undefined) throw new Error(`there is no webhook ${id}`);
  const disabled = { at: Date.UTC(2026, 0, 15), reason: 'gone' } as const;
  await gateway.config.put(entry, { ...entry.document, enabled: false, disabled }, entry.revision);
};

describe('an existing webhook', () => {
  it('is returned by id and in the list, page by page, never with its secret', async () => {
    const ids = [await made(), await made(), await made()].toSorted();
    const one = await call('GET', `${PATH}/${ids[0]}`);
    expect([one.status, one.headers.get('etag')]).toEqual([200, '"1"']);
    expect(one.body.data).toEqual({
      webhook_id: ids[0],
      name: 'n',
      url: GOOD.url,
      events: ['level_up'],
      enabled: true,
      headers: {},
      retry_policy: { max_retries: 4, backoff: 'exponential' },
      filters: {},
      owner: '',
      tags: [],
      note: '',
      managed_by: null,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: one.body.data['created_at'],
      version: 1,
    });
    const first = await call('GET', `${PATH}?limit=2`);
    const second = await call('GET', `${PATH}?limit=2&cursor=${String(first.body.data['next_cursor'])}`);
    const shown = [first, second].flatMap(({ body }) => [body.data['webhooks']].flat());
    expect(shown).toEqual(ids.map((id) => expect.objectContaining({ webhook_id: id })));
    expect(JSON.stringify(shown)).not.toContain('secret');
    expect(second.body.data['next_cursor']).toBeNull();
    expect((await call('GET', `${PATH}?cursor=nonsense`)).status).toBe(400);
  });

  it('is for server keys of its game and environment only', async () => {
    const id = await made();
    const requests: [string, string, unknown?][] = [
      ['GET', `${PATH}/${id}`],
      ['PATCH', `${PATH}/${id}`, { enabled: false }],
      ['POST', `${PATH}/${id}/rotate-secret`],
      ['DELETE', `${PATH}/${id}`],
    ];
    const client = await gateway.key({ kind: 'client' });
    const strangers = [await gateway.key({ environment: 'test' }), await gateway.key({ game: 'other' })];
    for (const [method, path, body] of requests) {
      expect((await gateway.call(client, method, path, body)).status).toBe(403);
      for (const stranger of strangers) expect((await gateway.call(stranger, method, path, body)).status).toBe(404);
    }
    for (const stranger of strangers) {
      expect((await bodyOf(await gateway.call(stranger, 'GET', PATH))).data['webhooks']).toEqual([]);
    }
    expect(stored(id)).toMatchObject({ enabled: true, secret: 'first', version: 1 });
  });

  it('is changed field by field by PATCH; null sets the default', async () => {
    const id = await made({ headers: { 'X-A': '1' }, filters: { 'properties.a': { eq: 1 } } });
    const createdAt = stored(id).createdAt;
    const { status, headers, body } = await call('PATCH', `${PATH}/${id}`, {
      url: 'https://other.example.com/y',
      events: ['player.*', 'level_up'],
      enabled: false,
      headers: { 'X-B': '2' },
      retry_policy: { max_retries: 0 },
      filters: null,
    });
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body.data).toEqual({
      webhook_id: id,
      name: 'n',
      url: 'https://other.example.com/y',
      events: ['player.*', 'level_up'],
      enabled: false,
      headers: { 'X-B': '[hidden]' },
      retry_policy: { max_retries: 0, backoff: 'exponential' },
      filters: {},
      owner: '',
      tags: [],
      note: '',
      managed_by: null,
      created_at: new Date(createdAt).toISOString(),
      updated_at: expect.stringMatching(/^\d{4}-.*Z$/),
      version: 2,
    });
    expect((await call('GET', `${PATH}/${id}`)).body.data).toEqual(body.data);
    const bare = await call('PATCH', `${PATH}/${id}`, { name: null, enabled: null, headers: null, retry_policy: null });
    expect(bare.body.data).toMatchObject({
      name: 'other.example.com',
      enabled: true,
      headers: {},
      retry_policy: { max_retries: 4, backoff: 'exponential' },
      version: 3,
    });
  });

  it('gets no fact from before its creation, also after a change', async () => {
    const id = await made();
    const revision = entryOf(id)?.revision;
    await call('PATCH', `${PATH}/${id}`, { name: 'm' });
    await call('POST', `${PATH}/${id}/rotate-secret`);
    expect(stored(id).createdRevision).toBe(revision);
  });

  it.each([
    [{ url: 'http://hooks.example.com/' }, '/url'],
    [{ url: 'https://10.0.0.1/' }, '/url'],
    [{ url: null }, '/url'],
    [{ events: null }, '/events'],
    [{ events: ['player.craeted'] }, '/events/0'],
    [{ headers: { Host: 'x' } }, '/headers/Host'],
    [{ retry_policy: { max_retries: 11 } }, '/retry_policy/max_retries'],
    [{ filters: { a: { between: [1, 2] } } }, '/filters/a/between'],
    [{ secret: null }, '/secret'],
    [{ secret: '' }, '/secret'],
    // Libraries of Standard Webhooks read no key from these: no padding, for URLs, empty, with a blank, a signature.
    [{ secret: 'whsec_QUJDRA' }, '/secret'],
    [{ secret: 'whsec_-_8-_w==' }, '/secret'],
    [{ secret: 'whsec_' }, '/secret'],
    [{ secret: ' whsec_QUJDRA==' }, '/secret'],
    [{ secret: 'whsec_QUJDRA== ' }, '/secret'],
    [{ secret: 'v1,whsec_QUJDRA==' }, '/secret'],
    [{ secret: 'WHSEC_QUJDRA==' }, '/secret'],
    [{ filters: { 'data.properties.n': { eq: 1 } } }, '/filters/data.properties.n'],
    [{ filters: { n: { eq: 1 } } }, '/filters/n'],
    [{ colour: 'red' }, '/colour'],
  ])('refuses the change %j', async (some, path) => {
    const id = await made();
    const { status, body } = await call('PATCH', `${PATH}/${id}`, { name: 'm', ...some });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details.fields.map((field) => field.path)).toContain(path);
    expect(stored(id)).toMatchObject({ name: 'n', version: 1 });
  });

  it('states why the service disabled it, until it is enabled again', async () => {
    const id = await made();
    await disable(id);
    const disabled = { at: '2026-01-15T00:00:00.000Z', reason: 'gone' };
    expect((await call('GET', `${PATH}/${id}`)).body.data).toMatchObject({ enabled: false, disabled });
    expect((await call('PATCH', `${PATH}/${id}`, { name: 'm' })).body.data).toMatchObject({ disabled });
    const enabled = await call('PATCH', `${PATH}/${id}`, { enabled: true });
    expect(enabled.body.data).toMatchObject({ enabled: true });
    expect(enabled.body.data).not.toHaveProperty('disabled');
    expect(stored(id)).not.toHaveProperty('disabled');
  });

  it('changes only if If-Match names its current version, and once per Idempotency-Key', async () => {
    const id = await made();
    const stale = await call('PATCH', `${PATH}/${id}`, { name: 'm' }, { 'If-Match': '"7"' });
    expect([stale.status, stale.body.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
    const headers = { 'If-Match': '"1"', 'Idempotency-Key': 'k' };
    const first = await call('PATCH', `${PATH}/${id}`, { name: 'm' }, headers);
    const repeat = await call('PATCH', `${PATH}/${id}`, { name: 'm' }, headers);
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(repeat.body).toEqual(first.body);
    expect((await call('PATCH', `${PATH}/${id}`, { name: 'o' }, { 'Idempotency-Key': 'k' })).status).toBe(409);
    expect(stored(id)).toMatchObject({ name: 'm', version: 2 });
  });

  it('is deleted permanently; a repeat with the same Idempotency-Key succeeds, another request is 404', async () => {
    const id = await made();
    expect((await call('DELETE', `${PATH}/${id}`, undefined, { 'If-Match': '2' })).status).toBe(412);
    const headers = { 'Idempotency-Key': 'd' };
    const gone = await call('DELETE', `${PATH}/${id}`, undefined, headers);
    expect([gone.status, gone.body.data]).toEqual([200, { webhook_id: id, deleted: true }]);
    const repeat = await call('DELETE', `${PATH}/${id}`, undefined, headers);
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    for (const [method, path] of [
      ['DELETE', `${PATH}/${id}`],
      ['GET', `${PATH}/${id}`],
      ['POST', `${PATH}/${id}/rotate-secret`],
    ] as const) {
      expect((await call(method, path)).status).toBe(404);
    }
  });

  it('returns 503 while definitions cannot be written', async () => {
    const id = await made();
    gateway.config.down = true;
    expect((await call('PATCH', `${PATH}/${id}`, { name: 'm' })).status).toBe(503);
    expect((await call('POST', `${PATH}/${id}/rotate-secret`)).status).toBe(503);
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(503);
  });
});

describe('rotating a secret', () => {
  it('creates a secret, returns it once, and keeps the previous one for 24 hours', async () => {
    const id = await made();
    const before = Date.now();
    const { status, headers, body } = await call('POST', `${PATH}/${id}/rotate-secret`);
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body.data).toMatchObject({ webhook_id: id, name: 'n', version: 2 });
    expect(body.data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{32}$/);
    const until = Date.parse(String(body.data['previous_secret_until']));
    expect(until - before - WEBHOOK_LIMITS.webhookSecretOverlapMs).toBeLessThan(60_000);
    expect(until).toBeGreaterThanOrEqual(before + WEBHOOK_LIMITS.webhookSecretOverlapMs);
    expect(stored(id)).toMatchObject({ secret: body.data.secret, previousSecret: { secret: 'first', until } });
    expect((await call('GET', `${PATH}/${id}`)).body.data).not.toHaveProperty('secret');
  });

  it('accepts a secret of the caller, also twice', async () => {
    const id = await made();
    const rotate = () => call('POST', `${PATH}/${id}/rotate-secret`, { secret: 'second' });
    const first = await rotate();
    expect(first.body.data).toMatchObject({ secret: 'second', version: 2 });
    const second = await rotate();
    expect(second.body.data).toMatchObject({
      secret: 'second',
      previous_secret_until: first.body.data['previous_secret_until'],
    });
    expect(stored(id)).toMatchObject({ secret: 'second', previousSecret: { secret: 'first' } });
    const patched = await call('PATCH', `${PATH}/${id}`, { secret: 'third' });
    expect(patched.body.data).not.toHaveProperty('secret');
    expect(stored(id)).toMatchObject({ secret: 'third', previousSecret: { secret: 'second' } });
  });

  it('happens once per Idempotency-Key: the repeat returns the same secret', async () => {
    const id = await made();
    const rotate = (body?: unknown) =>
      call('POST', `${PATH}/${id}/rotate-secret`, body, { 'Idempotency-Key': 'r', 'If-Match': '1' });
    const first = await rotate();
    const repeat = await rotate();
    expect([repeat.status, repeat.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(repeat.body).toEqual(first.body);
    expect((await rotate({ secret: 'other' })).status).toBe(409);
    expect(stored(id)).toMatchObject({ version: 2, previousSecret: { secret: 'first' } });
  });

  it.each([
    ['{"secret":""}', 400],
    ['{"secret":7}', 400],
    ['{"size":7}', 400],
    ['[]', 400],
    ['nonsense', 400],
    ['{}', 200],
  ])('returns for the body %s the status %i', async (body, status) => {
    expect((await call('POST', `${PATH}/${await made()}/rotate-secret`, body)).status).toBe(status);
  });

  it('refuses a body that is not declared as JSON', async () => {
    const response = await fetch(`${gateway.url}${PATH}/${await made()}/rotate-secret`, {
      method: 'POST',
      headers: { 'X-API-Key': key, 'Content-Type': 'text/plain' },
      body: '{}',
    });
    expect(response.status).toBe(415);
  });
});
