import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ANALYTICS_LIMITS } from '../../../src/api/analytics/limits.ts';
import { createPeople, type People } from '../../support/browser/console-people.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

/* Notes of people on days: the API. Their rows are in test/contract/clickhouse/annotations.test.ts. */

let gateway: Gateway;
let people: People;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({
    config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
  });
  people = createPeople(gateway);
  key = await gateway.key();
});
afterAll(() => gateway.close());

const PATH = '/v1/analytics/annotations';
async function call(method: string, path = PATH, body?: object, headers: Record<string, string> = {}) {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, etag: response.headers.get('etag'), ...(await bodyOf(response)) };
}
const idIn = (data: Record<string, unknown>): string => String(data['annotation_id']);

describe('an annotation', () => {
  it('is on a day or at a moment, is changed in parts, listed and deleted', async () => {
    const made = await call('POST', PATH, { text: 'Release', at: '2026-01-15' });
    expect([made.status, made.etag]).toEqual([201, '"1"']);
    expect(made.data).toMatchObject({ text: 'Release', at: '2026-01-15', link: null, version: 1 });
    expect(made.data['made_by']).toMatchObject({ kind: 'key', email: null });
    const path = `${PATH}/${idIn(made.data)}`;
    const moment = await call('PATCH', path, { at: '2026-01-15T10:00:00+02:00' });
    expect(moment.data).toMatchObject({ text: 'Release', at: '2026-01-15T08:00:00.000Z', version: 2 });
    expect((await call('PATCH', path, { text: 'x' }, { 'If-Match': '"1"' })).status).toBe(412);
    const { data } = await call('GET');
    expect(data).toEqual({ annotations: [moment.data], next_cursor: null });
    expect((await call('DELETE', path)).status).toBe(200);
    expect((await call('GET', path)).status).toBe(404);
  });

  it('may link to a definition that exists, and keeps the link when that is archived', async () => {
    await gateway.call(key, 'POST', '/v1/flags/flags', { key: 'shop', flag_type: 'boolean', enabled: true });
    const experiment = {
      key: 'wide',
      flag_key: 'shop',
      variants: ['false', 'true'].map((value) => ({ key: value, weight: 1 })),
    };
    expect((await gateway.call(key, 'POST', '/v1/experiments/experiments', experiment)).status).toBe(201);
    const ofNone = { text: 'x', at: '2026-01-15', link: { kind: 'experiment', key: 'shop' } };
    expect((await call('POST', PATH, ofNone)).status).toBe(400);
    const segment = await call('POST', '/v1/segments/segments', { key: 'all', name: 'All', conditions: {} });
    const id = String(segment.data['segment_id']);
    for (const link of [
      { kind: 'flag', key: 'shop' },
      { kind: 'experiment', key: 'wide' },
      { kind: 'segment', key: id },
    ]) {
      const made = await call('POST', PATH, { text: 'x', at: '2026-01-15', link });
      expect([made.status, made.data['link']]).toEqual([201, link]);
      await call('DELETE', `${PATH}/${idIn(made.data)}`);
    }
    const made = await call('POST', PATH, { text: 'x', at: '2026-01-15', link: { kind: 'flag', key: 'shop' } });
    await call('DELETE', '/v1/flags/flags/shop');
    const path = `${PATH}/${idIn(made.data)}`;
    expect((await call('PATCH', path, { text: 'y' })).data).toMatchObject({ text: 'y', link: { key: 'shop' } });
    expect((await call('PATCH', path, { link: { kind: 'flag', key: 'shop' } })).status).toBe(400);
    expect((await call('PATCH', path, { link: null })).data).toMatchObject({ link: null });
    await call('DELETE', path);
  });

  it.each([
    [{ at: '2026-01-15' }, '/text'],
    [{ text: '', at: '2026-01-15' }, '/text'],
    [{ text: ' ', at: '2026-01-15' }, '/text'],
    [{ text: 'x'.repeat(ANALYTICS_LIMITS.annotationChars + 1), at: '2026-01-15' }, '/text'],
    [{ text: 'x' }, '/at'],
    [{ text: 'x', at: '2026-02-30' }, '/at'],
    [{ text: 'x', at: 'yesterday' }, '/at'],
    [{ text: 'x', at: '1970-01-01' }, '/at'],
    [{ text: 'x', at: '1970-01-01T23:59:59.999Z' }, '/at'],
    [{ text: 'x', at: '2149-01-01' }, '/at'],
    [{ text: 'x', at: '2299-12-31T00:00:00Z' }, '/at'],
    [{ text: 'x', at: '2026-01-15', link: { kind: 'webhook', key: 'a' } }, '/link/kind'],
    [{ text: 'x', at: '2026-01-15', link: { kind: 'flag' } }, '/link/key'],
    [{ text: 'x', at: '2026-01-15', link: { kind: 'flag', key: 'gone' } }, '/link/key'],
    [{ text: 'x', at: '2026-01-15', link: { kind: 'campaign', key: 'cmp_gone' } }, '/link/key'],
    [{ text: 'x', at: '2026-01-15', day: '2026-01-15' }, '/day'],
  ])('is refused as %j, by the field', async (body, field) => {
    const { status, error } = await call('POST', PATH, body);
    expect([status, error.details?.['fields']]).toMatchObject([400, [{ path: field }]]);
    expect((await call('GET')).data['annotations']).toEqual([]);
  });

  it('is written by analysts and read by viewers, who see who made it; keys see no addresses', async () => {
    const role = (name: 'viewer' | 'analyst') => ({ game: 'demo', environment: 'live', role: name }) as const;
    const [viewer, analyst] = [await people.signedIn(role('viewer')), await people.signedIn(role('analyst'))];
    const body = { text: 'Sale', at: '2026-01-15' };
    expect((await viewer.call('POST', PATH, body)).status).toBe(403);
    const made = await analyst.call('POST', PATH, body);
    expect(made.status).toBe(201);
    const { data } = await bodyOf(made);
    const by = { kind: 'user', id: analyst.id, email: analyst.email };
    expect((await bodyOf(await viewer.call('GET', PATH))).data).toMatchObject({ annotations: [{ made_by: by }] });
    expect((await call('GET')).data).toMatchObject({ annotations: [{ made_by: { ...by, email: null } }] });
    await call('DELETE', `${PATH}/${idIn(data)}`);
  });

  it('has a maximum number in a game and environment', async () => {
    for (let n = 0; n < ANALYTICS_LIMITS.annotations; n += 1) {
      expect((await call('POST', PATH, { text: `n${n}`, at: '2026-01-15' })).status).toBe(201);
    }
    const { status, error } = await call('POST', PATH, { text: 'one more', at: '2026-01-15' });
    expect([status, error.message]).toEqual([409, expect.stringContaining('has 500 annotations, the maximum')]);
  });
});
