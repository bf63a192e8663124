import { describe, expect, it } from 'vitest';
import { Type } from 'typebox';
import { compile } from '../../../core/kernel/validation/validation.ts';
import type { Route } from '../../../src/api/route/route.ts';
import { declaredRoutes } from '../scripts/generate-operations.ts';
import { ENDPOINTS } from '../server/generated/endpoints.ts';
import type { OperationName, StreamName } from '../server/operation-types.ts';
import { createRequests } from '../server/outbox/requests.ts';
import { ServiceError } from '../server/service-error.ts';
import { createServerWorld, type Received, type Reply } from './support/server-world.ts';

const GET_FLAG = 'GET /v1/flags/flags/{key}';
const CREATE_FLAG = 'POST /v1/flags/flags';

/** The error of a call. */
async function failureOf(call: Promise<unknown>): Promise<ServiceError> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ServiceError)) throw new Error(`it ended with ${String(error)}`);
  return error;
}

function setUp(replies: Reply[] = []) {
  const world = createServerWorld();
  world.reply = () => replies.shift() ?? { data: { key: 'shop' } };
  const server = world.start();
  const getFlag = (options = {}) => server.call(GET_FLAG, { path: { key: 'shop' }, ...options });
  const create = (options = {}) =>
    server.call(CREATE_FLAG, { body: { key: 'shop', flag_type: 'boolean' }, ...options });
  return { world, server, getFlag, create };
}

/** Values for parameters of the query that are no text. */
const QUERY: Record<string, unknown> = { amount: 9.99, since: '2026-01-15T10:30:00Z', at: '2026-01-16T11:31:01Z' };
/** A value for a parameter of the path. */
const SAMPLE = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';

const isEndpoint = (name: string): name is OperationName => Object.hasOwn(ENDPOINTS, name);
const isStream = (name: OperationName): name is StreamName => ENDPOINTS[name].answers === 'stream';

/** The route of a request, with its parameters, as the gateway finds it. */
function routeOf({ method, path }: Received) {
  for (const route of declaredRoutes) {
    const pattern = new RegExp(`^${route.path.replaceAll(/[.]/g, '\\.').replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    const match = pattern.exec(path);
    // Literal segments win over parameters.
    if (route.method !== method || match === null) continue;
    const exact = declaredRoutes.find((other) => other.method === method && other.path === path);
    return { route: exact ?? route, params: exact === undefined ? { ...match.groups } : {} };
  }
  throw new Error(`no route takes ${method} ${path}`);
}

describe('every endpoint', () => {
  it('is one of the routes, and every route is an endpoint', () => {
    const names = declaredRoutes.map(({ method, path }) => `${method} ${path}`);
    expect(Object.keys(ENDPOINTS)).toEqual(names);
    expect(names.length).toBeGreaterThan(90);
  });

  it.each(declaredRoutes.map((route): [string, Route] => [`${route.method} ${route.path}`, route]))(
    '%s is reached with its method, path and a body that it accepts',
    async (name, route) => {
      const world = createServerWorld();
      if (!isEndpoint(name)) throw new Error(`${name} is missing`);
      const { answers } = ENDPOINTS[name];
      world.reply = () => (answers === 'json' ? { status: 200, text: '{"a":1}' } : { data: 1 });
      const requests = createRequests({
        baseUrl: 'http://service.test/',
        key: 'sk_test_1',
        timeoutMs: 1000,
        retries: 0,
        longestWaitMs: 0,
        maxAnswerBytes: 1_000,
        platform: world.platform,
      });
      const path = Object.fromEntries([...route.path.matchAll(/\{(\w+)\}/g)].map(([, param = '']) => [param, SAMPLE]));
      const required = Object.entries(route.input.query?.properties ?? {}).filter(([param]) =>
        route.input.query?.required?.includes(param),
      );
      const query = Object.fromEntries(required.map(([param]) => [param, QUERY[param] ?? 'x']));
      const input = Object({ path, query, body: route.example });
      if (isStream(name)) await requests.open(name, input).catch((error: unknown) => error);
      else await requests.send(name, input);
      const [received] = world.received;
      if (received === undefined) throw new Error('nothing was sent');
      const found = routeOf(received);
      expect(found.route).toBe(route);
      const raw = {
        params: found.params,
        query: Object.fromEntries(received.query),
        headers: {},
        ...(route.input.body === undefined ? {} : { body: received.body }),
      };
      const check = compile(Type.Object(route.input));
      expect(check.accepts(raw) ? [] : check.faultsOf(raw)).toEqual([]);
      expect(received.headers['Idempotency-Key'] !== undefined).toBe(route.idempotent === true);
    },
  );
});

describe('a call', () => {
  it('answers the data, and with `request` the status and headers', async () => {
    const { server, getFlag } = setUp([
      { data: { key: 'shop', version: 3 } },
      { data: { key: 'shop' }, headers: { ETag: '"3"', 'Idempotent-Replayed': 'true' } },
    ]);
    expect(await getFlag()).toEqual({ key: 'shop', version: 3 });
    expect(await server.request(GET_FLAG, { path: { key: 'shop' } })).toMatchObject({
      status: 200,
      etag: '"3"',
      replayed: true,
      requestId: 'req_2',
    });
  });

  it('writes parameters so that they stay in their place', async () => {
    const { world, server } = setUp();
    await server.call(GET_FLAG, { path: { key: 'a/b?c#d %' } });
    expect(world.received[0]?.path).toBe('/v1/flags/flags/a%2Fb%3Fc%23d%20%25');
    for (const key of ['', '.', '..']) {
      await expect(server.call(GET_FLAG, { path: { key } })).rejects.toThrow('`path.key` is missing');
    }
    await server.call('GET /v1/events/events', { query: { player_id: SAMPLE, limit: 2 } });
    expect(String(world.received.at(-1)?.query)).toBe(`player_id=${SAMPLE}&limit=2`);
  });

  it('fails with code, fields, status and request id of the service', async () => {
    const fields = [{ path: '/key', message: 'must be a string' }];
    const { world, create } = setUp([{ status: 400, code: 'VALIDATION_ERROR', details: { fields, more: 1 } }]);
    const error = await failureOf(create());
    expect(error).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', fields, requestId: 'req_1' });
    expect(error).toMatchObject({ details: { more: 1 }, mayHaveTakenEffect: false, operation: CREATE_FLAG });
    expect(error.message).toContain('It is 400.');
    expect(world.received).toHaveLength(1);
  });

  it('repeats a read and a write with a key, the same key each time, with growing waits', async () => {
    for (const operation of ['getFlag', 'create'] as const) {
      const { world, ...calls } = setUp(['cut', { status: 503, code: 'SERVICE_UNAVAILABLE' }, { status: 502 }]);
      const call = calls[operation]();
      await world.clock.advance(10_000);
      expect(await call).toEqual({ key: 'shop' });
      const keys = new Set(world.received.map(({ headers }) => headers['Idempotency-Key']));
      expect([world.received.length, keys.size]).toEqual([4, 1]);
      const [first, second, third, fourth] = world.received.map(({ atMs }) => atMs);
      expect([second! - first!, third! - second!, fourth! - third!]).toEqual([150, 300, 600]);
    }
  });

  it('never repeats what could count twice, and says that it may have taken effect', async () => {
    const { world, server } = setUp(['cut', { status: 503, code: 'SERVICE_UNAVAILABLE' }]);
    const score = () =>
      failureOf(server.call('POST /v1/scoring/first-user-conversion', { body: { device_id: 'device' } }));
    expect(await score()).toMatchObject({ code: 'NETWORK_ERROR', status: undefined, mayHaveTakenEffect: true });
    expect(await score()).toMatchObject({ code: 'SERVICE_UNAVAILABLE', mayHaveTakenEffect: true });
    expect(world.received).toHaveLength(2);
  });

  it('waits as long as the service asks, and fails if that is too long', async () => {
    const limited = (seconds: string): Reply => ({
      status: 429,
      code: 'RATE_LIMIT_EXCEEDED',
      headers: { 'Retry-After': seconds },
    });
    const { world, server, getFlag } = setUp([limited('7'), { data: 1 }, limited('31')]);
    // A refused score was not stored, so it may be sent again.
    const call = server.call('POST /v1/scoring/first-user-conversion', { body: { device_id: 'device' } });
    await world.clock.advance(6_999);
    expect(world.received).toHaveLength(1);
    await world.clock.advance(1);
    expect(await call).toBe(1);
    expect(await failureOf(getFlag())).toMatchObject({ code: 'RATE_LIMIT_EXCEEDED', retryAfterMs: 31_000 });
  });

  it('gives up after its retries, and with `retries: 0` at once', async () => {
    const { world, getFlag } = setUp(Array<Reply>(9).fill('cut'));
    const call = failureOf(getFlag());
    await world.clock.advance(10_000);
    expect(await call).toMatchObject({ code: 'NETWORK_ERROR' });
    expect(world.received).toHaveLength(4);
    await failureOf(getFlag({ retries: 0 }));
    expect(world.received).toHaveLength(5);
  });

  it('ends after its time, and with the signal of the caller', async () => {
    const { world, getFlag } = setUp(['hang', 'hang', 'cut']);
    const late = failureOf(getFlag({ timeoutMs: 500, retries: 0 }));
    await world.clock.advance(500);
    expect(await late).toMatchObject({ code: 'TIMEOUT', mayHaveTakenEffect: true });
    for (const during of ['request', 'wait']) {
      const aborter = new AbortController();
      const call = getFlag({ signal: aborter.signal });
      await world.clock.flush();
      aborter.abort(new Error(during));
      await expect(call).rejects.toThrow(during);
    }
    expect(world.clock.timers).toBe(0);
    const before = world.received.length;
    await expect(getFlag({ signal: AbortSignal.abort(new Error('before')) })).rejects.toThrow('before');
    expect(world.received).toHaveLength(before);
  });

  it('takes nothing else for an answer of the service', async () => {
    for (const reply of [
      { status: 200, text: '<html>' },
      { status: 200, text: '{"success":false}' },
      { status: 302, headers: { Location: 'http://elsewhere.test/' } },
      { status: 404, text: 'not here' },
    ]) {
      const { getFlag } = setUp([reply]);
      expect(await failureOf(getFlag({ retries: 0 }))).toMatchObject({ code: 'BAD_ANSWER', status: reply.status });
    }
    const { server } = setUp([
      { status: 304, text: '' },
      { status: 400, text: '{"errorCode":"PARSE_ERROR"}' },
    ]);
    const definitions = server.call('GET /v1/flags/definitions', { header: { 'If-None-Match': '"1"' } });
    expect(await failureOf(definitions)).toMatchObject({ code: 'NOT_MODIFIED', status: 304 });
    const ofrep = server.call('POST /ofrep/v1/evaluate/flags', { body: {} });
    expect(await failureOf(ofrep)).toMatchObject({ status: 400, details: { errorCode: 'PARSE_ERROR' } });
  });

  it('needs an address and a server key', () => {
    const { world } = setUp();
    expect(() => world.start({ baseUrl: '' })).toThrow('`baseUrl`');
    expect(() => world.start({ baseUrl: 'localhost:8080' })).toThrow('http://');
    expect(() => world.start({ key: 'pk_live_1' })).toThrow('server key');
  });
});
