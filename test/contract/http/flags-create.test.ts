import { describe, expect, it } from 'vitest';
import { API_LIMITS } from '../../../src/api/limits.ts';
import { FLAG_API_LIMITS } from '../../../src/api/flags/limits.ts';
import { FLAG_LIMITS } from '../../../actors/flags/limits.ts';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import { EXAMPLE, PATH, SWITCH, rule, variants, setUpFlags } from './flag-requests.ts';

const world = setUpFlags();
const { aSegment, call, create, stored } = world;
const ascending = (a: number, b: number) => a - b;

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
      client_visible: true,
      bucket_by: 'player',
      owner: '',
      tags: [],
      note: '',
      managed_by: null,
      ends_at: null,
      edit_effect: 'none',
      salt: expect.stringMatching(/^[\w-]{16}$/),
      version: 1,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/),
      updated_at: answered.data.created_at,
    });
    expect(headers.get('etag')).toBe('"1"');
    expect(
      world.gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: 'button_color' })?.document,
    ).toEqual({
      key: 'button_color',
      name: 'Button color',
      description: 'Which colour sells.',
      flagType: 'multivariate',
      enabled: true,
      clientVisible: true,
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
    const { body } = await create({ ...SWITCH, targeting_rules: [{ value: true }] });
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

  it.each(['...', '.a', 'a.b..c', '-_-', 'A', 'x'.repeat(100)])('accepts the key %s', async (name) => {
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
    [{ ...EXAMPLE, variants: {} }, '/variants'],
    [{ ...EXAMPLE, default_value: 5 }, '/default_value'],
    [{ ...SWITCH, default_value: 'on' }, '/default_value'],
    [{ ...SWITCH, variants: EXAMPLE.variants }, '/variants'],
    [variants(), '/variants'],
    [variants({ key: 'a', value: 'x', weight: 1 }, { key: 'a', value: 'y', weight: 1 }), '/variants/1/key'],
    [variants({ key: 'a', value: 'x', weight: -1 }), '/variants/0/weight'],
    [variants({ key: 'a', value: 'x', weight: 0 }, { key: 'b', value: 'y', weight: 0 }), '/variants'],
    [variants({ key: 'a', value: 'x', weight: FLAG_LIMITS.flagWeight + 1 }), '/variants/0/weight'],
    [variants({ key: 'a', value: 5, weight: 1 }), '/variants/0/value'],
    [variants({ key: 'a', weight: 1 }), '/variants/0/value'],
    [variants({ key: 'a', value: 'x' }), '/variants/0/weight'],
    [variants({ key: '', value: 'x', weight: 1 }), '/variants/0/key'],
    [variants({ key: 'a', value: 'x', weight: 1, colour: 'red' }), '/variants/0/colour'],
    [
      variants(
        ...Array.from({ length: FLAG_LIMITS.flagVariants + 1 }, (_, n) => ({ key: `${n}`, value: 'x', weight: 1 })),
      ),
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
    [{ ...EXAMPLE, targeting_rules: [{}] }, '/targeting_rules/0'],
    [rule({ segment_id: '' }), '/targeting_rules/0/segment_id'],
    [rule({ percentage: null }), '/targeting_rules/0/percentage'],
    [rule({ conditions: null }), '/targeting_rules/0/conditions'],
    [rule({ conditions: { $not: {} } }), '/targeting_rules/0/conditions/$not'],
    [rule({ conditions: { 'context.build': {} } }), '/targeting_rules/0/conditions/context.build'],
    [
      { ...EXAMPLE, targeting_rules: Array.from({ length: FLAG_LIMITS.flagRules + 1 }, () => ({})) },
      '/targeting_rules',
    ],
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

  it('makes its own salt and version, whatever the answer of another flag held', async () => {
    const { status, body } = await create({ ...EXAMPLE, salt: 'mine', version: 9 });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ salt: expect.stringMatching(/^[\w-]{10,}$/), version: 1 });
    expect(stored()).toMatchObject([{ salt: body.data['salt'], version: 1 }]);
  });

  it('refuses a definition that is too large, and a body that is', async () => {
    const value = 'x'.repeat(TEXT_LIMITS.stringBytes - 1);
    const many = Array.from({ length: 10 }, (_, n) => ({ key: `v${n}`, value, weight: 1 }));
    const { status, body } = await create({ ...EXAMPLE, variants: many });
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.message).toContain(String(FLAG_LIMITS.flagBytes));
    expect((await create({ ...EXAMPLE, description: 'x'.repeat(API_LIMITS.bodyBytes) })).status).toBe(413);
    expect(stored()).toEqual([]);
  });

  it('refuses a rule on a segment of another environment', async () => {
    const segmentId = await aSegment();
    world.key = await world.gateway.key({ environment: 'test' });
    const { status, body } = await create(rule({ segment_id: segmentId }));
    expect([status, body.error.details.fields[0]?.path]).toEqual([400, '/targeting_rules/0/segment_id']);
  });

  it('refuses prerequisites that would form a cycle', async () => {
    const waitsFor = (...keys: string[]) => keys.map((flagKey) => ({ flag_key: flagKey, value: true }));
    await create({ ...SWITCH, key: 'a' });
    await create({ ...SWITCH, key: 'b', prerequisites: waitsFor('a') });
    await create({ ...SWITCH, key: 'c', prerequisites: waitsFor('b') });
    for (const method of ['PUT', 'PATCH']) {
      const body = { ...(method === 'PUT' ? { flag_type: 'boolean', version: 1 } : {}), prerequisites: waitsFor('c') };
      const { status, body: answered } = await call(method, `${PATH}/a`, body);
      expect([status, answered.error.details.fields[0]?.path]).toEqual([400, '/prerequisites/0/flag_key']);
    }
  });

  it('refuses a key that is taken, but not in another environment or game', async () => {
    await create(SWITCH);
    const { status, body } = await create({ ...SWITCH, name: 'Another' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
    for (const other of [{ environment: 'test' } as const, { game: 'other' }]) {
      world.key = await world.gateway.key(other);
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
    for (let n = 1; n < FLAG_API_LIMITS.flagsPerEnvironment; n++) {
      const address = { game: 'demo', environment: 'live', kind: 'flag', key: `f${n}` } as const;
      await world.gateway.config.put(address, { ...document, key: address.key });
    }
    expect((await create({ ...SWITCH, key: 'more' })).status).toBe(409);
    await call('DELETE', `${PATH}/f1`);
    expect((await create({ ...SWITCH, key: 'more' })).status).toBe(201);
  });

  it('needs a server key', async () => {
    world.key = await world.gateway.key({ kind: 'client' });
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
