import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

/* What an edit does to the experiment of a flag, before it is saved and after. */

let gateway: Gateway;
let server: string;
beforeAll(async () => {
  gateway = await startGateway();
  server = await gateway.key();
});
afterAll(() => gateway.close());

const FLAGS = '/v1/flags/flags';
async function call(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await gateway.call(server, method, path, body, headers);
  return { status: response.status, ...(await bodyOf(response)) };
}
const everybody = [{ percentage: 50, conditions: { is_payer: true } }];
const weights = (a: number, b: number) => [
  { key: 'a', value: 'a', weight: a },
  { key: 'b', value: 'b', weight: b },
];
const create = (key: string) =>
  call('POST', FLAGS, { key, flag_type: 'multivariate', variants: weights(1, 1), targeting_rules: everybody });

describe('the preview of an edit', () => {
  it.each([
    ['none', { description: 'words' }, ['Description: none → “words”']],
    ['none', { variants: weights(2, 2) }, ['Variant “a”, weight: 1 → 2', 'Variant “b”, weight: 1 → 2']],
    ['widens', { targeting_rules: [{ percentage: 80, conditions: { is_payer: true } }] }, ['Rule 1: 50 % → 80 %']],
    ['narrows', { enabled: false }, ['Disabled']],
    [
      'moves',
      { targeting_rules: [{ percentage: 50, conditions: { 'attributes.level': 2 } }] },
      ['Rule 1, conditions, is_payer: yes → none', 'Rule 1, conditions, attributes.level: none → 2'],
    ],
    ['reassigns', { variants: weights(1, 3) }, ['Variant “b”, weight: 1 → 3']],
  ] as const)('says that it %s, and changes nothing; the edit then says the same: %j', async (effect, edit, lines) => {
    const key = `${effect}-${Object.keys(edit)[0]}`;
    await create(key);
    const isNew = effect === 'reassigns';
    expect((await call('POST', `${FLAGS}/${key}/preview`, edit)).data).toEqual({
      key,
      version: 1,
      difference: lines,
      edit_effect: effect,
      period: isNew ? 2 : 1,
      // There is no ClickHouse here.
      left_out_players: isNew ? null : 0,
      reason: isNew ? 'unavailable' : null,
    });
    expect((await call('GET', `${FLAGS}/${key}`)).data).toMatchObject({ version: 1, edit_effect: 'none' });
    const headers = { 'Idempotency-Key': key };
    const first = await call('PATCH', `${FLAGS}/${key}`, edit, headers);
    expect(first).toMatchObject({ status: 200, data: { version: 2, edit_effect: effect } });
    expect((await call('PATCH', `${FLAGS}/${key}`, edit, headers)).data).toEqual(first.data);
  });

  it('is what PATCH refuses: faults, stale versions, unknown flags', async () => {
    await create('refused');
    const preview = (body: unknown, key = 'refused') => call('POST', `${FLAGS}/${key}/preview`, body);
    const faulty = { variants: [{ key: 'a', value: 7, weight: 1 }] };
    const refused = await preview(faulty);
    expect(refused.status).toBe(400);
    expect((await call('PATCH', `${FLAGS}/refused`, faulty)).error.details.fields).toEqual(
      refused.error.details.fields,
    );
    expect((await preview({ version: 9, enabled: false })).status).toBe(412);
    expect((await preview({ enabled: false }, 'none')).status).toBe(404);
  });

  it('is narrower for an archived flag, and wider for one that is restored', async () => {
    await create('kept');
    await call('DELETE', `${FLAGS}/kept`);
    expect((await call('GET', `${FLAGS}/kept?state=archived`)).data['edit_effect']).toBe('narrows');
    expect((await call('POST', `${FLAGS}/kept/restore`)).data['edit_effect']).toBe('widens');
  });
});
