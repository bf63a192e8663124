import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { INPUT_LIMITS } from '../../../src/api/input/limits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { accept, aPlayer, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

let gateway: Gateway;
let server: string;
let client: string;

beforeAll(async () => {
  gateway = await startGateway();
  server = await gateway.key();
  client = await gateway.key({ kind: 'client' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.backend.calls.length = 0;
  gateway.backend.reply = accept;
});

const REGISTER = '/v1/players/players';
const register = (body: unknown, headers?: Record<string, string>, key = server) =>
  gateway.call(key, 'POST', REGISTER, body, headers);

describe('registering a player', () => {
  it('sends one command with an id derived from game, environment and external_id', async () => {
    const response = await register({
      external_id: 'player_12345',
      device_id: 'device_abc',
      email: 'player@example.com',
      attributes: { level: 5, nested: { a: [1, null] } },
    });
    expect(response.status).toBe(201);
    const id = uuidv5(gateway.namespace('demo'), 'live:player_12345');
    expect(gateway.backend.calls).toEqual([
      {
        origin: { game: 'demo', environment: 'live', receivedAt: expect.any(Number), by: 'server' },
        entityId: id,
        body: {
          kind: 'RegisterPlayer',
          playerId: id,
          externalId: 'player_12345',
          deviceId: 'device_abc',
          email: 'player@example.com',
          attributes: '{"level":5,"nested":{"a":[1,null]}}',
          createOnly: false,
          byClientKey: false,
        },
      },
    ]);
  });

  it('returns the documented Player', async () => {
    const response = await register({ external_id: 'p' });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    const text = await response.text();
    expect(text).toContain('"attributes":{"level":5,"__proto__":{"x":1}}');
    const { success, data } = JSON.parse(text);
    expect(success).toBe(true);
    expect(Object.keys(data)).toEqual([
      'id',
      'external_id',
      'device_id',
      'email',
      'lifecycle_stage',
      'session_count',
      'total_revenue',
      'is_payer',
      'is_test_player',
      'first_seen_at',
      'last_seen_at',
      'attributes',
    ]);
    expect(data).toMatchObject({
      device_id: null,
      email: 'player@example.com',
      lifecycle_stage: 'new',
      session_count: 3,
      total_revenue: 99.99,
      is_payer: true,
      is_test_player: false,
      first_seen_at: '2026-01-01T00:00:00.000Z',
      last_seen_at: '2026-01-15T10:30:00.512Z',
    });
  });

  it('returns 200 for an existing player', async () => {
    gateway.backend.reply = () => ({ kind: 'player', created: false, player: aPlayer() });
    expect((await register({ external_id: 'p' })).status).toBe(200);
  });

  it('with If-None-Match: * creates only, and returns 409 DUPLICATE_PLAYER for an existing player', async () => {
    gateway.backend.reply = () => failure('DUPLICATE_PLAYER');
    const response = await register({ external_id: 'p' }, { 'If-None-Match': '*' });
    expect(gateway.backend.calls[0]?.body).toMatchObject({ createOnly: true });
    expect(response.status).toBe(409);
    expect(await bodyOf(response)).toEqual({
      success: false,
      error: { code: 'DUPLICATE_PLAYER', message: 'A player with this external_id already exists.', details: {} },
    });
    expect((await register({ external_id: 'p' }, { 'If-None-Match': '"v1"' })).status).toBe(400);
  });

  it('marks the command of a client key, whose response has no e-mail address', async () => {
    const response = await register({ external_id: 'p', email: 'a@b.example' }, {}, client);
    expect(gateway.backend.calls[0]?.body).toMatchObject({ byClientKey: true, email: 'a@b.example' });
    expect(await response.text()).not.toContain('email');
  });

  it('keeps __proto__ keys of attributes as data', async () => {
    await register('{"external_id":"p","attributes":{"__proto__":{"a":1},"constructor":{"prototype":2}}}');
    expect(gateway.backend.calls[0]?.body).toMatchObject({
      attributes: '{"__proto__":{"a":1},"constructor":{"prototype":2}}',
    });
  });

  it('ignores unknown fields and lists them in X-Ignored-Fields', async () => {
    const response = await register('{"external_id":"p","nick name":1,"__proto__":{},"externalId":2}');
    expect(response.status).toBe(201);
    expect(response.headers.get('x-ignored-fields')).toBe('nick%20name, __proto__, externalId');
  });

  it.each([
    ['Europe/Berlin', null],
    ['Europe/Berlin ', null],
    ['W. Europe Standard Time', null],
    ['UTC+2', null],
    [null, null],
    ['Mars/Olympus', 'attributes.timezone'],
    ['', 'attributes.timezone'],
    [7, 'attributes.timezone'],
  ])('lists a time zone that is none: %j', async (timezone, ignored) => {
    const response = await register({ external_id: 'p', attributes: { timezone } });
    expect([response.status, response.headers.get('x-ignored-fields')]).toEqual([201, ignored]);
  });

  it('lists a bounded number of ignored fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`\u{1F600}field${n}${'x'.repeat(200)}`, n]));
    const response = await register({ external_id: 'p', ...many });
    expect(response.status).toBe(201);
    expect(response.headers.get('x-ignored-fields')?.split(', ')).toHaveLength(INPUT_LIMITS.ignoredFieldNames);
  });

  it.each([
    [{}, '/external_id', 'is required'],
    [{ external_id: 5 }, '/external_id', 'must be string'],
    [{ external_id: '' }, '/external_id', 'must not be empty'],
    [{ external_id: null }, '/external_id', 'must be string'],
    [{ external_id: 'x'.repeat(257) }, '/external_id', 'at most 256 characters'],
    [{ external_id: 'p', email: 'nobody' }, '/email', 'e-mail'],
    [{ external_id: 'p', email: 5 }, '/email', 'must be string'],
    [{ external_id: 'p', attributes: ['a'] }, '/attributes', 'must be object'],
    [{ external_id: 'p', attributes: { ['k'.repeat(129)]: 1 } }, '/attributes', 'at most 128 characters'],
    [
      { external_id: 'p', attributes: Object.fromEntries(Array.from({ length: 257 }, (_, n) => [n, n])) },
      '/attributes',
      '256',
    ],
    [
      { external_id: 'p', attributes: { a: Array.from({ length: 9 }, () => 'x'.repeat(8000)) } },
      '/attributes',
      '65536 bytes',
    ],
    [[], '', 'must be object'],
    ['null', '', 'must be object'],
    ['"text"', '', 'must be object'],
  ])('refuses %.60j', async (body, path, message) => {
    const response = await register(body);
    expect(response.status).toBe(400);
    const { success, error } = await bodyOf(response);
    expect(success).toBe(false);
    expect(error.code).toBe('VALIDATION_ERROR');
    expect(error.details.fields).toContainEqual({ path, message: expect.stringContaining(message) });
    expect(gateway.backend.calls).toEqual([]);
  });
});

describe('reading a player', () => {
  const id = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

  it('by id queries the owner; the id is case-insensitive', async () => {
    const response = await gateway.call(client, 'GET', `/v1/players/players/${id.toUpperCase()}`);
    expect(response.status).toBe(200);
    expect(gateway.backend.calls).toMatchObject([{ entityId: id, body: { kind: 'GetPlayer', playerId: id } }]);
    expect((await bodyOf(response)).data).not.toHaveProperty('email');
  });

  it('by external_id derives the id; the path is percent-decoded', async () => {
    const response = await gateway.call(server, 'GET', '/v1/players/players/external/a%2Fb%20%C3%A9');
    expect(response.status).toBe(200);
    expect(gateway.backend.calls[0]?.entityId).toBe(uuidv5(gateway.namespace('demo'), 'live:a/b é'));
    expect((await bodyOf(response)).data.email).toBe('player@example.com');
  });

  it('returns 404 PLAYER_NOT_FOUND from the owner', async () => {
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    const response = await gateway.call(server, 'GET', `/v1/players/players/${id}`);
    expect(response.status).toBe(404);
    expect((await bodyOf(response)).error.code).toBe('PLAYER_NOT_FOUND');
  });

  it.each(['/v1/players/players/42', '/v1/players/players/external/%FF', '/v1/players/players/external/%00'])(
    'refuses %s',
    async (path) => {
      expect((await gateway.call(server, 'GET', path)).status).toBe(400);
      expect(gateway.backend.calls).toEqual([]);
    },
  );

  it('answers HEAD like GET without the body', async () => {
    const response = await gateway.call(server, 'HEAD', `/v1/players/players/${id}`);
    expect(response.status).toBe(200);
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(100);
    expect(await response.text()).toBe('');
  });

  it('in another game or environment derives another id, so it finds nothing of the first', async () => {
    const keys = [server, await gateway.key({ environment: 'test' }), await gateway.key({ game: 'other' })];
    for (const key of keys) await gateway.call(key, 'GET', '/v1/players/players/external/p');
    expect(new Set(gateway.backend.calls.map((call) => call.entityId)).size).toBe(3);
    expect(gateway.backend.calls.map(({ origin }) => `${origin.game} ${origin.environment}`)).toEqual([
      'demo live',
      'demo test',
      'other live',
    ]);
  });
});

describe('patching a player', () => {
  const id = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
  const patch = (body: unknown, headers?: Record<string, string>) =>
    gateway.call(server, 'PATCH', `/v1/players/players/${id}`, body, headers);

  it('passes the merge patch on, including null', async () => {
    const response = await patch({
      email: null,
      device_id: 'd',
      is_test_player: true,
      attributes: { level: null, vip: true },
    });
    expect(response.status).toBe(200);
    expect(gateway.backend.calls[0]?.body).toEqual({
      kind: 'PatchPlayer',
      playerId: id,
      email: null,
      deviceId: 'd',
      isTestPlayer: true,
      attributes: '{"level":null,"vip":true}',
    });
  });

  it('refuses wrong types', async () => {
    for (const body of [{ email: 5 }, { email: 'x' }, { device_id: '' }, { is_test_player: 1 }, { attributes: [1] }]) {
      expect((await patch(body)).status).toBe(400);
    }
    expect(gateway.backend.calls).toEqual([]);
  });

  it('binds an Idempotency-Key to method, path and body', async () => {
    const hashes = [];
    for (const [path, body] of [
      ['/a', '{}'],
      ['/a', '{}'],
      ['/a', '{ }'],
      ['/b', '{}'],
    ]) {
      gateway.backend.calls.length = 0;
      const target = path === '/a' ? id : id.replace('6f', '7f');
      await gateway.call(server, 'PATCH', `/v1/players/players/${target}`, body, { 'Idempotency-Key': 'k-1' });
      const sent = gateway.backend.calls[0]?.body;
      if (sent?.kind !== 'PatchPlayer') throw new Error('no patch was sent');
      expect(sent.idempotency?.key).toBe('k-1');
      expect(sent.idempotency?.bodyHash).toMatch(/^[0-9a-f]{64}$/);
      hashes.push(sent.idempotency?.bodyHash);
    }
    expect(hashes[0]).toBe(hashes[1]);
    expect(new Set(hashes).size).toBe(3);
  });

  it('marks a replayed response and refuses invalid Idempotency-Keys', async () => {
    gateway.backend.reply = () => ({ kind: 'player', created: false, player: aPlayer(), replayed: true });
    expect((await patch({}, { 'Idempotency-Key': 'k' })).headers.get('idempotent-replayed')).toBe('true');
    for (const key of ['a b', 'x'.repeat(256), 'caf\u00e9s']) {
      const response = await patch({}, { 'Idempotency-Key': key });
      expect(response.status).toBe(400);
      expect((await bodyOf(response)).error.details.fields[0]?.path).toBe('Idempotency-Key');
    }
  });
});
