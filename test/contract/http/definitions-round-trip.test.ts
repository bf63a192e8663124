import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { aPlayer, accept, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { isWhole, sendRaw } from '../../support/wire/raw-http.ts';

/* The service takes its own answers back: what GET answers can be edited and sent again. */

let gateway: Gateway;
let server: string;
beforeAll(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  server = await gateway.key();
  await send('POST', '/v1/flags/flags', { key: 'tried', flag_type: 'boolean' });
});
afterAll(() => gateway.close());

async function send(
  method: string,
  path: string,
  body?: unknown,
  etag = '',
): Promise<{ status: number | undefined; data: Record<string, unknown>; etag: string; code?: string }> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const head =
    `${method} ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${server}\r\nContent-Type: application/json\r\n` +
    `${etag === '' ? '' : `If-Match: ${etag}\r\n`}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n`;
  const answer = await sendRaw(gateway.port, [head + text], isWhole);
  const start = answer.text.indexOf('\r\n\r\n') + 4;
  const { data = {}, error } = JSON.parse(Buffer.from(answer.text.slice(start), 'latin1').toString('utf8'));
  return { status: answer.status, code: error?.code, data, etag: /etag: (\S+)/i.exec(answer.text)?.[1] ?? '' };
}

const SEGMENTS = '/v1/segments/segments';
const KINDS: readonly {
  name: string;
  path: string;
  id: string;
  body: Record<string, unknown>;
  writes: readonly string[];
}[] = [
  {
    name: 'segment',
    path: SEGMENTS,
    id: 'segment_id',
    body: { key: 'spenders', name: 'S', conditions: { 'attributes.level': { $gte: 3 } } },
    writes: ['PUT'],
  },
  {
    name: 'static segment',
    path: SEGMENTS,
    id: 'segment_id',
    body: { key: 'listed', name: 'S', kind: 'static' },
    writes: ['PUT'],
  },
  {
    name: 'flag',
    path: '/v1/flags/flags',
    id: 'key',
    body: {
      key: 'shop',
      flag_type: 'multivariate',
      variants: [
        { key: 'a', weight: 50, value: 'x' },
        { key: 'b', weight: 50, value: 'y' },
      ],
      targeting_rules: [{ percentage: 50, start_at: '2026-01-01T00:00:00Z' }],
    },
    writes: ['PUT', 'PATCH'],
  },
  {
    name: 'experiment',
    path: '/v1/experiments/experiments',
    id: 'key',
    body: {
      key: 'wide',
      flag_key: 'tried',
      variants: [
        { key: 'false', weight: 50 },
        { key: 'true', weight: 50 },
      ],
      audience: { conditions: { 'attributes.level': { $gte: 3 } } },
      layer: { key: 'shop', from: 0, to: 50 },
      primary: { aggregate: 'conversion', metric: 'bought' },
      guardrails: [{ metric: { aggregate: 'revenue', winsorize: 0.99 }, worse: 'lower', action: 'pause' }],
      plan: { mde: 0.05, ends_at: '2026-03-01T00:00:00Z' },
    },
    writes: ['PUT', 'PATCH'],
  },
  {
    name: 'campaign',
    path: '/v1/campaigns/campaigns',
    id: 'campaign_id',
    body: {
      key: 'comeback',
      name: 'C',
      trigger: { event: 'level_failed' },
      content: { title: 'T', body: 'B', cta: 'Go' },
      start_at: '2026-01-01T00:00:00Z',
    },
    writes: ['PUT', 'PATCH'],
  },
  {
    name: 'webhook',
    path: '/v1/integrations/webhooks',
    id: 'webhook_id',
    body: { url: 'https://hooks.example.com/x', events: ['level_*'], filters: { 'properties.n': { gte: 1 } } },
    writes: ['PATCH'],
  },
  {
    name: 'event schema',
    path: '/v1/events/schemas',
    id: 'event_name',
    body: { event_name: 'e', mode: 'warn', schema: { type: 'object', properties: { n: { type: 'integer' } } } },
    writes: ['PUT'],
  },
  {
    name: 'computed property',
    path: '/v1/properties/properties',
    id: 'key',
    body: { key: 'bosses', event: 'boss_beaten', aggregate: 'count', within_days: 7 },
    writes: ['PUT'],
  },
  {
    name: 'saved query',
    path: '/v1/analytics/saved-queries',
    id: 'key',
    body: { key: 'players', query: { kind: 'trend', metric: 'players', by: 'country' }, range_days: 7 },
    writes: ['PUT'],
  },
  {
    name: 'annotation',
    path: '/v1/analytics/annotations',
    id: 'annotation_id',
    body: { text: 'Version 2.0', at: '2026-01-15' },
    writes: ['PATCH'],
  },
];

/** Without what a change makes new. */
const content = (data: Record<string, unknown>) => ({ ...data, version: undefined, updated_at: undefined });

let flags = 0;
/** The key of an archived flag stays taken. */
const fresh = (body: Record<string, unknown>) => ('flag_type' in body ? { ...body, key: `flag-${++flags}` } : body);

describe.each(KINDS)('the answer of a $name', ({ path, id, body: sample, writes }) => {
  it.each(writes)('can be sent back by %s', async (method) => {
    const body = fresh(sample);
    const made = await send('POST', path, body);
    const item = `${path}/${String(made.data[id] ?? body[id])}`;
    const { status, data, etag } = await send('GET', item);
    expect(status).toBe(200);
    const written = await send(method, item, data, etag);
    expect(written.status).toBe(200);
    const after = await send('GET', item);
    expect(content(after.data)).toEqual(content(data));
    expect((await send('DELETE', item)).status).toBe(200);
  });

  it('can be created again elsewhere', async () => {
    const body = fresh(sample);
    const made = await send('POST', path, body);
    const item = `${path}/${String(made.data[id] ?? body[id])}`;
    const { data } = await send('GET', item);
    expect((await send('DELETE', item)).status).toBe(200);
    const again = await send('POST', path, fresh(data));
    expect(again.status).toBe(201);
    await send('DELETE', `${path}/${String(again.data[id] ?? body[id])}`);
  });

  it.each(writes)('is replaced by %s only with its version, and changed with no other one', async (method) => {
    const body = fresh(sample);
    const made = await send('POST', path, body);
    const item = `${path}/${String(made.data[id] ?? body[id])}`;
    const { data } = await send('GET', item);
    const { version, ...rest } = data;
    const none = await send(method, item, rest);
    expect([none.status, none.code]).toEqual(method === 'PUT' ? [428, 'PRECONDITION_REQUIRED'] : [200, undefined]);
    const current = Number(version) + Number(method === 'PATCH');
    const stale = await send(method, item, { ...rest, version: 7 });
    expect([stale.status, stale.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await send(method, item, { ...rest, version: current }, '"7"')).status).toBe(412);
    expect((await send('GET', item)).data['version']).toBe(current);
    expect((await send(method, item, { ...rest, version: current })).data['version']).toBe(current + 1);
    expect((await send(method, item, rest, '*')).data['version']).toBe(current + 2);
    await send('DELETE', item);
  });

  it('still may have no other field', async () => {
    expect((await send('POST', path, { ...fresh(sample), colour: 'red' })).status).toBe(400);
  });
});

describe('the answer of a player', () => {
  it('can be sent back to register and to change it', async () => {
    gateway.backend.reply = (call) =>
      call.body.kind === 'GetPlayer'
        ? { kind: 'player', created: false, player: aPlayer({ email: null, attributes: '{"a":1}' }) }
        : accept(call);
    const item = `/v1/players/players/${aPlayer().id}`;
    const { data } = await send('GET', item);
    expect((await send('PATCH', item, data)).status).toBe(200);
    expect((await send('POST', '/v1/players/players', data)).status).toBe(201);
    expect(gateway.backend.calls.at(-1)?.body).toMatchObject({ externalId: 'player_12345', attributes: '{"a":1}' });
    expect(gateway.backend.calls.at(-1)?.body).not.toHaveProperty('email');
  });
});

describe.each(KINDS.filter(({ id }) => id === 'event_name' || id === 'key').filter(({ name }) => name !== 'flag'))(
  'the key of a $name',
  ({ path, id, body, writes: [method = ''] }) => {
    it('goes on from its last version when it is made again, so that no old version is the current one', async () => {
      const item = `${path}/${String(body[id])}`;
      const first = await send('POST', path, body);
      expect((await send('DELETE', item)).status).toBe(200);
      const again = await send('POST', path, body);
      const deleted = Number(first.data['version']) + 1;
      expect([again.status, again.data['version'], again.etag]).toEqual([201, deleted + 1, `"${deleted + 1}"`]);
      expect((await send(method, item, body, first.etag)).code).toBe('PRECONDITION_FAILED');
      expect((await send('DELETE', item, undefined, first.etag)).code).toBe('PRECONDITION_FAILED');
      expect((await send(method, item, body, again.etag)).status).toBe(200);
      expect((await send('DELETE', item)).status).toBe(200);
    });
  },
);

it('exchange rates that are stored again go on from their last version', async () => {
  const path = '/v1/settings/exchange-rates';
  await send('PATCH', '/v1/settings', { currency: 'EUR' });
  const body = { rates: { USD: { '2026-01-15': 0.86 } } };
  const first = await send('PUT', path, body);
  expect((await send('DELETE', path)).status).toBe(200);
  const again = await send('PUT', path, body);
  expect([first.data['version'], again.data['version']]).toEqual([1, 3]);
  expect((await send('PUT', path, body, first.etag)).code).toBe('PRECONDITION_FAILED');
});
