import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../core/kernel/errors.ts';
import { FLAG_API_LIMITS } from '../../../src/api/flags/limits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { playerIn, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let key: string;
beforeEach(async () => {
  gateway = await startGateway();
  key = await gateway.key();
  for (const flag of FLAGS) expect((await call('POST', '/v1/flags/flags', flag)).status).toBe(201);
});
afterEach(() => gateway.close());

const FLAGS = [
  { key: 'boolean', flag_type: 'boolean' },
  {
    key: 'multivariate',
    flag_type: 'multivariate',
    variants: [
      { key: 'a', value: 'x', weight: 1 },
      { key: 'x', value: 'y', weight: 1 },
    ],
  },
  { key: 'string', flag_type: 'string', variants: [{ key: 'a', value: 'x', weight: 1 }] },
  { key: 'number', flag_type: 'number', variants: [{ key: 'a', value: 1.5, weight: 1 }] },
  { key: 'json', flag_type: 'json', variants: [{ key: 'a', value: { p: 1, q: [null] }, weight: 1 }] },
];
const PLAYER = playerIn(0);
const call = async (method: string, path: string, body?: unknown, headers?: Record<string, string>) => {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, headers: response.headers, body: await bodyOf(response) };
};
const pathOf = (flag: string, player = PLAYER) => `/v1/flags/flags/${flag}/overrides/${player}`;
const put = (flag: string, body: unknown, headers?: Record<string, string>) => call('PUT', pathOf(flag), body, headers);
const sent = () => gateway.backend.calls.map((one) => one.body);

describe('setting an override', () => {
  it.each([
    ['boolean', { value: true }, 'true', null],
    ['boolean', { value: false }, 'false', null],
    ['multivariate', { value: 'a' }, '"x"', 'a'],
    ['multivariate', { value: 'x' }, '"y"', 'x'],
    ['multivariate', { value: 'y' }, '"y"', 'x'],
    ['multivariate', { value: 'other' }, '"other"', null],
    ['multivariate', { variant_key: 'a' }, '"x"', 'a'],
    ['string', { value: 'a' }, '"a"', null],
    ['string', { variant_key: 'a' }, '"x"', 'a'],
    ['number', { value: 1.5 }, '1.5', 'a'],
    ['number', { value: 0 }, '0', null],
    ['json', { value: null }, 'null', null],
    ['json', { value: { q: [null], p: 1 } }, '{"q":[null],"p":1}', 'a'],
    ['json', { variant_key: 'a' }, '{"p":1,"q":[null]}', 'a'],
  ])('of a flag of type %s by %j gives the player %s', async (flag, body, text, variantKey) => {
    const { status, body: answered } = await put(flag, body);
    expect(status).toBe(200);
    expect(answered.data).toEqual({
      flag_key: flag,
      player_id: PLAYER,
      value: JSON.parse(text),
      variant_key: variantKey,
    });
    expect(sent()).toEqual([{ kind: 'OverrideFlag', playerId: PLAYER, flagKey: flag, value: text }]);
  });

  it.each([
    ['boolean', { value: 'true' }, '/value'],
    ['boolean', { value: null }, '/value'],
    ['boolean', { variant_key: 'a' }, '/variant_key'],
    ['multivariate', { value: 5 }, '/value'],
    ['multivariate', { variant_key: 'nope' }, '/variant_key'],
    ['multivariate', { variant_key: 5 }, '/variant_key'],
    ['multivariate', { value: 'x', variant_key: 'x' }, ''],
    ['string', { value: {} }, '/value'],
    ['number', { value: '1.5' }, '/value'],
    ['json', {}, ''],
    ['json', { value: 1, until: 'tomorrow' }, '/until'],
    ['json', { value: Array.from({ length: 3 }, () => 'x'.repeat(FLAG_API_LIMITS.overrideBytes / 2)) }, '/value'],
  ])('of a flag of type %s refuses %j', async (flag, body, path) => {
    const { status, body: answered } = await put(flag, body);
    expect(status).toBe(400);
    expect(answered.error.code).toBe('VALIDATION_ERROR');
    expect(answered.error.details.fields.map((field) => field.path)).toContain(path);
    expect(sent()).toEqual([]);
  });

  it('converts player ids to lower case', async () => {
    const { body } = await call('PUT', pathOf('boolean', PLAYER.toUpperCase()), { value: true });
    expect(body.data['player_id']).toBe(PLAYER);
    expect(sent()).toMatchObject([{ playerId: PLAYER }]);
  });

  it("passes the Idempotency-Key on to the player's owner and marks repeats", async () => {
    gateway.backend.reply = () => ({ kind: 'overridden', flagKey: 'boolean', value: 'true', replayed: true });
    const { status, headers } = await put('boolean', { value: true }, { 'Idempotency-Key': 'k' });
    expect([status, headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(sent()).toMatchObject([{ kind: 'OverrideFlag', idempotency: { key: 'k' } }]);
  });
});

describe('removing an override', () => {
  it('confirms the removal', async () => {
    const { status, body } = await call('DELETE', pathOf('json'));
    expect([status, body.data]).toEqual([200, { flag_key: 'json', player_id: PLAYER, removed: true }]);
    expect(sent()).toEqual([{ kind: 'OverrideFlag', playerId: PLAYER, flagKey: 'json', value: null }]);
  });
});

describe('both', () => {
  const both = [
    ['PUT', { value: true }],
    ['DELETE', undefined],
  ] as const;

  it.each(both)('%s: an unknown or deleted flag is 404 FLAG_NOT_FOUND', async (method, body) => {
    await call('DELETE', '/v1/flags/flags/boolean');
    for (const flag of ['nope', 'boolean']) {
      const { status, body: answered } = await call(method, pathOf(flag), body);
      expect([status, answered.error.code]).toEqual([404, 'FLAG_NOT_FOUND']);
    }
    expect(sent()).toEqual([]);
  });

  it.each(both)('%s: an unknown player is 404 PLAYER_NOT_FOUND', async (method, body) => {
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    const { status, body: answered } = await call(method, pathOf('boolean'), body);
    expect([status, answered.error.code]).toEqual([404, 'PLAYER_NOT_FOUND']);
  });

  it.each(both)('%s: a player id that is no UUID is refused', async (method, body) => {
    const { status, body: answered } = await call(method, pathOf('boolean', 'player_12345'), body);
    expect([status, answered.error.details.fields[0]?.path]).toEqual([400, 'player_id']);
  });

  it.each(both)('%s: needs a server key', async (method, body) => {
    key = await gateway.key({ kind: 'client' });
    expect((await call(method, pathOf('boolean'), body)).status).toBe(403);
  });

  it.each(both)('%s: a flag of another environment is unknown', async (method, body) => {
    key = await gateway.key({ environment: 'test' });
    expect((await call(method, pathOf('boolean'), body)).status).toBe(404);
  });
});
