import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMPUTED_LIMITS } from '../../../actors/properties/limits.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createFakeLedger } from '../../support/in-memory/fake-ledger.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
});
afterEach(() => gateway.close());

const PATH = '/v1/properties/properties';
const SEGMENTS = '/v1/segments/segments';
const GOOD = {
  key: 'gems_spent',
  event: 'item_bought',
  where: { 'properties.currency': 'gems' },
  aggregate: 'sum',
  value: 'properties.amount',
  within_days: 30,
};
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
};
const faultsOf = async (path: string, body: unknown) => {
  const { status, body: answered } = await call('POST', path, body);
  expect(status).toBe(400);
  return answered.error?.details.fields?.map((fault: { path: string }) => fault.path);
};
const counting = (name: string, more: object = {}) => ({ events: { name, count: { $gte: 1 }, ...more } });

describe('a computed property', () => {
  it('is created, read, replaced with its version, listed and deleted', async () => {
    const made = await call('POST', PATH, GOOD);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({ ...GOOD, name: 'gems_spent', description: '', version: 1 });
    expect((await call('POST', PATH, GOOD)).status).toBe(409);
    const path = `${PATH}/gems_spent`;
    const got = await call('GET', path);
    expect(got.headers.get('etag')).toBe('"1"');
    const change = { ...got.body.data, within_days: null };
    expect((await call('PUT', path, change, { 'If-Match': '"7"' })).status).toBe(412);
    const put = await call('PUT', path, change, { 'If-Match': '"1"' });
    expect(put.body.data).toMatchObject({ within_days: null, version: 2 });
    const listed = await call('GET', PATH);
    expect(listed.body.data['properties']).toHaveLength(1);
    expect((await call('DELETE', path)).status).toBe(200);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('is refused where it could not be computed', async () => {
    expect(await faultsOf(PATH, { ...GOOD, aggregate: 'count' })).toEqual(['/value']);
    expect(await faultsOf(PATH, { ...GOOD, value: 'amount' })).toEqual(['/value']);
    expect(await faultsOf(PATH, { ...GOOD, value: null })).toEqual(['/value']);
    expect(await faultsOf(PATH, { ...GOOD, value: 'properties.a..b' })).toEqual(['/value']);
    expect(await faultsOf(PATH, { ...GOOD, within_days: 91 })).toEqual(['/within_days']);
    expect(await faultsOf(PATH, { ...GOOD, key: 'a b' })).toEqual(['/key']);
    expect(await faultsOf(PATH, { ...GOOD, where: { 'attributes.level': 1 } })).toEqual(['/where/attributes.level']);
    expect(await faultsOf(PATH, { ...GOOD, where: { 'properties.a': { $regex: 'x' } } })).toEqual(['/where']);
  });

  it('cannot be deleted while a condition reads it, and a condition cannot read one that is not there', async () => {
    const conditions = { $or: [{ 'computed.gems_spent': { $gte: 5 } }] };
    expect(await faultsOf(SEGMENTS, { key: 'rich', conditions })).toEqual(['/conditions']);
    await call('POST', PATH, GOOD);
    expect((await call('POST', SEGMENTS, { key: 'rich', conditions })).status).toBe(201);
    const refused = await call('DELETE', `${PATH}/gems_spent`);
    expect([refused.status, refused.body.error?.details]).toMatchObject([409, { segments: ['rich'] }]);
  });
});

describe('a condition on events', () => {
  it('is refused with the member that is wrong', async () => {
    const faults = async (events: unknown) => faultsOf(SEGMENTS, { key: 'stuck', conditions: { events } });
    expect(await faults(3)).toEqual(['/conditions/events']);
    expect(await faults({ name: 'a', count: 1, within: 7 })).toEqual(['/conditions/events/within']);
    expect(await faults({ name: '', count: 1 })).toEqual(['/conditions/events/name']);
    expect(await faults({ name: 'a' })).toEqual(['/conditions/events/count']);
    expect(await faults({ name: 'a', count: { $above: 1 } })).toEqual(['/conditions/events/count/$above']);
    expect(await faults({ name: 'a', count: 1, within_days: 0 })).toEqual(['/conditions/events/within_days']);
    expect(await faults({ name: 'a', count: 1, where: [] })).toEqual(['/conditions/events/where']);
    expect(await faults({ name: 'a', count: 1, where: { level: 3 } })).toEqual(['/conditions/events/where/level']);
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`properties.p${n}`, n]));
    expect(await faults({ name: 'a', count: 1, where: many })).toEqual(['/conditions/events/where']);
  });

  it('shares the bounds of computed properties with all definitions', async () => {
    const parts = Array.from({ length: STATE_LIMITS.computedPerEvent }, (_, n) =>
      counting('lost', { where: { 'properties.level': n } }),
    );
    expect((await call('POST', SEGMENTS, { key: 'one', conditions: { $or: parts } })).status).toBe(201);
    const same = { key: 'same', conditions: { $and: parts } };
    expect((await call('POST', SEGMENTS, same)).status).toBe(201);
    expect(await faultsOf(SEGMENTS, { key: 'more', conditions: counting('lost') })).toEqual(['/conditions']);
    const trigger = { event: 'won', conditions: counting('lost') };
    const refused = await call('POST', '/v1/campaigns/campaigns', { key: 'c', trigger, content: { title: 'x' } });
    expect(refused.status).toBe(400);
    const others = Array.from({ length: COMPUTED_LIMITS.computedProperties }, (_, n) => counting(`e${n}`));
    expect(await faultsOf(SEGMENTS, { key: 'all', conditions: { $or: others } })).toEqual(['/conditions']);
    const wide = Array.from({ length: 23 }, (_, n) => counting(`e${n}`, { within_days: 90 }));
    expect(await faultsOf(SEGMENTS, { key: 'wide', conditions: { $or: wide } })).toEqual(['/conditions']);
    expect((await call('POST', SEGMENTS, { key: 'long', conditions: { $or: wide.slice(1) } })).status).toBe(201);
  });
});
