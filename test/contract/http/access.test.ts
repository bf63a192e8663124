import { get } from 'node:http';
import { networkInterfaces } from 'node:os';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { systemIds } from '../../../core/kernel/ids.ts';
import { createApiKey } from '../../../streams/config/api-keys.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { playerIn, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { sendRaw } from '../../support/wire/raw-http.ts';
import { until } from '../../support/until.ts';

let gateway: Gateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

const PLAYER = `/v1/players/players/${playerIn(0)}`;
const track = (key: string | undefined, headers?: Record<string, string>, on = gateway) =>
  on.call(key, 'POST', '/v1/events/events', { player_id: playerIn(0), event_name: 'e' }, headers);

describe('an API key', () => {
  it('is required: a missing, unknown or malformed key returns 401 UNAUTHORIZED', async () => {
    const unknown = createApiKey(
      { game: 'demo', environment: 'live', kind: 'server', tier: 'growth', scopes: [] },
      systemClock,
      systemIds,
    ).text;
    for (const key of [undefined, '', 'nonsense', unknown, 'sk_live_']) {
      const response = await gateway.call(key, 'GET', PLAYER);
      expect(response.status).toBe(401);
      expect((await bodyOf(response)).error.code).toBe('UNAUTHORIZED');
    }
    expect(gateway.backend.calls).toEqual([]);
  });

  it('is sent as X-API-Key or as a bearer token; X-API-Key takes precedence', async () => {
    const key = await gateway.key();
    const bearer = (text: string) => ({ Authorization: `Bearer ${text}` });
    expect((await gateway.call(undefined, 'GET', PLAYER, undefined, bearer(key))).status).toBe(200);
    expect((await track(undefined, bearer(key))).status).toBe(200);
    expect((await gateway.call(key, 'GET', PLAYER, undefined, bearer('sk_live_unknown'))).status).toBe(200);
    expect((await gateway.call('sk_live_unknown', 'GET', PLAYER, undefined, bearer(key))).status).toBe(401);
    for (const wrong of [`Basic ${key}`, key, 'Bearer', `Bearer x${key}`]) {
      expect((await track(undefined, { Authorization: wrong })).status).toBe(401);
    }
  });

  it('works from its creation until it is revoked', async () => {
    const key = await gateway.key();
    expect((await gateway.call(key, 'GET', PLAYER)).status).toBe(200);
    await gateway.revoke(key);
    expect((await gateway.call(key, 'GET', PLAYER)).status).toBe(401);
  });

  it('stops working when its document is deleted', async () => {
    const key = await gateway.key();
    expect((await gateway.call(key, 'GET', PLAYER)).status).toBe(200);
    for (const entry of gateway.config.list('key')) await gateway.config.delete(entry);
    expect((await gateway.call(key, 'GET', PLAYER)).status).toBe(401);
  });

  it('must have the kind and environment of its prefix', async () => {
    const made = createApiKey(
      { game: 'demo', environment: 'live', kind: 'server', tier: 'growth', scopes: [] },
      systemClock,
      systemIds,
    );
    await gateway.config.put({ ...made.address, environment: 'test' }, made.document);
    expect((await gateway.call(made.text, 'GET', PLAYER)).status).toBe(401);
    await gateway.config.put(made.address, { ...made.document, kind: 'client' });
    expect((await gateway.call(made.text, 'GET', PLAYER)).status).toBe(401);
  });

  it('of a client gets 403 FORBIDDEN from server endpoints', async () => {
    const client = await gateway.key({ kind: 'client' });
    for (const [method, path] of [
      ['GET', '/v1/players/players/external/p'],
      ['PATCH', PLAYER],
      ['GET', '/v1/events/events/stream'],
      ['POST', '/v1/integrations/webhooks'],
    ] as const) {
      const response = await gateway.call(client, method, path, method === 'GET' ? undefined : {});
      expect(response.status).toBe(403);
      const { code, message } = (await bodyOf(response)).error;
      expect(code).toBe('FORBIDDEN');
      expect(message).toContain('needs a server key (sk_); this is a client key (pk_)');
      expect(message).toContain('`npm run cli -- keys create --kind server`');
    }
    expect(gateway.backend.calls).toEqual([]);
  });
});

describe('paths and methods', () => {
  it('unknown paths are 404 NOT_FOUND, with a key or without', async () => {
    for (const path of ['/', '/v1', '/v1/players', '/v2/players/players', '/a'.repeat(150)]) {
      const response = await gateway.call(undefined, 'GET', path);
      expect(response.status).toBe(404);
      expect((await bodyOf(response)).error.code).toBe('NOT_FOUND');
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
    }
  });

  it('unsupported methods are 405, and Allow lists the supported ones', async () => {
    const response = await gateway.call(undefined, 'DELETE', '/v1/players/players');
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST, GET, HEAD, OPTIONS');
    expect((await bodyOf(response)).error.code).toBe('METHOD_NOT_ALLOWED');
    expect((await gateway.call(undefined, 'PUT', PLAYER)).headers.get('allow')).toBe(
      'GET, HEAD, PATCH, DELETE, OPTIONS',
    );
  });

  it('every response has a unique request id, and no cache may store it', async () => {
    const responses = await Promise.all([
      ...['/healthz', '/readyz', '/nowhere', '/openapi.json', PLAYER].map((path) =>
        gateway.call(undefined, 'GET', path),
      ),
      gateway.call(await gateway.key(), 'GET', PLAYER),
    ]);
    const ids = responses.map(({ headers }) => headers.get('x-request-id'));
    expect(new Set(ids).size).toBe(6);
    expect(ids).not.toContain(null);
    const caching = responses.map(({ headers }) => headers.get('cache-control'));
    // The API description holds nothing of a game.
    expect(caching.toSpliced(3, 1)).toEqual(Array(5).fill('no-store'));
    expect(caching[3]).toBe('no-cache');
    expect(responses.map(({ headers }) => headers.get('x-content-type-options'))).toEqual(Array(6).fill('nosniff'));
  });
});

/** The status of a GET with headers that fetch refuses to send. */
function statusOf(port: number, path: string, headers: Record<string, string>, host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const request = get({ host, port, path, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', reject);
  });
}

describe('probes', () => {
  it('need no key', async () => {
    expect(await bodyOf(await gateway.call(undefined, 'GET', '/healthz'))).toEqual({
      success: true,
      data: { status: 'ok' },
    });
    expect((await gateway.call(undefined, 'GET', '/readyz')).status).toBe(200);
    const metrics = await (await gateway.call(undefined, 'GET', '/metrics')).text();
    expect(metrics).toContain('http_requests_total{route="/healthz",status="200"} 1');
  });

  it('return 503 and the failed checks while the service is not ready', async () => {
    const other = await startGateway({ readiness: () => ({ ready: false, checks: { broker: false }, details: [] }) });
    const response = await other.call(undefined, 'GET', '/readyz');
    expect(response.status).toBe(503);
    expect((await bodyOf(response)).error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { checks: { broker: false } },
    });
    await other.close();
  });

  it('show every check with its state in the verbose form', async () => {
    const details = [
      { name: 'log', ok: true, required: true },
      { name: 'partitions', ok: false, required: false, info: { without_owner: [3] } },
    ];
    const checks = { log: true, partitions: false };
    const other = await startGateway({ readiness: () => ({ ready: true, checks, details }) });
    const dataOf = async (path: string) => (await bodyOf(await other.call(undefined, 'GET', path))).data;
    expect(await dataOf('/readyz')).toEqual({ status: 'ready', checks });
    expect(await dataOf('/readyz?verbose=false')).toEqual({ status: 'ready', checks });
    expect(await dataOf('/readyz?verbose')).toEqual({ status: 'ready', checks, details });
    expect(await dataOf('/readyz?other=1&verbose=true')).toEqual({ status: 'ready', checks, details });
    await other.close();
  });

  it('serve metrics over loopback only, and not through a proxy', async () => {
    const statusWith = (headers: Record<string, string>) => statusOf(gateway.port, '/metrics', headers);
    expect(await statusWith({})).toBe(200);
    expect(await statusWith({ Host: 'localhost' })).toBe(200);
    const foreign = [
      { 'X-Forwarded-For': '203.0.113.7' },
      { Forwarded: 'for=203.0.113.7' },
      { Via: '1.1 proxy' },
      { 'X-Real-IP': '203.0.113.7' },
      { Host: 'game.example' },
    ];
    for (const headers of foreign) expect(await statusWith(headers)).toBe(404);

    const outside = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
    const address = outside.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    const other = await startGateway({ host: '0.0.0.0' });
    expect(await statusOf(other.port, '/metrics', {})).toBe(200);
    if (address !== undefined) expect(await statusOf(other.port, '/metrics', {}, address)).toBe(404);
    await other.close();
  });

  it('serve metrics to everybody with METRICS_PUBLIC', async () => {
    const other = await startGateway({
      config: { corsOrigins: ['*'], trustedProxies: [], metricsPort: undefined, metricsPublic: true },
    });
    expect(await statusOf(other.port, '/metrics', { 'X-Forwarded-For': '203.0.113.7', Host: 'game.example' })).toBe(
      200,
    );
    await other.close();
  });

  it('serve metrics on a separate port with METRICS_PORT', async () => {
    const other = await startGateway({
      config: { corsOrigins: ['*'], trustedProxies: [], metricsPort: 0, metricsPublic: false },
    });
    expect((await other.call(undefined, 'GET', '/metrics')).status).toBe(404);
    const apart = await fetch(`http://127.0.0.1:${other.server.metricsPort}/metrics`);
    expect(apart.status).toBe(200);
    const throughProxy = await statusOf(other.server.metricsPort ?? 0, '/metrics', { Via: '1.1 proxy', Host: 'game' });
    expect(throughProxy).toBe(200);
    expect(await apart.text()).toContain('# HELP http_requests_total');
    await other.close();
  });
});

describe('rate limits', () => {
  it('are in the headers of every metered response, and above them the response is 429 with Retry-After', async () => {
    const key = await gateway.key({ kind: 'client', tier: 'growth' });
    const first = await track(key);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit-limit')).toBe('1000');
    expect(first.headers.get('ratelimit-remaining')).toBe('999');
    expect(Number(first.headers.get('ratelimit-reset'))).toBeGreaterThan(0);
    const invalid = await gateway.call(key, 'POST', '/v1/events/events', {});
    expect(invalid.status).toBe(400);
    expect(invalid.headers.get('ratelimit-remaining')).toBe('998');
    for (let sent = 0; sent < 998; sent += 1) {
      const response = await track(key);
      expect(response.status).toBe(200);
      await response.arrayBuffer();
    }
    const refused = await track(key);
    expect(refused.status).toBe(429);
    expect((await bodyOf(refused)).error.code).toBe('RATE_LIMIT_EXCEEDED');
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    const retryAfter = Number(refused.headers.get('retry-after'));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(61);
    expect(gateway.backend.calls).toHaveLength(999);
    expect((await gateway.call(key, 'GET', PLAYER)).status).toBe(429);
    expect((await track(await gateway.key({ kind: 'client', tier: 'growth' }))).status).toBe(200);
  });

  it('count every request of a client key, and requests of server keys to game and event endpoints only', async () => {
    const [client, server] = await Promise.all(
      (['client', 'server'] as const).map((kind) => gateway.key({ kind, tier: 'growth', scopes: ['scoring:write'] })),
    );
    for (const [method, path] of [
      ['POST', '/v1/players/players'],
      ['GET', PLAYER],
      ['POST', `${PLAYER}/session`],
      ['POST', `${PLAYER}/purchase?amount=1`],
      ['POST', '/v1/scoring/first-user-conversion'],
      ['POST', '/v1/flags/flags/evaluate'],
      ['POST', '/ofrep/v1/evaluate/flags'],
    ] as const) {
      const metered = async (key: string | undefined) => {
        const response = await gateway.call(key, method, path, method === 'POST' ? {} : undefined);
        return response.headers.get('ratelimit-limit');
      };
      expect(await metered(client), path).toBe('1000');
      expect(await metered(server), path).toBeNull();
    }
  });

  it('leave capacity for other players of a client key while one of them floods it with malformed bodies', async () => {
    const shared = await startGateway({
      config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
    });
    const key = await shared.key({ kind: 'client', tier: 'growth' });
    const from = (address: string) => ({ 'X-Forwarded-For': address });
    for (let player = 1; player <= 20; player += 1) {
      expect((await track(key, from(`192.0.2.${player}`), shared)).status).toBe(200);
    }
    const statuses: number[] = [];
    for (let sent = 0; sent < 1_200; sent += 1) {
      const response = await shared.call(key, 'POST', '/v1/events/events', '{', from('198.51.100.1'));
      statuses.push(response.status);
      await response.arrayBuffer();
    }
    const answered = Map.groupBy(statuses, (status) => status);
    expect(new Set(answered.keys())).toEqual(new Set([400, 429]));
    expect(answered.get(400)?.length).toBeLessThan(520);
    for (let player = 1; player <= 20; player += 1) {
      for (let sent = 0; sent < 10; sent += 1) {
        const response = await track(key, from(`192.0.2.${player}`), shared);
        expect(response.status).toBe(200);
        await response.arrayBuffer();
      }
    }
    await shared.close();
  });

  it('use the address that the trusted proxy added, also in a separate header line after a forged one', async () => {
    const shared = await startGateway({
      config: { corsOrigins: ['*'], metricsPort: undefined, metricsPublic: false, trustedProxies: ['127.0.0.1'] },
    });
    const key = await shared.key({ kind: 'client', tier: 'growth' });
    const head = (lines: string[]) =>
      ['GET /v1/players/players/x HTTP/1.1', 'Host: x', `X-API-Key: ${key}`, ...lines, '', ''].join('\r\n');
    const statusesOf = async (requests: string[]): Promise<string[]> => {
      const found = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
      const { text } = await sendRaw(shared.port, requests, (sofar) => found(sofar).length >= requests.length);
      return found(text);
    };
    for (let player = 1; player <= 20; player += 1) {
      expect(await statusesOf([head([`X-Forwarded-For: 192.0.2.${player}`])])).toEqual(['400']);
    }
    const flood: string[] = [];
    for (let round = 0; round < 60; round += 1) {
      const requests = Array.from({ length: 20 }, (_, i) =>
        head([`X-Forwarded-For: 203.0.113.${round}, 10.${round}.0.${i}`, 'X-Forwarded-For: 198.51.100.1']),
      );
      flood.push(...(await statusesOf(requests)));
    }
    expect(flood.filter((status) => status === '400').length).toBeLessThan(520);
    expect(await statusesOf([head(['X-Forwarded-For: 192.0.2.1'])])).toEqual(['400']);
    await shared.close();
  });

  it('do not apply to unmetered keys', async () => {
    const response = await track(await gateway.key({ tier: 'enterprise' }));
    expect(response.headers.get('ratelimit-limit')).toBeNull();
  });

  it('are shared by all gateways, including one that joins later', async () => {
    const broker = createMemoryBroker({ clock: systemClock });
    const one = await startGateway({ log: broker.connect('one') });
    const two = await startGateway({ log: broker.connect('two'), configStore: one.config });
    const key = await one.key({ kind: 'client', tier: 'growth' });
    for (let sent = 0; sent < 20; sent += 1) await track(key, {}, one);
    const remaining = async (on: Gateway) => Number((await track(key, {}, on)).headers.get('ratelimit-remaining'));
    await until('the second gateway counts what the first let through', async () => (await remaining(two)) <= 979);
    const three = await startGateway({ log: broker.connect('three'), configStore: one.config });
    await until('the third gateway learns of the past', async () => (await remaining(three)) <= 977);
    await Promise.all([one.close(), two.close(), three.close()]);
  });
});

describe('CORS', () => {
  const preflight = (path: string, method: string, on = gateway) =>
    fetch(on.url + path, {
      method: 'OPTIONS',
      headers: { Origin: 'https://game.example', 'Access-Control-Request-Method': method },
    });

  it('answers preflights without a key for every endpoint that client keys may call', async () => {
    for (const [path, method] of [
      ['/v1/events/events', 'POST'],
      ['/v1/events/events/batch', 'POST'],
      ['/v1/players/players', 'POST'],
      [PLAYER, 'GET'],
    ] as const) {
      const response = await preflight(path, method);
      expect(response.status).toBe(204);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(response.headers.get('access-control-allow-methods')).toContain(method);
      expect(response.headers.get('access-control-allow-headers')).toContain('X-API-Key');
    }
  });

  it('is not allowed for endpoints that only server keys may call', async () => {
    for (const path of ['/v1/integrations/webhooks', '/v1/players/players/external/p']) {
      const response = await preflight(path, 'POST');
      expect(response.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('exposes the headers of responses and errors', async () => {
    for (const key of [await gateway.key({ kind: 'client' }), undefined]) {
      const response = await track(key, { Origin: 'https://game.example' });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      const exposed = response.headers.get('access-control-expose-headers');
      for (const name of [
        'X-Request-Id',
        'RateLimit-Remaining',
        'Retry-After',
        'Idempotent-Replayed',
        'X-Ignored-Fields',
        'ETag',
      ]) {
        expect(exposed).toContain(name);
      }
    }
  });

  it('allows the configured origins only', async () => {
    const config = {
      corsOrigins: ['https://game.example'],
      metricsPort: undefined,
      metricsPublic: false,
      trustedProxies: [],
    };
    const other = await startGateway({ config });
    const response = await preflight('/v1/events/events', 'POST', other);
    expect(response.headers.get('access-control-allow-origin')).toBe('https://game.example');
    expect(response.headers.get('vary')).toBe('Origin');
    const stranger = await track(undefined, { Origin: 'https://evil.example' }, other);
    expect(stranger.headers.get('access-control-allow-origin')).toBeNull();
    expect(stranger.headers.get('vary')).toBe('Origin');
    await other.close();
  });
});

describe('a bug', () => {
  it('returns 500 with a request id and no internals, and the next request is served', async () => {
    const key = await gateway.key();
    gateway.backend.reply = () => {
      throw new Error('secret detail');
    };
    const response = await gateway.call(key, 'GET', PLAYER);
    expect(response.status).toBe(500);
    const body = await bodyOf(response);
    expect(body.error).toEqual({
      code: 'INTERNAL_ERROR',
      message: 'Internal error. Report it with the request id.',
      details: { request_id: response.headers.get('x-request-id') },
    });
    gateway.backend.reply = () => ({ kind: 'claimed' });
    expect((await gateway.call(key, 'GET', PLAYER)).status).toBe(500);
    expect((await gateway.call(key, 'GET', '/healthz')).status).toBe(200);
  });
});
