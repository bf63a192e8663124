import { describe, expect, it } from 'vitest';
import { EXAMPLE, PATH, SWITCH, rule, setUpFlags } from './flag-requests.ts';

const world = setUpFlags();
const { aSegment, call, create, stored } = world;

describe('reading flags', () => {
  it('returns a flag by key with its version as the ETag', async () => {
    const { body } = await create(EXAMPLE);
    const { status, headers, body: got } = await call('GET', `${PATH}/button_color`);
    expect([status, headers.get('etag')]).toEqual([200, '"1"']);
    expect(got.data).toEqual({ ...body.data, stale: null });
  });

  it('returns 404 FLAG_NOT_FOUND for an unknown flag and for one of another environment or game', async () => {
    await create({ ...SWITCH, key: 'a.b' });
    for (const name of ['nope', 'a=db', 'a%20b', '*']) {
      const { status, body } = await call('GET', `${PATH}/${name}`);
      expect([status, body.error.code], name).toEqual([404, 'FLAG_NOT_FOUND']);
    }
    for (const other of [{ environment: 'test' } as const, { game: 'other' }]) {
      world.key = await world.gateway.key(other);
      for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
        const body = { PUT: { flag_type: 'boolean', version: 1 }, PATCH: { enabled: false } }[method];
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

describe('a period of a flag', () => {
  const periods = () => {
    const entry = world.gateway.config.get({ game: 'demo', environment: 'live', kind: 'flag', key: EXAMPLE.key });
    return entry?.document.periods.map(({ period, version }) => [period, version]);
  };
  const change = (method: 'PATCH' | 'PUT', body: unknown) =>
    world.gateway.call(world.key, method, `/v1/flags/flags/${EXAMPLE.key}`, body, { 'If-Match': '*' });

  it('survives edits of names and texts, and ends with an edit that changes the assignment of players', async () => {
    expect((await create(EXAMPLE)).status).toBe(201);
    expect((await change('PATCH', { description: 'Other words' })).status).toBe(200);
    expect((await change('PUT', { ...EXAMPLE, name: 'Another name' })).status).toBe(200);
    for (const enabled of [false, true]) expect((await change('PATCH', { enabled })).status).toBe(200);
    expect(periods()).toEqual([[1, 1]]);
    const variants = EXAMPLE.variants.map((variant, place) => ({ ...variant, weight: place + 1 }));
    expect((await change('PATCH', { variants })).status).toBe(200);
    expect(periods()).toEqual([
      [1, 1],
      [2, 6],
    ]);
  });
});

describe('replacing a flag', () => {
  it('replaces every field, increments the version and keeps the salt', async () => {
    const { body: first } = await create({ ...EXAMPLE, description: 'd', enabled: false });
    const { key: _, name: __, enabled: ___, ...rest } = EXAMPLE;
    const { status, headers, body } = await call('PUT', `${PATH}/button_color`, {
      ...rest,
      targeting_rules: [],
      version: 1,
    });
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

  it('takes null for what it does not serve to everybody else, as the console sends it', async () => {
    await create(EXAMPLE);
    const { status } = await call('PUT', `${PATH}/button_color`, { ...EXAMPLE, default_serve: null, version: 1 });
    expect(status).toBe(200);
  });

  it('accepts the response to GET', async () => {
    await create(EXAMPLE);
    const { body } = await call('GET', `${PATH}/button_color`);
    const { stale, ...data } = body.data;
    const { status, body: put } = await call('PUT', `${PATH}/button_color`, {
      ...data,
      stale,
      salt: 'other',
      name: 'New',
    });
    expect(status).toBe(200);
    expect(put.data).toMatchObject({ ...data, name: 'New', version: 2, updated_at: expect.any(String) });
  });

  it.each([
    [{ ...EXAMPLE, key: 'other' }, '/key'],
    [{ ...SWITCH, key: 'button_color' }, '/flag_type'],
    [{ ...EXAMPLE, flag_type: undefined }, '/flag_type'],
    [rule({ percentage: 101 }), '/targeting_rules/0/percentage'],
    [{ ...EXAMPLE, colour: 'red' }, '/colour'],
  ])('refuses %j', async (body, path) => {
    await create(EXAMPLE);
    const { status, body: answered } = await call('PUT', `${PATH}/button_color`, { ...body, version: 1 });
    expect([status, answered.error.details.fields[0]?.path]).toEqual([400, path]);
    expect(stored()).toMatchObject([{ version: 1 }]);
  });
});

describe('patching a flag', () => {
  it('changes only the fields that are sent', async () => {
    const { body: first } = await create({ ...EXAMPLE, description: 'd' });
    const { status, body } = await call('PATCH', `${PATH}/button_color`, { enabled: false });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...first.data,
      enabled: false,
      edit_effect: 'narrows',
      version: 2,
      updated_at: expect.any(String),
    });
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
    [{ enabled: 'off' }, '/enabled'],
    [{ targeting_rules: [{ percentage: 200 }] }, '/targeting_rules/0/percentage'],
    [{ prerequisites: [{ flag_key: 'button_color', value: 'blue' }] }, '/prerequisites/0/flag_key'],
  ])('refuses %j', async (patch, path) => {
    await create(EXAMPLE);
    const { status, body } = await call('PATCH', `${PATH}/button_color`, patch);
    expect([status, body.error.details.fields[0]?.path]).toEqual([400, path]);
    expect(stored()).toMatchObject([{ version: 1 }]);
  });

  it('keeps its salt, so that players keep their variants', async () => {
    const { salt } = (await create(EXAMPLE)).body.data;
    const { status, body } = await call('PATCH', `${PATH}/button_color`, { salt: 'mine', description: 'd' });
    expect([status, body.data['salt'], body.data['description']]).toEqual([200, salt, 'd']);
    expect(stored()).toMatchObject([{ salt, version: 2 }]);
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

describe('deleting a flag', () => {
  it('archives it: endpoints return 404, and its key stays taken', async () => {
    await create(SWITCH);
    const { status, body } = await call('DELETE', `${PATH}/switch`);
    expect([status, body.data]).toEqual([200, { key: 'switch', archived: true }]);
    for (const [method, sent] of [
      ['GET', undefined],
      ['PUT', { flag_type: 'boolean', version: 1 }],
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
