import type { SegmentQuestion } from '../../../src/api/route/request-context.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEFINITION_LIMITS } from '../../../src/api/definitions/limits.ts';
import { IDEMPOTENCY_LIMITS } from '../../../actors/idempotency/limits.ts';
import { STATE_LIMITS } from '../../../core/vocabulary/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
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

const PATH = '/v1/segments/segments';
const GOOD = { name: 'Spenders', conditions: { is_payer: true } };
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
};
const create = (body: unknown, headers?: Record<string, string>) => call('POST', PATH, body, headers);
const made = async (body: unknown = GOOD): Promise<string> => {
  const { status, body: answered } = await create(body);
  expect(status).toBe(201);
  return String(answered.data['segment_id']);
};
const ascending = (a: number, b: number) => a - b;
const stored = () => gateway.config.list('segment').map((entry) => entry.document);
const aFlag = (segmentId: string, flagKey: string) =>
  call('POST', '/v1/flags/flags', {
    key: flagKey,
    flag_type: 'boolean',
    targeting_rules: [{ segment_id: segmentId }],
  });

describe('creating a segment', () => {
  it('returns 201 with its id, key and version, and stores it for its game and environment', async () => {
    const body = {
      key: 'spenders',
      name: 'Spenders',
      description: 'Bought something.',
      conditions: { $or: [{ is_payer: true }, { 'attributes.__proto__.x': { $in: [1, 'a', null] } }] },
      enabled: true,
    };
    const { status, headers, body: answered } = await create(body);
    expect(status).toBe(201);
    expect(answered.data).toEqual({
      ...body,
      kind: 'dynamic',
      includes: [],
      excludes: [],
      owner: '',
      tags: [],
      note: '',
      managed_by: null,
      segment_id: expect.stringMatching(/^seg_[0-9a-f-]{36}$/),
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: answered.data.created_at,
    });
    expect(headers.get('etag')).toBe('"1"');
    const [entry] = gateway.config.list('segment');
    expect(entry).toMatchObject({ game: 'demo', environment: 'live', key: answered.data['segment_id'] });
    expect(entry?.document).toMatchObject({ id: answered.data['segment_id'], key: 'spenders', version: 1 });
  });

  it.each([
    ['Spenders of the week', 'spenders-of-the-week'],
    ['  Größe & Ärger!  ', 'gro-e-arger'],
    ['v1.2_beta', 'v1.2_beta'],
    ['long '.repeat(24), 'long-'.repeat(20).slice(0, -1)],
  ])('derives the key from %j', async (name, made) => {
    expect((await create({ ...GOOD, name })).body.data['key']).toBe(made);
  });

  it('sets defaults for missing fields', async () => {
    const { body } = await create({ key: 'k', conditions: {} });
    expect(body.data).toMatchObject({ key: 'k', name: 'k', description: '', enabled: true, conditions: {} });
  });

  it.each([
    [{ conditions: undefined }, '/conditions'],
    [{ conditions: [] }, '/conditions'],
    [{ conditions: null }, '/conditions'],
    [{ conditions: { 'events.': {} } }, '/conditions/events.'],
    [{ conditions: { is_payer: {} } }, '/conditions/is_payer'],
    [{ conditions: { $and: [{ is_payer: true }, {}] } }, '/conditions/$and/1'],
    [{ conditions: { $not: {} } }, '/conditions/$not'],
    [{ conditions: { 'attributes.level': { $nin: [] } } }, '/conditions/attributes.level/$nin'],
    [{ conditions: { events: { name: '', count: { $gte: 1 } } } }, '/conditions/events/name'],
    [{ conditions: { attributes: { $near: 1 } } }, '/conditions'],
    [{ conditions: { 'attributes.level': { $gte: 5, $bogus: 1 } } }, '/conditions/attributes.level/$bogus'],
    [{ conditions: { $and: [{ is_payer: true }, { unknown_field: 1 }] } }, '/conditions/$and/1/unknown_field'],
    [{ conditions: { 'attributes.level': { $in: 5 } } }, '/conditions/attributes.level/$in'],
    [{ conditions: { 'context.platform': 'ios' } }, '/conditions/context.platform'],
    [{ name: undefined }, '/name'],
    [{ name: '' }, '/name'],
    [{ name: 'x'.repeat(TEXT_LIMITS.nameLength + 1) }, '/name'],
    [{ name: '日本' }, '/key'],
    [{ name: 5 }, '/name'],
    [{ key: 'a b' }, '/key'],
    [{ key: '' }, '/key'],
    [{ key: 'x'.repeat(101) }, '/key'],
    [{ description: 'x'.repeat(DEFINITION_LIMITS.descriptionLength + 1) }, '/description'],
    [{ enabled: 'yes' }, '/enabled'],
    [{ colour: 'red' }, '/colour'],
  ])('refuses %j', async (some, path) => {
    const { status, body } = await create({ ...GOOD, ...some });
    expect(status).toBe(400);
    expect(body.error.code).toBe('VALIDATION_ERROR');
    expect(body.error.details.fields.map((field) => field.path)).toContainEqual(expect.stringMatching(start(path)));
    expect(stored()).toEqual([]);
  });

  it('begins at version 1, whatever the answer of another segment held', async () => {
    const { status, body } = await create({ ...GOOD, version: 3, segment_id: 'seg_x' });
    expect([status, body.data['version']]).toEqual([201, 1]);
    expect(body.data['segment_id']).not.toBe('seg_x');
    expect(stored()).toMatchObject([{ version: 1 }]);
  });

  it('refuses conditions that are too large', async () => {
    const values = Array.from({ length: 9 }, () => 'x'.repeat(TEXT_LIMITS.stringBytes - 1));
    const { status, body } = await create({ ...GOOD, conditions: { 'attributes.a': { $in: values } } });
    expect(status).toBe(400);
    expect(body.error.details.fields[0]?.path).toBe('/conditions');
  });

  it('refuses conditions that are too expensive and names the operand, the bound and the remedy; stored ones may stay', async () => {
    const pattern = '(?:(?:[a-z]|.)*(?:a|b|.)?){8}(?:[a-z]?){10}[!?]';
    const conditions = {
      $or: Array.from({ length: 40 }, () => ({ 'attributes.a': { $elemMatch: { $regex: pattern } } })),
    };
    const { status, body } = await create({ ...GOOD, conditions });
    expect(status).toBe(400);
    const [fault, ...more] = body.error.details.fields;
    expect(more).toEqual([]);
    expect(fault?.path).toMatch(/^\/conditions\/\$or\/\d+\/attributes\.a\/\$elemMatch\/\$regex$/);
    expect(fault?.message).toMatch(/more than 500000 steps; use fewer or shorter regular expressions/);

    const id = await made();
    const [entry] = gateway.config.list('segment');
    const document = { ...entry!.document, conditions };
    await gateway.config.put({ game: 'demo', environment: 'live', kind: 'segment', key: document.id }, document);
    const renamed = await call('PUT', `${PATH}/${id}`, { ...GOOD, name: 'Renamed', conditions, version: 1 });
    expect([renamed.status, renamed.body.data['name']]).toEqual([200, 'Renamed']);
  });

  it('refuses a key that is taken, but not in another environment or game', async () => {
    await made({ ...GOOD, key: 'k' });
    const { status, body } = await create({ ...GOOD, key: 'k' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    for (const other of [{ environment: 'test' } as const, { game: 'other' }]) {
      key = await gateway.key(other);
      expect((await create({ ...GOOD, key: 'k' })).status).toBe(201);
    }
  });

  it('keeps one of two created concurrently with the same key', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => create({ ...GOOD, key: 'k' })));
    expect(answers.map(({ status }) => status).sort(ascending)).toEqual([201, 409, 409, 409, 409]);
    expect(stored()).toHaveLength(1);
  });

  it('has a maximum number per game and environment', async () => {
    const [first] = [await made()];
    const document = gateway.config.list('segment')[0]!.document;
    for (let n = 1; n < STATE_LIMITS.segmentsPerEnvironment; n++) {
      const address = { game: 'demo', environment: 'live', kind: 'segment', key: `seg_${n}` } as const;
      await gateway.config.put(address, { ...document, id: address.key, key: address.key });
    }
    const { status, body } = await create({ ...GOOD, name: 'one more' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect((await call('DELETE', `${PATH}/${first}`)).status).toBe(200);
    expect((await create({ ...GOOD, name: 'one more' })).status).toBe(201);
  });

  it('needs a server key', async () => {
    key = await gateway.key({ kind: 'client' });
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', `${PATH}/x`],
      ['PUT', `${PATH}/x`],
      ['DELETE', `${PATH}/x`],
    ] as const) {
      const { status, body } = await call(method, path, method.startsWith('P') ? GOOD : undefined);
      expect([status, body.error.code], `${method} ${path}`).toEqual([403, 'FORBIDDEN']);
    }
  });

  it('returns 503 while definitions cannot be written', async () => {
    gateway.config.down = true;
    const { status, headers } = await create(GOOD);
    expect(status).toBe(503);
    expect(headers.get('retry-after')).not.toBeNull();
  });
});

/** Whether a path is `prefix` or below it. */
const start = (path: string): RegExp => new RegExp(`^${path.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}(/|$)`);

describe('reading segments', () => {
  it('returns a segment by id with the progress of its latest edit', async () => {
    const id = await made();
    const { status, headers, body } = await call('GET', `${PATH}/${id}`);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ segment_id: id, ...GOOD });
    expect(body.data['evaluation']).toEqual({
      status: 'done',
      players_evaluated: 0,
      players_total: 0,
      players_over_budget: 0,
    });
    expect(headers.get('etag')).toBe('"1"');
  });

  it('returns how many players have been evaluated since the latest edit that concerns them', async () => {
    const revisions: number[] = [];
    const segmentProgress = async (question: SegmentQuestion) => {
      expect(question).toMatchObject({ game: 'demo', environment: 'live' });
      revisions.push(question.revision);
      return { evaluated: 70, total: 100, done: false, overBudget: 3, partitions: 2, filled: 2 };
    };
    const other = await startGateway({ configStore: gateway.config, segmentProgress });
    const id = await made();
    await call('PUT', `${PATH}/${id}`, { ...GOOD, conditions: {}, version: 1 });
    const { revision } = gateway.config;
    await call('PUT', `${PATH}/${id}`, { ...GOOD, conditions: {}, note: 'n', version: 2 });
    const { data } = await bodyOf(await other.call(key, 'GET', `${PATH}/${id}`));
    expect(data['evaluation']).toEqual({
      status: 'running',
      players_evaluated: 70,
      players_total: 100,
      players_over_budget: 3,
    });
    expect(revisions).toEqual([revision]);
    await other.close();
  });

  it('returns 503 while the progress is unavailable', async () => {
    const segmentProgress = () => Promise.reject(new Error('no broker'));
    const other = await startGateway({ configStore: gateway.config, segmentProgress });
    const response = await other.call(key, 'GET', `${PATH}/${await made()}`);
    expect([response.status, (await bodyOf(response)).error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await other.close();
  });

  it('returns 404 NOT_FOUND for an unknown segment and for one of another environment or game', async () => {
    const id = await made();
    for (const path of ['seg_nope', '..%2F', 'a%20b', '*', '%3E']) {
      const { status, body } = await call('GET', `${PATH}/${path}`);
      expect([status, body.error.code], path).toEqual([404, 'NOT_FOUND']);
    }
    for (const other of [{ environment: 'test' } as const, { game: 'other' }]) {
      key = await gateway.key(other);
      expect((await call('GET', `${PATH}/${id}`)).status).toBe(404);
      expect((await call('PUT', `${PATH}/${id}`, { ...GOOD, version: 1 })).status).toBe(404);
      expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(404);
    }
    expect(stored()).toHaveLength(1);
  });

  it('lists segments page by page', async () => {
    const ids: string[] = [];
    for (const name of ['c', 'a', 'b']) ids.push(await made({ ...GOOD, name }));
    const first = await call('GET', `${PATH}?limit=2`);
    expect(first.body.data['segments']).toMatchObject([{ segment_id: ids[0] }, { segment_id: ids[1] }]);
    const cursor = String(first.body.data['next_cursor']);
    const second = await call('GET', `${PATH}?limit=2&cursor=${cursor}`);
    expect(second.body.data).toMatchObject({ segments: [{ segment_id: ids[2] }], next_cursor: null });
    key = await gateway.key({ environment: 'test' });
    expect((await call('GET', PATH)).body.data).toEqual({ segments: [], next_cursor: null });
  });

  it.each(['limit=0', 'limit=501', 'limit=x', 'cursor=!', 'cursor='])('refuses ?%s', async (query) => {
    const { status, body } = await call('GET', `${PATH}?${query}`);
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
  });
});

describe('changing a segment', () => {
  it('replaces every field and increments the version', async () => {
    const id = await made({ ...GOOD, key: 'k', description: 'before', enabled: false });
    const { status, headers, body } = await call('PUT', `${PATH}/${id}`, {
      conditions: { session_count: { $gt: 1 } },
      version: 1,
    });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      segment_id: id,
      key: 'k',
      name: 'k',
      description: '',
      enabled: true,
      conditions: { session_count: { $gt: 1 } },
      version: 2,
    });
    expect(headers.get('etag')).toBe('"2"');
    expect((await call('GET', `${PATH}/${id}`)).body.data).toMatchObject(body.data);
  });

  it('accepts the response to GET', async () => {
    const id = await made();
    const { body } = await call('GET', `${PATH}/${id}`);
    const { status, body: put } = await call('PUT', `${PATH}/${id}`, { ...body.data, name: 'New' });
    expect([status, put.data['name'], put.data['version']]).toEqual([200, 'New', 2]);
  });

  it.each(['1', '"1"', 'W/"1"', '*'])('succeeds with If-Match: %s for the current version', async (value) => {
    const id = await made();
    expect((await call('PUT', `${PATH}/${id}`, GOOD, { 'If-Match': value })).status).toBe(200);
  });

  it('is refused with 412 when If-Match names another version, and changes nothing', async () => {
    const id = await made();
    for (const method of ['PUT', 'DELETE']) {
      const body = method === 'PUT' ? GOOD : undefined;
      const answered = await call(method, `${PATH}/${id}`, body, { 'If-Match': '"2"' });
      expect([answered.status, answered.body.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
    }
    expect(stored()).toMatchObject([{ version: 1 }]);
  });

  it.each(['x', '"1', '1"', '-1', '1, 2'])('refuses If-Match: %s', async (value) => {
    const id = await made();
    const { status, body } = await call('PUT', `${PATH}/${id}`, GOOD, { 'If-Match': value });
    expect([status, body.error.details.fields[0]?.path]).toEqual([400, 'If-Match']);
  });

  it.each([
    [{ key: 'other' }, '/key'],
    [{ conditions: { unknown_field: 1 } }, '/conditions/unknown_field'],
    [{ conditions: undefined }, '/conditions'],
    [{ colour: 'red' }, '/colour'],
  ])('refuses %j', async (some, path) => {
    const id = await made();
    const { status, body } = await call('PUT', `${PATH}/${id}`, { ...GOOD, version: 1, ...some });
    expect([status, body.error.details.fields[0]?.path]).toEqual([400, path]);
    expect(stored()).toMatchObject([{ version: 1 }]);
  });

  it('concurrently by many creates one version each', async () => {
    const id = await made();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => call('PUT', `${PATH}/${id}`, { ...GOOD, name: String(n) }, { 'If-Match': '*' })),
    );
    expect(answers.map(({ body }) => Number(body.data['version'])).sort(ascending)).toEqual([2, 3, 4, 5]);
    expect(stored()).toMatchObject([{ version: 5 }]);
  });

  it('concurrently by many with the same If-Match succeeds once', async () => {
    const id = await made();
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => call('PUT', `${PATH}/${id}`, { ...GOOD, name: String(n) }, { 'If-Match': '1' })),
    );
    expect(answers.map(({ status }) => status).sort(ascending)).toEqual([200, 412, 412, 412]);
  });
});

describe('deleting a segment', () => {
  it('removes it', async () => {
    const id = await made();
    const { status, body } = await call('DELETE', `${PATH}/${id}`, undefined, { 'If-Match': '1' });
    expect([status, body.data]).toEqual([200, { segment_id: id, deleted: true }]);
    expect((await call('GET', `${PATH}/${id}`)).status).toBe(404);
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(404);
    expect(await made()).not.toBe(id);
  });

  it('is refused while flag rules use it, and the error names the flags; deleted flags do not count', async () => {
    const id = await made();
    for (const flag of ['one', 'two', 'gone']) expect((await aFlag(id, flag)).status).toBe(201);
    expect((await call('DELETE', '/v1/flags/flags/gone')).status).toBe(200);
    const { status, body } = await call('DELETE', `${PATH}/${id}`);
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    expect(body.error.details).toMatchObject({ flags: ['one', 'two'] });
    for (const flag of ['one', 'two']) await call('PATCH', `/v1/flags/flags/${flag}`, { targeting_rules: [] });
    expect((await call('DELETE', `${PATH}/${id}`)).status).toBe(200);
  });
});

describe('with an Idempotency-Key', () => {
  const once = { 'Idempotency-Key': 'k' };

  it('a repeat of a creation returns the first response and creates nothing', async () => {
    const first = await create(GOOD, once);
    const second = await create(GOOD, once);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(second.body).toEqual(first.body);
    expect(stored()).toHaveLength(1);
  });

  it('concurrent repeats create one segment', async () => {
    const answers = await Promise.all(Array.from({ length: 4 }, () => create(GOOD, once)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.data['segment_id'])).size).toBe(1);
    expect(stored()).toHaveLength(1);
  });

  it('the same key with another body is 409 CONFLICT', async () => {
    await create(GOOD, once);
    for (const body of [
      { ...GOOD, description: 'x' },
      { ...GOOD, name: 'Other' },
    ]) {
      const { status, body: answered } = await create(body, once);
      expect([status, answered.error.code]).toEqual([409, 'CONFLICT']);
    }
    expect(stored()).toHaveLength(1);
  });

  it('a repeat of a change changes nothing, even if its If-Match no longer matches', async () => {
    const id = await made();
    const put = () => call('PUT', `${PATH}/${id}`, { ...GOOD, name: 'New' }, { ...once, 'If-Match': '1' });
    const first = await put();
    const second = await put();
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
    expect(second.body).toEqual(first.body);
    await call('PUT', `${PATH}/${id}`, { ...GOOD, name: 'Newer', version: 2 });
    expect((await put()).status).toBe(200);
    expect(stored()).toMatchObject([{ name: 'Newer', version: 3 }]);
  });

  it('a repeat of a deletion returns the first response', async () => {
    const id = await made();
    const first = await call('DELETE', `${PATH}/${id}`, undefined, once);
    const second = await call('DELETE', `${PATH}/${id}`, undefined, once);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(second.body).toEqual(first.body);
  });

  it('a refused request can be sent again with another body', async () => {
    expect((await create({ ...GOOD, conditions: { nope: 1 } }, once)).status).toBe(400);
    expect((await create(GOOD, once)).status).toBe(201);
  });

  it('a repeat creates the segment if the first request did not', async () => {
    gateway.config.down = true;
    expect((await create(GOOD, once)).status).toBe(503);
    gateway.config.down = false;
    expect((await create(GOOD, once)).status).toBe(201);
    expect(stored()).toHaveLength(1);
  });

  it('keys are stored as digests, up to the maximum number', async () => {
    const id = await made();
    for (let n = 0; n < IDEMPOTENCY_LIMITS.idempotencyKeys + 3; n++) {
      await call('PUT', `${PATH}/${id}`, { ...GOOD, version: n + 1 }, { 'Idempotency-Key': `secret-${n}` });
    }
    expect(stored()[0]?.writes).toHaveLength(IDEMPOTENCY_LIMITS.idempotencyKeys);
    expect(JSON.stringify(stored())).not.toContain('secret');
  });
});
