import { describe, expect, it } from 'vitest';
import { PATH, setUpFlags } from './flag-requests.ts';

const world = setUpFlags();
const { call, create, stored } = world;

const PRICE = {
  key: 'price',
  flag_type: 'number',
  default_value: 1,
  default_serve: { value: 0.99 },
  targeting_rules: [{ conditions: { is_payer: true }, serve: { value: 4.99 } }],
};
const LAYOUT = {
  key: 'layout',
  flag_type: 'string',
  bucket_by: 'device',
  variants: [
    { key: 'a', value: 'old', weight: 1 },
    { key: 'b', value: 'new', weight: 1 },
  ],
  targeting_rules: [
    { name: 'Testers', serve: { variant: 'b' }, percentage: 10 },
    { salt: 'own', bucket_by: 'attribute:guild', serve: { weights: [{ key: 'b', weight: 2 }] } },
  ] as const,
  prerequisites: [{ flag_key: 'price', value: 4.99 }],
};
const paths = (body: { error?: { details?: { fields?: { path: string }[] } } }) =>
  body.error?.details?.fields?.map(({ path }) => path);

describe('what rules serve', () => {
  it('is answered as it was sent, by every door', async () => {
    await create(PRICE);
    const { status, body } = await create(LAYOUT);
    expect(status).toBe(201);
    expect(body.data).toMatchObject(LAYOUT);
    expect((await call('GET', `${PATH}/price`)).body.data).toMatchObject({ ...PRICE, bucket_by: 'player' });
    const { body: definitions } = await call('GET', '/v1/flags/definitions');
    const [{ name, ...first }, second] = LAYOUT.targeting_rules;
    expect(name).toBe('Testers');
    expect(definitions.data).toMatchObject({
      flags: [
        { ...LAYOUT, targeting_rules: [first, second] },
        { ...PRICE, variants: [] },
      ],
    });
    expect(stored().find(({ key }) => key === 'layout')).toMatchObject({ bucketBy: 'device' });
  });

  it('is replaced by PUT, kept by PATCH, and removed by null', async () => {
    await create(PRICE);
    const { body } = await call('PATCH', `${PATH}/price`, { description: 'x', bucket_by: 'device' });
    expect(body.data).toMatchObject({ ...PRICE, bucket_by: 'device' });
    const { body: without } = await call('PATCH', `${PATH}/price`, { default_serve: null, bucket_by: null });
    expect(without.data['default_serve']).toBeUndefined();
    expect(without.data['bucket_by']).toBe('player');
    const { body: put } = await call('PUT', `${PATH}/price`, { ...PRICE, default_serve: { value: 2 }, version: 3 });
    expect(put.data).toMatchObject({ default_serve: { value: 2 } });
    const { body: bare } = await call('PUT', `${PATH}/price`, {
      key: 'price',
      flag_type: 'number',
      targeting_rules: PRICE.targeting_rules,
      version: 4,
    });
    expect(bare.data['default_serve']).toBeUndefined();
  });

  it.each([
    [{ ...PRICE, default_serve: {} }, ['/default_serve']],
    [{ ...PRICE, default_serve: { value: 1, variant: 'a' } }, ['/default_serve']],
    [{ ...PRICE, targeting_rules: [{ serve: {} }] }, ['/targeting_rules/0/serve']],
    [{ ...PRICE, targeting_rules: [{ value: false, serve: { value: 1 } }] }, ['/targeting_rules/0/serve']],
    [{ ...PRICE, default_serve: { value: 'x' } }, ['/default_serve/value']],
    [{ ...PRICE, bucket_by: 'guild' }, ['/bucket_by']],
    [{ ...PRICE, bucket_by: 'attribute:' }, ['/bucket_by']],
    [{ ...PRICE, targeting_rules: [{ salt: '' }] }, ['/targeting_rules/0/salt']],
    [{ ...PRICE, targeting_rules: [{ serve: { value: 1, other: 2 } }] }, ['/targeting_rules/0/serve/other']],
    [{ ...PRICE, prerequisites: [{ flag_key: 'x' }] }, ['/prerequisites/0']],
    [{ ...PRICE, prerequisites: [{ flag_key: 'x', value: 1, variant_key: 'a' }] }, ['/prerequisites/0']],
    [
      { ...LAYOUT, prerequisites: [], targeting_rules: [{ serve: { variant: 'c' } }] },
      ['/targeting_rules/0/serve/variant'],
    ],
  ])('is refused with the field named: %#', async (sent, expected) => {
    const { status, body } = await create(sent);
    expect([status, paths(body)]).toEqual([400, expected]);
    expect(stored()).toEqual([]);
  });

  it('may be asked of a variant of another flag', async () => {
    await create({ ...LAYOUT, prerequisites: [] });
    const needs = { key: 'needs', flag_type: 'boolean', prerequisites: [{ flag_key: 'layout', variant_key: 'b' }] };
    const { status, body } = await create(needs);
    expect([status, body.data['prerequisites']]).toEqual([201, needs.prerequisites]);
    const { body: refused } = await create({
      ...needs,
      key: 'other',
      prerequisites: [{ flag_key: 'layout', variant_key: 'c' }],
    });
    expect(paths(refused)).toEqual(['/prerequisites/0/variant_key']);
  });
});
