import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TrackItem } from '../../../core/vocabulary/commands/commands.ts';
import { playerIdOf } from '../../../src/api/players/player-id.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { API_LIMITS } from '../../../src/api/limits.ts';
import { SEGMENT_CLIENT_LIMITS } from '../../../src/api/segment-clients/limits.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { accept, type Call, startGateway, unavailable, type Gateway } from '../../support/in-memory/http-gateway.ts';

/* The endpoints for Segment's clients, with a backend that records the commands. */

let gateway: Gateway;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  key = await gateway.key({ kind: 'client' });
});
afterAll(() => gateway.close());
beforeEach(() => {
  gateway.backend.calls.length = 0;
  gateway.backend.reply = accept;
});

const basic = (text: string) => ({ Authorization: `Basic ${Buffer.from(`${text}:`).toString('base64')}` });
const send = (path: string, body: unknown, headers: Record<string, string> = basic(key)) =>
  fetch(gateway.url + path, {
    method: 'POST',
    headers,
    body: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  });
const commands = (): Call['body'][] => gateway.backend.calls.map(({ body }) => body);
const items = (): TrackItem[] => commands().flatMap((body) => (body.kind === 'TrackEvents' ? body.items : []));
const idOf = (externalId: string) =>
  playerIdOf({ namespace: gateway.namespace('demo'), environment: 'live' }, externalId);
const track = (some: Record<string, unknown> = {}) => ({
  type: 'track',
  userId: 'u1',
  event: 'e',
  messageId: 'm1',
  ...some,
});
const stored = async (response: Response) => {
  expect({ status: response.status, body: await response.json() }).toEqual({ status: 200, body: { success: true } });
};

describe('the key of a Segment client', () => {
  it('is found in Basic authentication, the query, the body and the usual headers', async () => {
    await stored(await send('/v1/batch', { batch: [track()] }));
    await stored(await send(`/beacon/v1/batch?writeKey=${key}`, { batch: [track()] }, {}));
    await stored(await send('/v1/batch', { batch: [track()], writeKey: key }, {}));
    await stored(await send('/v1/t', { writeKey: key, ...track() }, {}));
    await stored(await send('/v1/b', `{"batch":[${JSON.stringify(track())}], "writeKey" : "${key}" }`, {}));
    await stored(await send('/v1/batch', { batch: [track()] }, { 'X-API-Key': key }));
    await stored(await send('/v1/batch', { batch: [track()] }, { Authorization: `Bearer ${key}` }));
    expect(items()).toHaveLength(7);
  });

  it('is found in a compressed body behind keys that are not valid', async () => {
    const body = gzipSync(JSON.stringify({ writeKey: key, batch: [track({ properties: { writeKey: 'mine' } })] }));
    await stored(await send('/v1/b', body, { 'Content-Encoding': 'gzip' }));
    expect(items()[0]?.properties).toBe('{"writeKey":"mine"}');
  });

  it('gives 401 if it is missing or unknown', async () => {
    const other = key.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
    for (const response of [
      await send('/v1/batch', { batch: [track()] }, basic(other)),
      await send('/v1/batch', { batch: [track()], writeKey: other }, {}),
      await send('/v1/batch', { batch: [track()], writeKey: { a: 1 } }, {}),
      await send('/v1/batch', { batch: [track()] }, {}),
      await send('/v1/batch', '"writeKey"', {}),
      await send('/v1/batch', '', {}),
      await send(`/v1/batch?writeKey=${other}`, { batch: [] }, {}),
    ]) {
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ success: false, error: { code: 'UNAUTHORIZED' } });
    }
    expect(gateway.backend.calls).toEqual([]);
  });
});

describe('a request of a Segment client', () => {
  it.each([
    ['text/plain', {}],
    ['application/x-www-form-urlencoded', {}],
    ['application/json; charset=latin1', {}],
    ['', {}],
  ])('may have the Content-Type %j', async (type) => {
    await stored(
      await send('/v1/batch', Buffer.from(JSON.stringify({ batch: [track()] })), {
        ...basic(key),
        'Content-Type': type,
      }),
    );
  });

  it('may be compressed, whatever Content-Encoding says', async () => {
    const body = gzipSync(JSON.stringify({ batch: [track()] }));
    for (const encoding of ['gzip', 'identity', 'br']) {
      await stored(await send('/v1/batch', body, { ...basic(key), 'Content-Encoding': encoding }));
    }
    await stored(await send('/v1/batch', { batch: [track()] }, { ...basic(key), 'Content-Encoding': 'gzip' }));
  });

  it('that is too large, broken or no batch gives 400, never 413 or 415', async () => {
    const bomb = gzipSync(Buffer.alloc(API_LIMITS.bodyBytes * 8, 0x20));
    const tooMany = { batch: Array.from({ length: SEGMENT_CLIENT_LIMITS.segmentBatchMessages + 1 }, () => 1) };
    const bodies = [
      bomb,
      gzipSync('{}').subarray(0, 12),
      '{',
      '[]',
      '5',
      '{}',
      '{"batch":5}',
      '{"batch":{"a":1}}',
      tooMany,
      '['.repeat(2_000),
    ];
    for (const body of [...bodies, ' '.repeat(API_LIMITS.bodyBytes + 1)]) {
      const response = await send('/v1/batch', body);
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ success: false });
    }
    expect(gateway.backend.calls).toEqual([]);
  });

  it('passes the preflight of browsers', async () => {
    const response = await fetch(`${gateway.url}/v1/t`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://game.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'anonymousid,authorization,content-type,rsa-retry-attempt,x-retry-count',
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-headers')).toBe(
      'anonymousid,authorization,content-type,rsa-retry-attempt,x-retry-count',
    );
  });

  it('gives 429 with Retry-After if no owner replies, and sends nothing of the player after it', async () => {
    gateway.backend.reply = (call) => (call.body.kind === 'TrackEvents' ? unavailable() : accept(call));
    const batch = [track(), { type: 'identify', userId: 'u1' }, track({ messageId: 'm2' })];
    const response = await send('/v1/batch', { batch });
    expect(response.status).toBe(429);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(commands().map(({ kind }) => kind)).toEqual(['RegisterPlayer', 'TrackEvents']);
  });

  it('counts against the rate limit of its key, as a request for each 100 messages', async () => {
    const limited = await gateway.key({ kind: 'server', tier: 'growth' });
    const remaining = async (messages: number, headers: Record<string, string> = basic(limited)) => {
      const response = await send('/v1/batch', { batch: Array(messages).fill(track()), writeKey: limited }, headers);
      expect([response.status, response.headers.get('ratelimit-limit')]).toEqual([200, '1000']);
      return Number(response.headers.get('ratelimit-remaining'));
    };
    expect([await remaining(0), await remaining(100), await remaining(101)]).toEqual([999, 998, 996]);
    for (let left = 971; left >= 21; left -= 25) expect(await remaining(2_500, {})).toBe(left);
    gateway.backend.calls.length = 0;
    const refused = await send('/v1/batch', { batch: Array(2_500).fill(track()) }, basic(limited));
    expect([refused.status, refused.headers.get('ratelimit-remaining')]).toEqual([429, '20']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(gateway.backend.calls).toEqual([]);
    expect(await remaining(2_000)).toBe(0);
  });
});

describe('messages', () => {
  it('of each type reach the owner of their player in order', async () => {
    const batch = [
      { type: 'identify', userId: 'u1', traits: { level: 2, email: 'a@example.com' }, messageId: 'm0' },
      track(),
      { type: 'page', userId: 'u1', name: 'Shop', messageId: 'm2' },
      { type: 'screen', userId: 'u1', messageId: 'm3' },
      { type: 'group', userId: 'u1', groupId: 'g', messageId: 'm4' },
      { type: 'alias', userId: 'u1', previousId: 'a1', messageId: 'm5' },
    ];
    gateway.backend.reply = (call) => (call.body.kind === 'GetPlayer' ? failure('PLAYER_NOT_FOUND') : accept(call));
    await stored(await send('/v1/batch', { batch }));
    expect(commands().filter(({ kind }) => kind !== 'GetPlayer')).toEqual([
      {
        kind: 'RegisterPlayer',
        playerId: idOf('u1'),
        externalId: 'u1',
        email: 'a@example.com',
        attributes: '{"level":2}',
        createOnly: false,
        byClientKey: true,
      },
      { kind: 'TrackEvents', items: expect.any(Array) },
    ]);
    expect(items().map(({ index, eventId, eventName, remember }) => [index, eventId, eventName, remember])).toEqual([
      [0, 'm1', 'e', true],
      [1, 'm2', 'page', true],
      [2, 'm3', 'screen', true],
      [3, 'm4', 'group', true],
      [4, 'm5', 'alias', true],
    ]);
  });

  it('of an alias that can tie nobody go to quarantine, with the reason', async () => {
    const alias = { type: 'alias', userId: 'u1', messageId: 'm', previousId: 'known' };
    const fault = (path: string) => ({ quarantine: { schemaVersion: 0, faults: [expect.objectContaining({ path })] } });
    await stored(await send('/v1/alias', alias));
    expect(items()[0]).toMatchObject({ playerId: idOf('u1'), properties: expect.any(String), ...fault('/previousId') });
    gateway.backend.calls.length = 0;
    gateway.backend.reply = (call) => (call.body.kind === 'GetPlayer' ? failure('PLAYER_NOT_FOUND') : accept(call));
    // The player is registered by an earlier message of the batch.
    await stored(await send('/v1/batch', { batch: [{ type: 'identify', userId: 'known' }, alias] }));
    expect(items()[0]).toMatchObject(fault('/previousId'));
    gateway.backend.calls.length = 0;
    await stored(await send('/v1/alias', { type: 'alias', userId: 'u1', anonymousId: 'a' }));
    await stored(await send('/v1/alias', { type: 'alias', anonymousId: 'a', previousId: 'b' }));
    expect(items()).toMatchObject([fault('/previousId'), fault('/userId')]);
    gateway.backend.reply = (call) => (call.body.kind === 'GetPlayer' ? unavailable() : accept(call));
    expect((await send('/v1/alias', alias)).status).toBe(429);
  });

  it('of an id that is none are quarantined, and register only the player of faulty messages', async () => {
    const ids = [
      'undefined',
      'null',
      'NaN',
      '[object Object]',
      '00000000-0000-0000-0000-000000000000',
      '0',
      '  ',
      'none',
    ];
    const batch = ids.flatMap((id) => [
      { type: 'identify', userId: id, anonymousId: 'real', traits: { email: 'a@example.com', a: 1 } },
      { type: 'track', event: 'e', anonymousId: id },
    ]);
    await stored(await send('/v1/batch', { batch }));
    expect(items()).toHaveLength(batch.length);
    for (const item of items()) {
      expect(item).toMatchObject({ playerId: idOf('segment:unidentified'), quarantine: { schemaVersion: 0 } });
      expect(item.properties).not.toContain('@');
      expect(item.properties).not.toContain('anonymous_external_id');
    }
    const registered = commands().flatMap((body) => (body.kind === 'RegisterPlayer' ? [body.externalId] : []));
    expect(new Set(registered)).toEqual(new Set(['segment:unidentified']));
  });

  it('register their player once, and not what a client key may not replace', async () => {
    await stored(await send('/v1/batch', { batch: [track({ anonymousId: 'a1' }), track({ messageId: 'm2' })] }));
    expect(commands().find(({ kind }) => kind === 'RegisterPlayer')).toEqual({
      kind: 'RegisterPlayer',
      playerId: idOf('u1'),
      externalId: 'u1',
      deviceId: 'a1',
      createOnly: true,
      byClientKey: true,
    });
    expect(commands().map(({ kind }) => kind)).toEqual(['TrackEvents', 'RegisterPlayer', 'TrackEvents']);
  });

  it('keep the order of a player across an identify', async () => {
    const batch = [track(), { type: 'identify', userId: 'u1' }, track({ messageId: 'm2' })];
    await stored(await send('/v1/batch', { batch }));
    expect(commands().map(({ kind }) => kind)).toEqual([
      'RegisterPlayer',
      'TrackEvents',
      'RegisterPlayer',
      'TrackEvents',
    ]);
  });

  it('that alternate with identifies wait for few replies, in order', async () => {
    const waits = new Set<number>();
    let replied = 0;
    gateway.backend.reply = async (call) => {
      waits.add(replied);
      await new Promise(setImmediate);
      replied += 1;
      return accept(call);
    };
    const batch = Array.from({ length: 200 }, (_, n) =>
      n % 2 === 0 ? { type: 'identify', userId: 'u1', traits: { level: n } } : track({ messageId: `m${n}` }),
    );
    await stored(await send('/v1/batch', { batch }));
    const sent = commands().map((body) => {
      if (body.kind === 'TrackEvents') return body.items[0]?.eventId;
      return body.kind === 'RegisterPlayer' ? body.attributes : undefined;
    });
    expect(sent).toEqual(batch.map((_, n) => (n % 2 === 0 ? `{"level":${n}}` : `m${n}`)));
    expect(waits.size).toBeLessThan(20);
  });

  it('of an identify with an anonymous id tie the two players by an event', async () => {
    const identify = { type: 'identify', userId: 'u1', anonymousId: 'a1', traits: { level: 2 }, messageId: 'm1' };
    await stored(
      await send('/v1/batch', {
        batch: [{ ...track({ messageId: 'm0' }), userId: null, anonymousId: 'a1' }, identify],
      }),
    );
    expect(
      items().map(({ playerId, eventId, eventName, properties }) => [playerId, eventId, eventName, properties]),
    ).toEqual(
      expect.arrayContaining([
        [idOf('anonymous:a1'), 'm0', 'e', '{}'],
        [idOf('u1'), 'm1', 'identify', '{"anonymous_external_id":"anonymous:a1"}'],
      ]),
    );
    await stored(await send('/v1/identify', { userId: 'u1' }));
    expect(items()).toHaveLength(2);
  });

  it('that the anonymous player has tracked already are not tracked again', async () => {
    gateway.backend.reply = (call) => {
      const reply = accept(call);
      if (reply.kind !== 'tracked' || call.entityId !== idOf('anonymous:a1')) return reply;
      const statusOf = (eventId: string) => (eventId === 'm1' ? 'duplicate' : 'rejected');
      return { ...reply, results: reply.results.map((each) => ({ ...each, status: statusOf(each.eventId) })) };
    };
    const both = track({ anonymousId: 'a1' });
    await stored(await send('/v1/batch', { batch: [both, { ...both, messageId: 'm2' }] }));
    const asked = items().filter(({ release }) => release !== undefined);
    expect(asked.map(({ playerId, eventId }) => [playerId, eventId])).toEqual([
      [idOf('anonymous:a1'), 'm1'],
      [idOf('anonymous:a1'), 'm2'],
    ]);
    const tracked = items().filter(({ release }) => release === undefined);
    expect(tracked.map(({ playerId, eventId }) => [playerId, eventId])).toEqual([[idOf('u1'), 'm2']]);
  });

  it('accept that the player exists already', async () => {
    gateway.backend.reply = (call) =>
      call.body.kind === 'RegisterPlayer' ? failure('DUPLICATE_PLAYER') : accept(call);
    await stored(await send('/v1/track', track()));
    expect(items()).toHaveLength(1);
  });

  it('with a fault go to quarantine, and the batch is stored', async () => {
    const batch = [track(), { type: 'track', userId: 'u1', messageId: 'm2' }, null, 5, { type: 'x', anonymousId: 'a' }];
    await stored(await send('/v1/batch', { batch }));
    const held = items().map((item) => [item.playerId, item.eventName, item.quarantine?.faults[0]?.path]);
    const sorted = (rows: unknown[][]) => rows.map((row) => JSON.stringify(row)).toSorted();
    expect(sorted(held)).toEqual(
      sorted([
        [idOf('u1'), 'e', undefined],
        [idOf('u1'), 'track', '/event'],
        [idOf('segment:unidentified'), 'segment_message', ''],
        [idOf('segment:unidentified'), 'segment_message', ''],
        [idOf('anonymous:a'), 'segment_message', '/type'],
      ]),
    );
    for (const { quarantine } of items()) expect(quarantine?.schemaVersion ?? 0).toBe(0);
  });

  it('of traits that the player has no room for go to quarantine', async () => {
    gateway.backend.reply = (call) =>
      call.body.kind === 'RegisterPlayer' && !call.body.createOnly ? failure('VALIDATION_ERROR') : accept(call);
    await stored(await send('/v1/identify', { userId: 'u1', traits: { a: 1 }, messageId: 'm1' }));
    expect(items()).toMatchObject([{ eventName: 'identify', eventId: 'm1', properties: '{"a":1}', quarantine: {} }]);
  });

  it('are sent in commands of a bounded size', async () => {
    const batch = Array.from({ length: SEGMENT_CLIENT_LIMITS.segmentBatchMessages }, (_, n) =>
      track({ messageId: `m${n}` }),
    );
    await stored(await send('/v1/batch', { batch }));
    const sizes = commands().flatMap((body) => (body.kind === 'TrackEvents' ? [body.items.length] : []));
    expect(sizes).toEqual(Array.from({ length: 25 }, () => SEGMENT_CLIENT_LIMITS.segmentCommandEvents));
    expect(items().map(({ eventId }) => eventId)).toEqual(batch.map(({ messageId }) => messageId));
  });

  it('have the type of their endpoint', async () => {
    for (const path of ['/v1/screen', '/v1/s']) await stored(await send(path, { type: 'track', userId: 'u1' }));
    expect(items().map(({ eventName }) => eventName)).toEqual(['screen', 'screen']);
  });

  it('named like a purchase are refused where clients may record none', async () => {
    const address = gameAddress('demo');
    const held = gateway.config.get(address);
    if (held === undefined) throw new Error('there is no game');
    await gateway.config.put(address, { ...held.document, clientPurchases: false });
    await stored(await send('/v1/batch', { batch: [track({ event: 'purchase' }), track()] }));
    expect(items().map(({ eventName }) => eventName)).toEqual(['e']);
    await gateway.config.put(address, held.document);
  });
});

describe('the documents that clients read', () => {
  it('name the host that the client called', async () => {
    const host = new URL(gateway.url).host;
    for (const path of [`/v1/projects/${key}/settings`, `/projects/${key}/settings`]) {
      const response = await fetch(gateway.url + path);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        integrations: { 'Segment.io': { apiKey: key, apiHost: `${host}/v1`, protocol: 'http' } },
        metrics: { sampleRate: 0 },
      });
    }
    const behindTls = await fetch(`${gateway.url}/projects/${key}/settings`, {
      headers: { 'X-Forwarded-Proto': 'https' },
    });
    expect(await behindTls.json()).toMatchObject({ integrations: { 'Segment.io': { protocol: 'https' } } });
    expect((await fetch(`${gateway.url}/projects/pk_live_unknown/settings`)).status).toBe(401);
  });

  it('describe a source without destinations', async () => {
    for (const path of ['/sourceConfig', '/sourceConfig/']) {
      const response = await fetch(`${gateway.url}${path}?writeKey=${key}&p=npm&v=3`, {
        headers: { Origin: 'https://x.y' },
      });
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toMatchObject({
        source: { id: expect.any(String), config: {}, destinations: [], enabled: true, writeKey: key },
      });
    }
  });

  it('are not followed by metrics of the client, which are discarded', async () => {
    await stored(await send('/v1/m', { series: [{ type: 'Counter' }] }, {}));
  });
});
