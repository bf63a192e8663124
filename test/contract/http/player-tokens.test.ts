import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { flagsOf } from '../../../actors/flags/testing-served-flags.ts';
import type { Subject } from '../../../actors/decision/targeting.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { segmentRoutes } from '../../../src/api/segment-clients/segment-routes.ts';
import type { GameDocument } from '../../../core/vocabulary/documents/game.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { playerTokensAddress } from '../../../streams/config/player-tokens.ts';
import type { PlayerTokenSecrets } from '../../../core/vocabulary/player-token-secrets.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

/* A game whose client keys act for the player of a token only. */

const T = Date.UTC(2026, 0, 15, 10, 30);
const SECRET = 'ptsec_test';

let nowMs = T;
let owner: DecidingBackend;
let gateway: Gateway;
let client: string;
let server: string;
let mine: string;
let other: string;

beforeEach(async () => {
  nowMs = T;
  const clock = { ...systemClock, wallMs: () => nowMs };
  // The flag answers whom it was evaluated for.
  const shop = ({ player }: Subject) => ({ value: JSON.stringify(player.externalId) });
  owner = createDecidingBackend(clock, flagsOf({ shop }));
  gateway = await startGateway({
    backend: owner,
    clock,
    scorer: { score: async () => ({ kind: 'failure', code: 'MODEL_UNAVAILABLE' }) },
  });
  client = await gateway.key({ kind: 'client', scopes: ['scoring:write'] });
  server = await gateway.key();
  mine = await register('me');
  other = await register('other');
  await setSecrets({ secret: SECRET });
  await setGame({ requirePlayerToken: true });
});
afterEach(() => gateway.close());

async function register(externalId: string): Promise<string> {
  const response = await gateway.call(server, 'POST', '/v1/players/players', {
    external_id: externalId,
    email: 'm@example.com',
    device_id: 'phone',
  });
  return String((await bodyOf(response)).data['id']);
}

async function setGame(change: Partial<GameDocument>): Promise<void> {
  const game = gateway.config.get(gameAddress('demo'));
  if (game === undefined) throw new Error('there is no game');
  await gateway.config.put(gameAddress('demo'), { ...game.document, ...change });
}

const setSecrets = (secrets: PlayerTokenSecrets) => gateway.config.put(playerTokensAddress('demo'), secrets);

function token(sub: string, { secret = SECRET, seconds = 60 } = {}): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ sub, exp: Math.floor(nowMs / 1_000) + seconds })}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

async function call(method: string, path: string, body?: unknown, bearer?: string, key = client) {
  const response = await gateway.call(
    key,
    method,
    path,
    body,
    bearer === undefined ? {} : { 'X-Player-Token': bearer },
  );
  const text = await response.text();
  return { status: response.status, text };
}

const session = 'ses_019bc0de-1234-7abc-8def-0123456789ab';
/** Every route that a client key may call, for a player by id and external_id. `status` is for the player itself. */
const requests = (id: string, externalId: string): [status: number, method: string, path: string, body?: unknown][] => [
  [200, 'POST', '/v1/players/players', { external_id: externalId }],
  [200, 'GET', `/v1/players/players/${id}`],
  [200, 'POST', `/v1/players/players/${id}/session`, { session_id: 's', duration_seconds: 1 }],
  [200, 'POST', `/v1/players/players/${id}/purchase?amount=1`],
  [200, 'POST', '/v1/bff/game/init', { player_id: id }],
  [404, 'POST', '/v1/bff/game/sync', { player_id: id, session_id: session, events: [] }],
  [404, 'POST', '/v1/bff/game/end-session', { player_id: id, session_id: session, session_duration_seconds: 0 }],
  [200, 'POST', '/v1/events/events', { player_id: id, event_name: 'win' }],
  [200, 'POST', '/v1/events/events/batch', { events: [{ player_id: id, event_name: 'win' }] }],
  [200, 'POST', '/v1/flags/flags/shop/evaluate', { player_id: id }],
  [200, 'POST', '/v1/flags/flags/evaluate', { player_id: id }],
  [200, 'POST', '/ofrep/v1/evaluate/flags/shop', { context: { targetingKey: id } }],
  [200, 'POST', '/ofrep/v1/evaluate/flags', { context: { targetingKey: externalId } }],
];

describe('the rate limit of a client key', () => {
  it('is divided among the players of tokens, also behind one address; invalid tokens count for the address', async () => {
    const shared = await gateway.key({ kind: 'client', tier: 'growth' });
    const [me, them] = [token('me'), token('other')];
    const read = async (bearer: string, id: string) =>
      (await call('GET', `/v1/players/players/${id}`, undefined, bearer, shared)).status;
    for (let sent = 0; sent < 20; sent += 1) expect(await read(them, other)).toBe(200);
    const flood = new Map<number, number>();
    for (let sent = 0; sent < 1_000; sent += 1) {
      const status = await read(me, mine);
      flood.set(status, (flood.get(status) ?? 0) + 1);
    }
    expect(flood.get(429)).toBeGreaterThan(100);
    expect(await read(them, other)).toBe(200);
    expect(await read('x.y.z', other)).toBe(403);
    const after = await gateway.call(shared, 'GET', `/v1/players/players/${other}`, undefined, {
      'X-Player-Token': them,
    });
    expect(Number(after.headers.get('ratelimit-remaining'))).toBe(1_000 - (flood.get(200) ?? 0) - 23);
  });
});

describe('an address that keeps sending bad tokens', () => {
  it('is refused by the rate limit before its tokens are checked; tokens known to be good still pass', async () => {
    const shared = await gateway.key({ kind: 'client', tier: 'growth' });
    const read = async (bearer: string, id: string) =>
      (await call('GET', `/v1/players/players/${id}`, undefined, bearer, shared)).status;
    for (let sent = 0; sent < 20; sent += 1) expect(await read(token('other'), other)).toBe(200);
    const flood = new Set<number>();
    for (let sent = 0; sent < 99; sent += 1) flood.add(await read(`x.y.${sent}`, mine));
    expect([...flood]).toEqual([403]);
    expect(await read(token('me'), mine)).toBe(200);
    for (let sent = 0; sent < 900; sent += 1) flood.add(await read(`x.y.${sent}`, mine));
    expect([...flood]).toEqual([403, 429]);
    // Only the check of the signature can accept this token.
    expect(await read(token('me', { seconds: 61 }), mine)).toBe(429);
    expect(await read(token('me'), mine)).toBe(200);
    expect(await read(token('other'), other)).toBe(200);
  });
});

describe('if a game requires player tokens', () => {
  it('a client key acts for the player of its token, on every route', async () => {
    for (const [status, method, path, body] of requests(mine, 'me')) {
      expect([path, (await call(method, path, body, token('me'))).status]).toEqual([path, status]);
    }
  });

  it('it acts for no other player, on every route, and does not change that player', async () => {
    const before = owner.facts.length;
    for (const [, method, path, body] of requests(other, 'other')) {
      expect([path, (await call(method, path, body, token('me'))).status]).toEqual([path, 403]);
    }
    expect(owner.facts).toHaveLength(before);
  });

  it('it does nothing without a token, not even scoring; a server key needs none', async () => {
    for (const [, method, path, body] of requests(mine, 'me')) {
      expect([path, (await call(method, path, body)).status]).toEqual([path, 403]);
    }
    expect((await call('POST', '/v1/scoring/first-user-conversion', { device_id: 'd' })).status).toBe(403);
    for (const [status, method, path, body] of requests(mine, 'me')) {
      expect([path, (await call(method, path, body, undefined, server)).status]).toEqual([path, status]);
    }
  });

  it("a client of Segment needs one too, and only its own player's messages are stored", async () => {
    const message = (userId: string) => ({ type: 'track', event: 'win', userId, messageId: `m-${userId}` });
    const bodies = (userId: string): [string, object][] => [
      ['/v1/track', message(userId)],
      ['/v1/batch', { batch: [message(userId)] }],
    ];
    const before = owner.facts.length;
    for (const [path, body] of bodies('me')) expect((await call('POST', path, body)).status).toBe(403);
    for (const [path, body] of bodies('other')) expect((await call('POST', path, body, token('me'))).status).toBe(200);
    expect(owner.facts).toHaveLength(before);
    for (const [path, body] of bodies('me')) expect((await call('POST', path, body, token('me'))).status).toBe(200);
    expect(owner.facts.slice(before)).toMatchObject([{ kind: 'EventTracked', entityId: mine }]);
  });

  it('these tests cover every route that a client key may call', async () => {
    const document: { paths: Record<string, Record<string, { parameters?: { name: string }[] }>> } = JSON.parse(
      await (await fetch(`${gateway.url}/openapi.json`)).text(),
    );
    const forClients = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { parameters = [] }]) => parameters.some(({ name }) => name === 'X-Player-Token'))
        .map(([method]) => `${method.toUpperCase()} ${path.replace('{id}', mine).replace('{key}', 'shop')}`),
    );
    const named = requests(mine, 'me').map(([, method, path]) => `${method} ${path.split('?')[0]}`);
    const others = new Set([
      // They share one way in.
      ...segmentRoutes.map(({ method, path }) => `${method} ${path}`),
      // They have tests of their own.
      'GET /v1/flags/changes',
      `POST /v1/players/players/${mine}/merge`,
    ]);
    expect(forClients.filter((route) => !others.has(route) && !route.includes('/scoring/')).toSorted()).toEqual(
      named.toSorted(),
    );
  });

  it('each item of a batch is validated on its own', async () => {
    const events = [mine, other].map((player_id) => ({ player_id, event_name: 'win' }));
    const { text } = await call('POST', '/v1/events/events/batch', { events }, token('me'));
    expect(JSON.parse(text).data).toMatchObject({
      accepted: 1,
      results: [{ status: 'accepted' }, { status: 'rejected', error: { code: 'FORBIDDEN' } }],
    });
  });

  it('a token whose external_id looks like the id of another player acts for its own player only', async () => {
    const bearer = token(other);
    const before = owner.facts.length;
    const evaluated = async (...as: [bearer?: string, key?: string]) => {
      const body = { context: { targetingKey: other } };
      const { status, text } = await call('POST', '/ofrep/v1/evaluate/flags', body, ...as);
      return [status, JSON.parse(text).flags[0].value];
    };
    expect(await evaluated(undefined, server)).toEqual([200, 'other']);
    // Its own player is not registered, and is evaluated as an empty one.
    expect(await evaluated(bearer)).toEqual([200, other]);
    expect((await call('GET', `/v1/players/players/${other}`, undefined, bearer)).status).toBe(403);
    expect(owner.facts).toHaveLength(before);
  });

  it('a player who registers gets all its data, and can change its device but not its e-mail address', async () => {
    const body = { external_id: 'me', device_id: 'tablet', email: 'new@example.com', attributes: { level: 1 } };
    const { text } = await call('POST', '/v1/players/players', body, token('me'));
    expect(JSON.parse(text).data).toMatchObject({ device_id: 'tablet', attributes: { level: 1 } });
    expect(owner.state(mine)).toMatchObject({ deviceId: 'tablet', email: 'm@example.com' });
  });

  it('a token ends a minute after its expiry, also if it was used before', async () => {
    const bearer = token('me', { seconds: 60 });
    const get = async () => (await call('GET', `/v1/players/players/${mine}`, undefined, bearer)).status;
    expect(await get()).toBe(200);
    nowMs = T + 119_999;
    expect(await get()).toBe(200);
    nowMs = T + 120_000;
    expect(await get()).toBe(403);
  });

  it('a token of the previous secret is valid until the overlap ends, also if it was used before', async () => {
    const bearer = token('me', { seconds: 3_600 });
    const get = async (text = bearer) => (await call('GET', `/v1/players/players/${mine}`, undefined, text)).status;
    expect(await get()).toBe(200);
    await setSecrets({ secret: 'ptsec_new', previous: { secret: SECRET, until: T + 1_000 } });
    expect(await get()).toBe(200);
    expect(await get(token('me', { secret: 'ptsec_new' }))).toBe(200);
    nowMs = T + 1_000;
    expect(await get()).toBe(403);
    await setSecrets({ secret: 'ptsec_newest' });
    expect(await get(token('me', { secret: 'ptsec_new' }))).toBe(403);
  });

  it('a token of one game or environment is invalid in another', async () => {
    const bearer = token('me', { seconds: 3_600 });
    expect((await call('GET', `/v1/players/players/${mine}`, undefined, bearer)).status).toBe(200);
    const test = await gateway.key({ kind: 'client', environment: 'test' });
    expect((await call('GET', `/v1/players/players/${mine}`, undefined, bearer, test)).status).toBe(403);
    const foreign = await gateway.key({ kind: 'client', game: 'other' });
    expect((await call('GET', `/v1/players/players/${mine}`, undefined, bearer, foreign)).status).toBe(403);
  });

  it('browsers can send it', async () => {
    const response = await fetch(`${gateway.url}/v1/bff/game/init`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://game.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(response.headers.get('access-control-allow-headers')).toContain('X-Player-Token');
  });
});

describe('if a game requires no player tokens', () => {
  it('a token still restricts the request, and an invalid one is refused', async () => {
    await setGame({ requirePlayerToken: false });
    const get = async (id: string, bearer?: string) =>
      (await call('GET', `/v1/players/players/${id}`, undefined, bearer)).status;
    expect(await get(other)).toBe(200);
    expect([await get(mine, token('me')), await get(other, token('me')), await get(mine, 'x.y.z')]).toEqual([
      200, 403, 403,
    ]);
    await gateway.config.delete(playerTokensAddress('demo'));
    expect([await get(mine), await get(mine, token('me'))]).toEqual([200, 403]);
  });
});
