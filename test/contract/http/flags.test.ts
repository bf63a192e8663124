import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../../src/kernel/limits.ts';
import { bodyOf } from '../../support/api-body.ts';
import { createFakeLedger } from '../../support/fake-ledger.ts';
import { startGateway, type Gateway } from '../../support/http-gateway.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  gateway.backend.reply = createFakeLedger();
  key = await gateway.key();
});
afterEach(() => gateway.close());

const PATH = '/v1/flags/flags';
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
};
const create = (body: unknown, headers?: Record<string, string>) => call('POST', PATH, body, headers);
const ascending = (a: number, b: number) => a - b;
const stored = () => gateway.config.list('flag').map((entry) => entry.document);

/** The example of a definition from the API documentation. */
const EXAMPLE = {
  key: 'button_color',
  name: 'Button color',
  flag_type: 'multivariate',
  variants: [
    { key: 'control', value: 'blue', weight: 50 },
    { key: 'variant_a', value: 'green', weight: 50 },
  ],
  enabled: true,
  targeting_rules: [{ name: 'All', segment_id: null, value: true, percentage: 100, priority: 1 }],
};
const SWITCH = { key: 'switch', flag_type: 'boolean' };
const rule = (some: object) => ({ ...EXAMPLE, targeting_rules: [{ ...EXAMPLE.targeting_rules[0], ...some }] });
const variants = (...some: object[]) => ({ ...EXAMPLE, variants: some });

async function aSegment(): Promise<string> {
  const { body } = await call('POST', '/v1/segments/segments', { key: 'spenders', conditions: { is_payer: true } });
  return String(body.data['segment_id']);
}

describe('a period of a flag', () => {
  const periods = () => {
    const entry = gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: EXAMPLE.key });
    return entry?.document.periods?.map(({ period, version }) => [period, version]);
  };
  const change = (method: 'PATCH' | 'PUT', body: unknown) =>
    gateway.call(key, method, `/v1/flags/flags/${EXAMPLE.key}`, body);

  it('survives edits of names and texts, and ends with an edit that changes the assignment of players', async () => {
    expect((await create(EXAMPLE)).status).toBe(201);
    expect((await change('PATCH', { description: 'Other words' })).status).toBe(200);
    expect((await change('PUT', { ...EXAMPLE, name: 'Another name' })).status).toBe(200);
    expect(periods()).toEqual([[1, 1]]);
    expect((await change('PATCH', { enabled: false })).status).toBe(200);
    expect(periods()).toEqual([
      [1, 1],
      [2, 4],
    ]);
  });
});

describe('creating a flag', () => {
  it('returns 201 with the definition, its salt and version, and stores it', async () => {
    const segmentId = await aSegment();
    await create(SWITCH);
    const body = {
      ...EXAMPLE,
      description: 'Which colour sells.',
      default_value: 'grey',
      targeting_rules: [
        {
          name: 'Spenders',
          segment_id: segmentId,
          conditions: { 'context.platform': 'ios', 'attributes.level': { $gte: 10 } },
          value: true,
          percentage: 12.5,
          priority: 1,
          start_at: '2026-01-15T10:30:00.000Z',
          end_at: '2026-02-15T10:30:00.000Z',
        },
        {
          name: 'Nobody else',
          segment_id: null,
          value: false,
          percentage: 100,
          priority: 2,
          start_at: null,
          end_at: null,
        },
      ],
      prerequisites: [{ flag_key: 'switch', value: true }],
    };
    const { status, headers, body: answered } = await create(body);
    expect(status).toBe(201);
    expect(answered.data).toEqual({
      ...body,
      salt: expect.stringMatching(/^[\w-]{16}$/),
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: answered.data.created_at,
    });
    expect(headers.get('etag')).toBe('"1"');
    expect(
      gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: 'button_color' })?.document,
    ).toEqual({
      key: 'button_color',
      name: 'Button color',
      description: 'Which colour sells.',
      flagType: 'multivariate',
      enabled: true,
      defaultValue: 'grey',
      salt: answered.data['salt'],
      variants: EXAMPLE.variants,
      rules: [
        {
          name: 'Spenders',
          segmentId,
          conditions: body.targeting_rules[0]?.conditions,
          value: true,
          percentage: 12.5,
          priority: 1,
          startAt: Date.UTC(2026, 0, 15, 10, 30),
          endAt: Date.UTC(2026, 1, 15, 10, 30),
        },
        {
          name: 'Nobody else',
          segmentId: null,
          value: false,
          percentage: 100,
          priority: 2,
          startAt: null,
          endAt: null,
        },
      ],
      prerequisites: [{ flagKey: 'switch', value: true }],
      createdAt: Date.parse(answered.data.created_at),
      updatedAt: Date.parse(answered.data.created_at),
      archivedAt: null,
      version: 1,
      periods: [{ period: 1, version: 1, since: Date.parse(answered.data.created_at) }],
      writes: [],
    });
  });

  it('sets defaults: enabled, without rules, false or null as the default value', async () => {
    const { body } = await create({ ...SWITCH, targeting_rules: [{}] });
    expect(body.data).toMatchObject({
      name: 'switch',
      description: '',
      enabled: true,
      default_value: false,
      variants: [],
      prerequisites: [],
      targeting_rules: [
        { name: '', segment_id: null, value: true, percentage: 100, priority: 0, start_at: null, end_at: null },
      ],
    });
    const { default_value: byDefault } = (await create(EXAMPLE)).body.data;
    expect(byDefault).toBeNull();
  });

  it('gives every flag a unique salt', async () => {
    const salts = [];
    for (const name of ['a', 'b', 'c']) salts.push((await create({ ...SWITCH, key: name })).body.data['salt']);
    expect(new Set(salts).size).toBe(3);
  });

  it.each([
    ['string', ['a', 'b'], 'c'],
    ['number', [1, -2.5], 0],
    ['json', [{ a: [1, { __proto__x: null }] }, [], null], { off: true }],
  ])('serves values of type %s', async (type, values, byDefault) => {
    const body = {
      key: `k-${type}`,
      flag_type: type,
      default_value: byDefault,
      variants: values.map((value, n) => ({ key: `v${n}`, value, weight: n + 0.5 })),
    };
    const { status, body: answered } = await create(body);
    expect(status).toBe(201);
    expect(answered.data).toMatchObject(body);
  });

  it.each(['.', '..', 'a.b..c', '-_-', 'A', 'x'.repeat(100)])('accepts the key %s', async (name) => {
    expect((await create({ ...SWITCH, key: name })).status).toBe(201);
    expect(stored()).toMatchObject([{ key: name }]);
  });

  it.each([
    [{ ...EXAMPLE, key: undefined }, '/key'],
    [{ ...EXAMPLE, key: '' }, '/key'],
    [{ ...EXAMPLE, key: 'a b' }, '/key'],
    [{ ...EXAMPLE, key: 'a/b' }, '/key'],
    [{ ...EXAMPLE, key: 'ä' }, '/key'],
    [{ ...EXAMPLE, key: 'x'.repeat(101) }, '/key'],
    [{ ...EXAMPLE, flag_type: undefined }, '/flag_type'],
    [{ ...EXAMPLE, flag_type: 'date' }, '/flag_type'],
    [{ ...EXAMPLE, enabled: 1 }, '/enabled'],
    [{ ...EXAMPLE, colour: 'red' }, '/colour'],
    [{ ...EXAMPLE, salt: 'mine' }, '/salt'],
    [{ ...EXAMPLE, variants: {} }, '/variants'],
    [{ ...EXAMPLE, default_value: 5 }, '/default_value'],
    [{ ...SWITCH, default_value: 'on' }, '/default_value'],
    [{ ...SWITCH, variants: EXAMPLE.variants }, '/variants'],
    [variants(), '/variants'],
    [variants({ key: 'a', value: 'x', weight: 1 }, { key: 'a', value: 'y', weight: 1 }), '/variants/1/key'],
    [variants({ key: 'a', value: 'x', weight: -1 }), '/variants/0/weight'],
    [variants({ key: 'a', value: 'x', weight: 0 }, { key: 'b', value: 'y', weight: 0 }), '/variants'],
    [variants({ key: 'a', value: 'x', weight: LIMITS.flagWeight + 1 }), '/variants/0/weight'],
    [variants({ key: 'a', value: 5, weight: 1 }), '/variants/0/value'],
    [variants({ key: 'a', weight: 1 }), '/variants/0/value'],
    [variants({ key: 'a', value: 'x' }), '/variants/0/weight'],
    [variants({ key: '', value: 'x', weight: 1 }), '/variants/0/key'],
    [variants({ key: 'a', value: 'x', weight: 1, colour: 'red' }), '/variants/0/colour'],
    [
      variants(...Array.from({ length: LIMITS.flagVariants + 1 }, (_, n) => ({ key: `${n}`, value: 'x', weight: 1 }))),
      '/variants',
    ],
    [rule({ percentage: -1 }), '/targeting_rules/0/percentage'],
    [rule({ percentage: 100.5 }), '/targeting_rules/0/percentage'],
    [rule({ percentage: '50' }), '/targeting_rules/0/percentage'],
    [rule({ priority: 1.5 }), '/targeting_rules/0/priority'],
    [rule({ segment_id: 'seg_nope' }), '/targeting_rules/0/segment_id'],
    [rule({ segment_id: 7 }), '/targeting_rules/0/segment_id'],
    [rule({ value: 'variant_a' }), '/targeting_rules/0/value'],
    [rule({ start_at: 'tomorrow' }), '/targeting_rules/0/start_at'],
    [rule({ start_at: '2026-02-01T00:00:00Z', end_at: '2026-01-01T00:00:00Z' }), '/targeting_rules/0/end_at'],
    [rule({ conditions: { unknown_field: 1 } }), '/targeting_rules/0/conditions/unknown_field'],
    [rule({ conditions: 'level > 5' }), '/targeting_rules/0/conditions'],
    [rule({ audience: 'all' }), '/targeting_rules/0/audience'],
    [{ ...EXAMPLE, targeting_rules: Array.from({ length: LIMITS.flagRules + 1 }, () => ({})) }, '/targeting_rules'],
    [{ ...EXAMPLE, prerequisites: [{ flag_key: 'nope', value: true }] }, '/prerequisites/0/flag_key'],
    [{ ...EXAMPLE, prerequisites: [{ flag_key: 'button_color', value: 'blue' }] }, '/prerequisites/0/flag_key'],
    [{ ...EXAMPLE, prerequisites: [{ value: true }] }, '/prerequisites/0/flag_key'],
  ])('refuses %j', async (body, path) => {
    const { status, body: answered } = await create(body);
    expect(status).toBe(400);
    expect(answered.error.code).toBe('VALIDATION_ERROR');
    expect(answered.error.details.fields.map((field) => field.path)).toContain(path);
    expect(stored()).toEqual([]);
  });

  it('refuses a definition that is too large, and a body that is', async () => {
    const value = 'x'.repeat(LIMITS.stringBytes - 1);
    const many = Array.from({ length: 10 }, (_, n) => ({ key: `v${n}`, value, weight: 1 }));
    const { status, body } = await create({ ...EXAMPLE, variants: many });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.message).toContain(String(LIMITS.flagBytes));
    expect((await create({ ...EXAMPLE, description: 'x'.repeat(LIMITS.bodyBytes) })).status).toBe(413);
    expect(stored()).toEqual([]);
  });

  it('refuses a rule on a segment of another environment', async () => {
    const segmentId = await aSegment();
    key = await gateway.key({ environment: 'test' });
    const { status, body } = await create(rule({ segment_id: segmentId }));
    expect([status, body.error.details.fields[0]?.path]).toEqual([400, '/targeting_rules/0/segment_id']);
  });

  it('refuses prerequisites that would form a cycle', async () => {
    const waitsFor = (...keys: string[]) => keys.map((flagKey) => ({ flag_key: flagKey, value: true }));
    await create({ ...SWITCH, key: 'a' });
    await create({ ...SWITCH, key: 'b', prerequisites: waitsFor('a') });
    await create({ ...SWITCH, key: 'c', prerequisites: waitsFor('b') });
    for (const method of ['PUT', 'PATCH']) {
      const body = { ...(method === 'PUT' ? { flag_type: 'boolean' } : {}), prerequisites: waitsFor('c') };
      const { status, body: answered } = await call(method, `${PATH}/a`, body);
      expect([status, answered.error.details.fields[0]?.path]).toEqual([400, '/prerequisites/0/flag_key']);
    }
  });

  it('refuses a key that is taken, but not in another environment or game', async () => {
    await create(SWITCH);
    const { status, body } = await create({ ...SWITCH, name: 'Another' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    for (const other of [{ environment: 'test' } as const, { game: 'other' }]) {
      key = await gateway.key(other);
      expect((await create(SWITCH)).status).toBe(201);
    }
  });

  it('keeps one of two created concurrently with the same key', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => create(SWITCH)));
    expect(answers.map(({ status }) => status).sort(ascending)).toEqual([201, 409, 409]);
    expect(stored()).toHaveLength(1);
  });

  it('has a maximum per game and environment, and another one for deleted flags', async () => {
    await create(SWITCH);
    const document = stored()[0]!;
    for (let n = 1; n < LIMITS.flagsPerEnvironment; n++) {
      const address = { game: 'demo', environment: 'live', kind: 'flag', key: `f${n}` } as const;
      await gateway.config.put(address, { ...document, key: address.key });
    }
    expect((await create({ ...SWITCH, key: 'more' })).status).toBe(409);
    await call('DELETE', `${PATH}/f1`);
    expect((await create({ ...SWITCH, key: 'more' })).status).toBe(201);
  });

  it('needs a server key', async () => {
    key = await gateway.key({ kind: 'client' });
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', `${PATH}/switch`],
      ['PUT', `${PATH}/switch`],
      ['PATCH', `${PATH}/switch`],
      ['DELETE', `${PATH}/switch`],
    ] as const) {
      const { status, body } = await call(method, path, method.startsWith('P') ? SWITCH : undefined);
      expect([status, body.error.code], `${method} ${path}`).toEqual([403, 'FORBIDDEN']);
    }
  });
});

describe('reading flags', () => {
  it('returns a flag by key with its version as the ETag', async () => {
    const { body } = await create(EXAMPLE);
    const { status, headers, body: got } = await call('GET', `${PATH}/button_color`);
    expect([status, headers.get('etag')]).toEqual([200, '"1"']);
    expect(got.data).toEqual(body.data);
  });

  it('returns 404 FLAG_NOT_FOUND for an unknown flag and for one of another environment or game', async () => {
    await create({ ...SWITCH, key: 'a.b' });
    for (const name of ['nope', 'a=db', 'a%20b', '*']) {
      const { status, body } = await call('GET', `${PATH}/${name}`);
      expect([status, body.error.code], name).toEqual([404, 'FLAG_NOT_FOUND']);
    }
    for (const other of [{ environment: 'test' } as const, { game: 'other' }]) {
      key = await gateway.key(other);
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const body = { PUT: { flag_type: 'boolean' }, PATCH: { enabled: false } }[method];
        const { status, body: answered } = await call(method, `${PATH}/a.b`, body);
        expect([status, answered.error.code], method).toEqual([404, 'FLAG_NOT_FOUND']);
      }
    }
    expect(stored()).toMatchObject([{ version: 1, archivedAt: null }]);
  });

  it('accepts a flag with the key evaluate', async () => {
    await create({ ...SWITCH, key: 'evaluate' });
    expect((await call('GET', `${PATH}/evaluate`)).body.data).toMatchObject({ key: 'evaluate' });
    expect((await call('PATCH', `${PATH}/evaluate`, { enabled: false })).status).toBe(200);
  });

  it('lists flags by key, page by page, without deleted ones', async () => {
    for (const name of ['c', 'a', 'gone', 'b']) await create({ ...SWITCH, key: name });
    await call('DELETE', `${PATH}/gone`);
    const first = await call('GET', `${PATH}?limit=2`);
    expect(first.body.data['flags']).toMatchObject([{ key: 'a' }, { key: 'b' }]);
    const second = await call('GET', `${PATH}?limit=2&cursor=${String(first.body.data['next_cursor'])}`);
    expect(second.body.data).toMatchObject({ flags: [{ key: 'c' }], next_cursor: null });
  });
});

describe('replacing a flag', () => {
  it('replaces every field, increments the version and keeps the salt', async () => {
    const { body: first } = await create({ ...EXAMPLE, description: 'd', enabled: false });
    const { key: _, name: __, enabled: ___, ...rest } = EXAMPLE;
    const { status, headers, body } = await call('PUT', `${PATH}/button_color`, { ...rest, targeting_rules: [] });
    expect([status, headers.get('etag')]).toEqual([200, '"2"']);
    expect(body.data).toMatchObject({
      key: 'button_color',
      name: 'button_color',
      description: '',
      enabled: true,
      targeting_rules: [],
      variants: EXAMPLE.variants,
      salt: first.data['salt'],
      created_at: first.data.created_at,
      version: 2,
    });
  });

  it('accepts the response to GET', async () => {
    await create(EXAMPLE);
    const { body } = await call('GET', `${PATH}/button_color`);
    const { status, body: put } = await call('PUT', `${PATH}/button_color`, {
      ...body.data,
      salt: 'other',
      name: 'New',
    });
    expect(status).toBe(200);
    expect(put.data).toMatchObject({ ...body.data, name: 'New', version: 2, updated_at: expect.any(String) });
  });

  it.each([
    [{ ...EXAMPLE, key: 'other' }, '/key'],
    [{ ...SWITCH, key: 'button_color' }, '/flag_type'],
    [{ ...EXAMPLE, flag_type: undefined }, '/flag_type'],
    [rule({ percentage: 101 }), '/targeting_rules/0/percentage'],
    [{ ...EXAMPLE, colour: 'red' }, '/colour'],
  ])('refuses %j', async (body, path) => {
    await create(EXAMPLE);
    const { status, body: answered } = await call('PUT', `${PATH}/button_color`, body);
    expect([status, answered.error.details.fields[0]?.path]).toEqual([400, path]);
    expect(stored()).toMatchObject([{ version: 1 }]);
  });
});

describe('patching a flag', () => {
  it('changes only the fields that are sent', async () => {
    const { body: first } = await create({ ...EXAMPLE, description: 'd' });
    const { status, body } = await call('PATCH', `${PATH}/button_color`, { enabled: false });
    expect(status).toBe(200);
    expect(body.data).toEqual({ ...first.data, enabled: false, version: 2, updated_at: expect.any(String) });
  });

  it('sets a field to its default by null', async () => {
    await create({ ...EXAMPLE, description: 'd', default_value: 'grey', enabled: false });
    const { body } = await call('PATCH', `${PATH}/button_color`, {
      name: null,
      description: null,
      default_value: null,
      enabled: null,
      targeting_rules: null,
      prerequisites: null,
    });
    expect(body.data).toMatchObject({
      name: 'button_color',
      description: '',
      default_value: null,
      enabled: true,
      targeting_rules: [],
      prerequisites: [],
    });
    await create({ ...SWITCH, default_value: true });
    expect((await call('PATCH', `${PATH}/switch`, { default_value: null })).body.data['default_value']).toBe(false);
  });

  it.each([
    [{ flag_type: 'string' }, '/flag_type'],
    [{ flag_type: null }, '/flag_type'],
    [{ variants: null }, '/variants'],
    [{ variants: [{ key: 'a', value: 1, weight: 1 }] }, '/variants/0/value'],
    [{ key: 'other' }, '/key'],
    [{ salt: 'mine' }, '/salt'],
    [{ enabled: 'off' }, '/enabled'],
    [{ targeting_rules: [{ percentage: 200 }] }, '/targeting_rules/0/percentage'],
    [{ prerequisites: [{ flag_key: 'button_color', value: 'blue' }] }, '/prerequisites/0/flag_key'],
  ])('refuses %j', async (patch, path) => {
    await create(EXAMPLE);
    const { status, body } = await call('PATCH', `${PATH}/button_color`, patch);
    expect([status, body.error.details.fields[0]?.path]).toEqual([400, path]);
    expect(stored()).toMatchObject([{ version: 1 }]);
  });
});

describe('a flag that became invalid through changes of other definitions', () => {
  // Its prerequisite was archived and the segment of its rule deleted after its creation.
  async function aStranded() {
    const segmentId = await aSegment();
    await create(SWITCH);
    const stranded = { segment_id: segmentId };
    const plain = { percentage: 50 };
    const prerequisites = [{ flag_key: 'switch', value: true }];
    await create({ ...EXAMPLE, targeting_rules: [stranded, plain], prerequisites });
    await call('DELETE', `${PATH}/switch`);
    await call('DELETE', `/v1/segments/segments/${segmentId}`);
    return { stranded, plain, flag: (await call('GET', `${PATH}/button_color`)).body.data };
  }

  it('can be disabled and enabled', async () => {
    await aStranded();
    for (const enabled of [false, true]) {
      const { status, body } = await call('PATCH', `${PATH}/button_color`, { enabled });
      expect([status, body.data['enabled']]).toEqual([200, enabled]);
    }
  });

  it('can be replaced unchanged, and changed in other fields', async () => {
    const { flag, stranded, plain } = await aStranded();
    expect((await call('PUT', `${PATH}/button_color`, { ...flag, enabled: false })).status).toBe(200);
    const rules = [{ ...plain, percentage: 60 }, stranded];
    expect((await call('PATCH', `${PATH}/button_color`, { targeting_rules: rules })).status).toBe(200);
  });

  it('accepts no further fault', async () => {
    const { stranded, plain } = await aStranded();
    const missing = { ...stranded, segment_id: 'seg_019bc0de-1234-7abc-8def-0123456789ab' };
    for (const [patch, path] of [
      [{ targeting_rules: [missing, plain] }, '/targeting_rules/0/segment_id'],
      [{ targeting_rules: [stranded, { ...plain, percentage: 101 }] }, '/targeting_rules/1/percentage'],
      [{ prerequisites: [{ flag_key: 'switch', value: false }] }, '/prerequisites/0/flag_key'],
      [{ default_value: 1 }, '/default_value'],
    ] as const) {
      const { status, body } = await call('PATCH', `${PATH}/button_color`, patch);
      expect([status, body.error.details.fields[0]?.path]).toEqual([400, path]);
    }
  });
});

describe('If-Match', () => {
  const changes = [
    ['PUT', EXAMPLE],
    ['PATCH', { enabled: false }],
    ['DELETE', undefined],
  ] as const;

  it.each(changes)('with another version makes %s return 412 and change nothing', async (method, body) => {
    await create(EXAMPLE);
    const { status, body: answered } = await call(method, `${PATH}/button_color`, body, { 'If-Match': '2' });
    expect([status, answered.error.code]).toEqual([412, 'PRECONDITION_FAILED']);
    expect(answered.error.details).toMatchObject({ version: 1 });
    expect(stored()).toMatchObject([{ version: 1, archivedAt: null }]);
  });

  it.each(changes)('with the current version lets %s succeed', async (method, body) => {
    await create(EXAMPLE);
    expect((await call(method, `${PATH}/button_color`, body, { 'If-Match': '"1"' })).status).toBe(200);
    expect(stored()).toMatchObject([{ version: 2 }]);
  });

  it('lets one of many concurrent changes of a version succeed', async () => {
    await create(EXAMPLE);
    const answers = await Promise.all(
      [1, 2, 3, 4].map((n) => call('PATCH', `${PATH}/button_color`, { name: String(n) }, { 'If-Match': '1' })),
    );
    expect(answers.map(({ status }) => status).sort(ascending)).toEqual([200, 412, 412, 412]);
  });

  it('left out, lets all changes succeed, each as a version, and no field is lost', async () => {
    await create(EXAMPLE);
    const fields = [{ name: 'n' }, { description: 'd' }, { enabled: false }, { default_value: 'grey' }];
    const answers = await Promise.all(fields.map((field) => call('PATCH', `${PATH}/button_color`, field)));
    expect(answers.map(({ body }) => Number(body.data['version'])).sort(ascending)).toEqual([2, 3, 4, 5]);
    const { body } = await call('GET', `${PATH}/button_color`);
    expect(body.data).toMatchObject({ name: 'n', description: 'd', enabled: false, default_value: 'grey' });
  });
});

describe('deleting a flag', () => {
  it('archives it: endpoints return 404, and its key stays taken', async () => {
    await create(SWITCH);
    const { status, body } = await call('DELETE', `${PATH}/switch`);
    expect([status, body.data]).toEqual([200, { key: 'switch', archived: true }]);
    for (const [method, sent] of [
      ['GET', undefined],
      ['PUT', { flag_type: 'boolean' }],
      ['PATCH', { enabled: true }],
      ['DELETE', undefined],
    ] as const) {
      const answered = await call(method, `${PATH}/switch`, sent);
      expect([answered.status, answered.body.error.code], method).toEqual([404, 'FLAG_NOT_FOUND']);
    }
    const again = await create(SWITCH);
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(stored()).toMatchObject([{ archivedAt: expect.any(Number), version: 2 }]);
  });

  it('fails the prerequisites of other flags', async () => {
    await create(SWITCH);
    await call('DELETE', `${PATH}/switch`);
    const { status, body } = await create({ ...EXAMPLE, prerequisites: [{ flag_key: 'switch', value: true }] });
    expect([status, body.error.details.fields[0]?.path]).toEqual([400, '/prerequisites/0/flag_key']);
  });
});

describe('with an Idempotency-Key', () => {
  const once = { 'Idempotency-Key': 'k' };

  it('a repeat of a creation returns the first response', async () => {
    const first = await create(EXAMPLE, once);
    const second = await create(EXAMPLE, once);
    expect([second.status, second.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
    expect(second.body).toEqual(first.body);
    expect(stored()).toHaveLength(1);
  });

  it('concurrent repeats create one flag', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => create(EXAMPLE, once)));
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(new Set(answers.map(({ body }) => body.data['salt'])).size).toBe(1);
  });

  it.each([
    ['PUT', { ...EXAMPLE, name: 'New' }],
    ['PATCH', { name: 'New' }],
    ['DELETE', undefined],
  ] as const)('a repeat of a %s changes nothing, whatever its If-Match says by now', async (method, body) => {
    await create(EXAMPLE);
    const send = () => call(method, `${PATH}/button_color`, body, { ...once, 'If-Match': '1' });
    const first = await send();
    const second = await send();
    expect([first.status, second.status, second.headers.get('idempotent-replayed')]).toEqual([200, 200, 'true']);
    expect(second.body).toEqual(first.body);
    expect(stored()).toMatchObject([{ version: 2 }]);
  });

  it.each([
    ['another body', 'POST', PATH, { ...EXAMPLE, name: 'Other' }],
    ['another flag', 'POST', PATH, SWITCH],
    ['another path', 'PATCH', `${PATH}/button_color`, { name: 'Other' }],
  ])('the same key with %s is 409 CONFLICT', async (_, method, path, body) => {
    await create(EXAMPLE, once);
    const { status, body: answered } = await call(method, path, body, once);
    expect([status, answered.error.code]).toEqual([409, 'CONFLICT']);
    expect(stored()).toMatchObject([{ key: 'button_color', version: 1 }]);
  });

  it('the same key of two API keys is two keys', async () => {
    await create(SWITCH, once);
    key = await gateway.key();
    expect((await create(SWITCH, once)).status).toBe(409);
    expect((await create(EXAMPLE, once)).status).toBe(201);
  });

  it('a failed request can be repeated and then takes effect', async () => {
    gateway.config.down = true;
    expect((await create(EXAMPLE, once)).status).toBe(503);
    gateway.config.down = false;
    expect((await create(EXAMPLE, once)).status).toBe(201);
    expect(stored()).toHaveLength(1);
  });
});
