import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

/* Archived flags, and changes of definitions that meet each other. */

let gateway: Gateway;
let server: string;
beforeEach(async () => {
  gateway = await startGateway();
  server = await gateway.key();
});
afterEach(() => gateway.close());

async function call(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await gateway.call(server, method, path, body, headers);
  return { status: response.status, ...(await bodyOf(response)) };
}
const FLAGS = '/v1/flags/flags';
const create = (key: string, more = {}) => call('POST', FLAGS, { key, flag_type: 'boolean', ...more });
const keysOf = async (query = '') =>
  JSON.stringify((await call('GET', `${FLAGS}${query}`)).data['flags']).match(/(?<="key":")[^"]+/g);

describe('an archived flag', () => {
  it('stays readable, keeps its key, and lives again', async () => {
    await create('shop', { description: 'the old shop', client_visible: false });
    await call('PATCH', `${FLAGS}/shop`, { default_value: true });
    expect((await call('DELETE', `${FLAGS}/shop`)).status).toBe(200);
    expect((await call('GET', `${FLAGS}/shop`)).status).toBe(404);
    expect(await call('GET', `${FLAGS}/shop?state=archived`)).toMatchObject({
      status: 200,
      data: { key: 'shop', description: 'the old shop', archived_at: expect.any(String) },
    });
    expect([await keysOf(), await keysOf('?state=archived')]).toEqual([null, ['shop']]);
    for (const path of ['results?metric=m', 'exposures']) {
      // Without ClickHouse there are no figures, but there is a flag.
      expect((await call('GET', `${FLAGS}/shop/${path}`)).status).toBe(503);
      expect((await call('GET', `${FLAGS}/none/${path}`)).status).toBe(404);
    }
    expect(await create('shop')).toMatchObject({ status: 409, error: { details: { archived: true } } });
    expect((await call('PATCH', `${FLAGS}/shop`, { enabled: false })).status).toBe(404);

    const restored = await call('POST', `${FLAGS}/shop/restore`);
    expect(restored).toMatchObject({
      status: 200,
      data: { key: 'shop', default_value: true, client_visible: false, version: 4 },
    });
    expect(restored.data).not.toHaveProperty('archived_at');
    expect([await keysOf(), await keysOf('?state=archived')]).toEqual([['shop'], null]);
    expect(await call('POST', `${FLAGS}/shop/restore`)).toMatchObject({ status: 200, data: { version: 4 } });
    expect((await call('GET', `${FLAGS}/shop?state=archived`)).status).toBe(404);
    expect((await call('POST', `${FLAGS}/none/restore`)).status).toBe(404);
  });

  it('is not restored into a cycle, nor over a stale version', async () => {
    await create('a');
    await create('b');
    await call('PATCH', `${FLAGS}/a`, { prerequisites: [{ flag_key: 'b', value: true }] });
    await call('DELETE', `${FLAGS}/a`);
    expect((await call('POST', `${FLAGS}/a/restore`, undefined, { 'If-Match': '1' })).status).toBe(412);
    expect((await call('POST', `${FLAGS}/a/restore`, undefined, { 'If-Match': '3' })).status).toBe(200);
  });
});

describe('concurrent edits', () => {
  it('never make a cycle of prerequisites: one of them fails', async () => {
    for (const key of ['a', 'b', 'c']) await create(key);
    const needs = (key: string, other: string) =>
      call('PATCH', `${FLAGS}/${key}`, { prerequisites: [{ flag_key: other, value: true }] });
    const answers = await Promise.all([needs('a', 'b'), needs('b', 'c'), needs('c', 'a')]);
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 200, 400]);
    const { data } = await call('GET', FLAGS);
    expect(JSON.stringify(data).match(/"flag_key"/g)).toHaveLength(2);
  });
});

describe('the version in the body of a change', () => {
  it.each([
    ['flag', FLAGS, { key: 'v', flag_type: 'boolean' }, 'v', ['PUT', 'PATCH']],
    ['segment', '/v1/segments/segments', { key: 'v', conditions: { is_payer: true } }, 'segment_id', ['PUT']],
    ['event schema', '/v1/events/schemas', { event_name: 'v', schema: { type: 'object' } }, 'v', ['PUT']],
  ] as const)('of a %s must be the current one', async (_, path, body, id, methods) => {
    const made = await call('POST', path, body);
    expect(made.status).toBe(201);
    const item = `${path}/${id === 'segment_id' ? String(made.data[id]) : id}`;
    for (const method of methods) {
      const { data } = await call('GET', item);
      const { version } = data;
      const stale = await call(
        method,
        item,
        method === 'PUT' ? { ...body, version: Number(version) + 1 } : { version: 99, enabled: false },
      );
      expect(stale).toMatchObject({ status: 412, error: { details: { version } } });
      expect((await call('GET', item)).data).toEqual(data);
      const current = method === 'PUT' ? { ...body, version } : { version, enabled: false };
      expect(await call(method, item, current)).toMatchObject({ status: 200, data: { version: Number(version) + 1 } });
    }
  });
});

describe('a segment in use', () => {
  it('cannot be switched off, as it cannot be deleted', async () => {
    const { data } = await call('POST', '/v1/segments/segments', { key: 's', conditions: { is_payer: true } });
    const path = `/v1/segments/segments/${String(data['segment_id'])}`;
    const off = { conditions: { is_payer: true }, enabled: false, version: 1 };
    await create('f', { targeting_rules: [{ segment_id: data['segment_id'] }] });
    const refused = await call('PUT', path, off);
    expect(refused).toMatchObject({ status: 409, error: { details: { flags: ['f'] } } });
    expect((await call('DELETE', path)).error).toEqual(refused.error);
    await call('PATCH', `${FLAGS}/f`, { targeting_rules: [] });
    expect((await call('PUT', path, off)).status).toBe(200);
    // What is off already is no change.
    await create('g', { targeting_rules: [{ segment_id: data['segment_id'] }] });
    expect((await call('PUT', path, { ...off, version: 2 })).status).toBe(200);
  });
});

describe('a key that a path cannot hold', () => {
  it.each(['.', '..'])('%s is refused', async (key) => {
    const made = await Promise.all([
      create(key),
      call('POST', '/v1/segments/segments', { key, conditions: { is_payer: true } }),
      call('POST', '/v1/events/schemas', { event_name: key, schema: { type: 'object' } }),
    ]);
    expect(made.map(({ status, error }) => [status, error.code])).toEqual(made.map(() => [400, 'VALIDATION_ERROR']));
    expect((await create(`${key}a`)).status).toBe(201);
  });
});
