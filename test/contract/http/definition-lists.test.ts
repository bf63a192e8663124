import { describe, expect, it } from 'vitest';
import { SWITCH, setUpFlags } from './flag-requests.ts';

const world = setUpFlags();
const { call } = world;

const QUERY = { kind: 'trend', metric: 'players' };
/** A list of each kind, what creates one of it, and how it is changed. */
const KINDS = [
  { path: '/v1/flags/flags', many: 'flags', id: 'key', body: { key: 'a', flag_type: 'boolean' } },
  { path: '/v1/segments/segments', many: 'segments', id: 'segment_id', body: { key: 'a', conditions: {} } },
  {
    path: '/v1/campaigns/campaigns',
    many: 'campaigns',
    id: 'campaign_id',
    body: { key: 'a', trigger: { event: 'won' }, content: { title: 't', body: 'b' } },
  },
  {
    path: '/v1/integrations/webhooks',
    many: 'webhooks',
    id: 'webhook_id',
    body: { name: 'a', url: 'https://hooks.example.com/a', events: ['*'] },
  },
  {
    path: '/v1/properties/properties',
    many: 'properties',
    id: 'key',
    body: { key: 'a', event: 'won', aggregate: 'count' },
  },
  { path: '/v1/events/schemas', many: 'schemas', id: 'event_name', body: { event_name: 'a', schema: {} } },
  { path: '/v1/analytics/saved-queries', many: 'saved_queries', id: 'key', body: { key: 'a', query: QUERY } },
  {
    path: '/v1/analytics/annotations',
    many: 'annotations',
    id: 'annotation_id',
    body: { text: 'a', at: '2026-01-15' },
  },
];

const list = async (path: string, query = '') => {
  const { status, body } = await call('GET', `${path}${query}`);
  return { status, error: body.error, data: body.data };
};
const keysIn = (data: Record<string, unknown>, many = 'flags', id = 'key'): unknown[] => {
  const items: unknown = data[many];
  return Array.isArray(items) ? items.map((item: Record<string, unknown>) => item[id]) : [];
};
const sought = async (query: string) => keysIn((await list('/v1/flags/flags', query)).data);

describe.each(KINDS)('owner, tags and note in $many', ({ path, many, id, body }) => {
  it('are stored, shown, found and removed', async () => {
    const made = await call('POST', path, { ...body, owner: ' Ann ', tags: ['Shop', 'Q1 ', 'shop'], note: 'Ask Ann.' });
    expect(made.status).toBe(201);
    const labels = { owner: 'Ann', tags: ['shop', 'q1'], note: 'Ask Ann.' };
    expect(made.body.data).toMatchObject(labels);
    const key = made.body.data[id];
    for (const query of ['?tag=SHOP', '?search=aNN', '?search=q1', '?tag=q1&search=ann&sort=name&order=desc']) {
      const { data } = await list(path, query);
      expect(data[many], query).toMatchObject([{ [id]: key, ...labels }]);
    }
    for (const query of ['?tag=sho', '?search=nobody', '?search=hooks.example']) {
      expect(keysIn((await list(path, query)).data, many, id), query).toEqual([]);
    }
    const item = `${path}/${String(key)}`;
    const none = { owner: null, tags: null, note: null };
    const method = (await call('PATCH', item, {})).status === 200 ? 'PATCH' : 'PUT';
    const whole = method === 'PUT' ? { ...body, version: 1 } : { version: 2 };
    const kept = await call(method, item, whole);
    expect(kept.body.data).toMatchObject(labels);
    const version = Number(kept.body.data['version']);
    expect((await call(method, item, { ...whole, ...none, version })).status).toBe(200);
    const { data } = (await call('GET', item)).body;
    expect(data).toMatchObject({ owner: '', tags: [], note: '', version: version + 1 });
  });

  it('have bounds', async () => {
    for (const [field, value] of [
      ['owner', 'o'.repeat(201)],
      ['tags', Array.from({ length: 21 }, (_, n) => `t${n}`)],
      ['tags', ['t'.repeat(65)]],
      ['tags', [' ']],
      ['tags', ['a\nb']],
      ['note', 'n'.repeat(2_001)],
    ] as const) {
      const { status, body: refused } = await call('POST', path, { ...body, [field]: value });
      expect([status, JSON.stringify(refused.error.details)], field).toEqual([
        400,
        expect.stringContaining(`/${field}`),
      ]);
    }
    expect(keysIn((await list(path)).data, many, id)).toEqual([]);
  });
});

describe('the list of flags', () => {
  const create = (key: string, some: object = {}) => call('POST', '/v1/flags/flags', { ...SWITCH, key, ...some });

  it('finds text in key, name, description, owner and tags, whatever its case', async () => {
    await create('shop_new', { name: 'One' });
    await create('b', { name: 'The SHOP' });
    await create('c', { description: 'for shops' });
    await create('d', { owner: 'shop team' });
    await create('e', { tags: ['workshop'] });
    await create('f', { note: 'shop' });
    expect(await sought('?search=Shop')).toEqual(['b', 'c', 'd', 'e', 'shop_new']);
    expect(await sought('?search=%20')).toHaveLength(6);
    expect(await sought('?search=(shop')).toEqual([]);
  });

  it('chooses by state, and refuses one that the kind does not have', async () => {
    await create('on');
    await create('off', { enabled: false });
    await create('gone');
    await call('DELETE', '/v1/flags/flags/gone');
    expect(await sought('')).toEqual(['off', 'on']);
    expect(await sought('?state=enabled')).toEqual(['on']);
    expect(await sought('?state=disabled')).toEqual(['off']);
    expect(await sought('?state=archived&search=GO')).toEqual(['gone']);
    expect(await sought('?state=archived&search=on&sort=name')).toEqual(['gone']);
    for (const path of ['/v1/flags/flags?state=warn', '/v1/segments/segments?state=archived']) {
      expect((await list(path)).status, path).toBe(400);
    }
    const schema = { event_name: 'won', schema: {}, mode: 'warn' };
    await call('POST', '/v1/events/schemas', schema);
    expect((await list('/v1/events/schemas?state=warn')).data['schemas']).toHaveLength(1);
    expect((await list('/v1/events/schemas?state=enforce')).data['schemas']).toHaveLength(0);
  });

  it('sorts by key, name and times, both ways', async () => {
    await create('a', { name: 'zebra' });
    await create('b', { name: 'Yak' });
    await create('c', { name: 'yak' });
    await call('PATCH', '/v1/flags/flags/a', { note: 'changed last' });
    expect(await sought('?sort=key&order=desc')).toEqual(['c', 'b', 'a']);
    expect(await sought('?sort=name')).toEqual(['b', 'c', 'a']);
    expect(await sought('?sort=name&order=desc')).toEqual(['a', 'c', 'b']);
    const times = world.stored().map(({ key, updatedAt, createdAt }) => ({ key, updatedAt, createdAt }));
    for (const [sort, field] of [
      ['updated_at', 'updatedAt'],
      ['created_at', 'createdAt'],
    ] as const) {
      const expected = times.toSorted((one, other) => one[field] - other[field] || (one.key < other.key ? -1 : 1));
      expect(await sought(`?sort=${sort}`)).toEqual(expected.map(({ key }) => key));
      expect(await sought(`?sort=${sort}&order=desc`)).toEqual(expected.toReversed().map(({ key }) => key));
    }
    expect((await list('/v1/flags/flags', '?sort=owner')).status).toBe(400);
  });

  it('has each flag that does not change on one page, in every order, and refuses the cursor of another order', async () => {
    for (const key of ['a', 'b', 'c', 'd', 'e']) await create(key, { name: `name ${key}` });
    for (const order of ['sort=name&order=desc', 'sort=updated_at&order=desc', 'sort=updated_at', 'sort=key']) {
      const seen: unknown[] = [];
      let cursor = '';
      for (let page = 0; cursor !== 'null'; page += 1) {
        const { data } = await list('/v1/flags/flags', `?${order}&limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
        seen.push(...keysIn(data));
        cursor = String(data['next_cursor']);
        if (page === 0) {
          expect((await list('/v1/flags/flags', `?sort=created_at&cursor=${cursor}`)).error).toMatchObject({
            code: 'VALIDATION_ERROR',
            details: { fields: [{ path: 'cursor' }] },
          });
          await call('PATCH', '/v1/flags/flags/c', { note: order });
        }
      }
      const others = seen.filter((key) => key !== 'c');
      expect(new Set(others), order).toEqual(new Set(['a', 'b', 'd', 'e']));
      expect(others, order).toHaveLength(4);
    }
  });

  it('pages by long names of any letters', async () => {
    const name = '𝒳'.repeat(64);
    for (const key of ['a'.repeat(64), 'b'.repeat(64)]) await create(key, { name });
    const first = await list('/v1/flags/flags', '?sort=name&limit=1');
    const second = await list('/v1/flags/flags', `?sort=name&limit=1&cursor=${String(first.data['next_cursor'])}`);
    expect([keysIn(first.data), keysIn(second.data)]).toEqual([['a'.repeat(64)], ['b'.repeat(64)]]);
  });
});

describe('a change of owner, tags, note, name or description only', () => {
  it('leaves the definitions for servers and the period as they are, and is a version', async () => {
    const segment = await call('POST', '/v1/segments/segments', { key: 's', conditions: { is_payer: true } });
    const id = String(segment.body.data['segment_id']);
    await call('POST', '/v1/flags/flags', { ...SWITCH, targeting_rules: [{ segment_id: id, percentage: 50 }] });
    const before = await call('GET', '/v1/flags/definitions');
    const labels = { owner: 'o', tags: ['t'], note: 'n', name: 'N', description: 'd' };
    const patched = await call('PATCH', '/v1/flags/flags/switch', labels);
    expect(patched.body.data).toMatchObject({ ...labels, version: 2, edit_effect: 'none' });
    const put = { key: 's', conditions: { is_payer: true }, version: 1, ...labels };
    expect((await call('PUT', `/v1/segments/segments/${id}`, put)).body.data).toMatchObject({ ...labels, version: 2 });
    const after = await call('GET', '/v1/flags/definitions');
    expect([after.headers.get('etag'), after.body.data]).toEqual([before.headers.get('etag'), before.body.data]);
    expect(JSON.stringify(after.body.data)).not.toContain('owner');
    expect(world.stored()[0]?.periods).toHaveLength(1);

    await call('PATCH', '/v1/flags/flags/switch', { enabled: false, note: 'and this' });
    const changed = await call('GET', '/v1/flags/definitions');
    expect(changed.headers.get('etag')).not.toBe(before.headers.get('etag'));
    expect(changed.body.data['flags']).toMatchObject([{ enabled: false, version: 3 }]);
    await call('PATCH', '/v1/flags/flags/switch', { note: 'once more' });
    expect((await call('GET', '/v1/flags/definitions')).body.data).toEqual(changed.body.data);
  });
});

// A lone surrogate, half a character, half an escape, a byte that is no UTF-8, and U+0000.
it.each(['%ED%A0%80', '%C3', '%e', '100%', '%FF', 'a%00', 'a&tag=%F5'])(
  'refuses search=%s, which is no percent-encoded UTF-8',
  async (text) => {
    const { status, error } = await list('/v1/flags/flags', `?search=${text}`);
    expect([status, error]).toMatchObject([400, { details: { fields: [{ path: 'query' }] } }]);
  },
);
