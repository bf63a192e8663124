import { describe, expect, it } from 'vitest';
import { EXAMPLE, PATH, SWITCH, setUpFlags } from './flag-requests.ts';

const world = setUpFlags();
const { call, create, stored } = world;
const ascending = (a: number, b: number) => a - b;

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
    world.key = await world.gateway.key();
    expect((await create(SWITCH, once)).status).toBe(409);
    expect((await create(EXAMPLE, once)).status).toBe(201);
  });

  it('a failed request can be repeated and then takes effect', async () => {
    world.gateway.config.down = true;
    expect((await create(EXAMPLE, once)).status).toBe(503);
    world.gateway.config.down = false;
    expect((await create(EXAMPLE, once)).status).toBe(201);
    expect(stored()).toHaveLength(1);
  });
});
