import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { flagsOf } from '../../../actors/flags/testing-served-flags.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';

const T = Date.UTC(2026, 0, 15, 10, 30);

const SHOP = { enabled: true, reason: 'percentage_rollout', period: 1 };
/** The variants of the flag `shop`: the letter it serves, and `a` for everything else. */
const variantOf = (serves: string) => (serves === '"b"' ? 'b' : 'a');

let nowMs = T;
let owner: DecidingBackend;
let gateway: Gateway;
let shapes: PublishedShapes | undefined;
let client: string;
let server: string;
let player: string;
let shopServes = '"a"';

beforeEach(async () => {
  nowMs = T;
  shopServes = '"a"';
  const clock = { ...systemClock, wallMs: () => nowMs };
  const definitions = flagsOf({
    shop: () => ({ value: shopServes, variantKey: variantOf(shopServes), reason: 'percentage_rollout' }),
    double_xp: {},
    ['__proto__']: { value: 'true' },
  });
  owner = createDecidingBackend(clock, definitions);
  gateway = await startGateway({ backend: owner, clock });
  shapes ??= publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
  client = await gateway.key({ kind: 'client' });
  server = await gateway.key();
  player = await register('player-1');
});
afterEach(() => gateway.close());

async function register(externalId: string, key = server): Promise<string> {
  const attributes = { level: 3, country: 'SE' };
  const body = { external_id: externalId, email: 'ann@example.com', attributes };
  const response = await gateway.call(key, 'POST', '/v1/players/players', body);
  return String((await bodyOf(response)).data['id']);
}

/** Calls an endpoint and compares its response with the published OpenAPI document. */
async function call(
  endpoint: 'init' | 'sync' | 'end-session',
  body: unknown,
  headers?: Record<string, string>,
  key = client,
) {
  const path = `/v1/bff/game/${endpoint}`;
  const response = await gateway.call(key, 'POST', path, body, headers);
  const answer = await bodyOf(response);
  expect(shapes?.faultsOf('POST', path, response.status, answer)).toEqual([]);
  return { status: response.status, headers: response.headers, ...answer };
}

const init = (some: object = {}, headers?: Record<string, string>, key?: string) =>
  call('init', { player_id: player, ...some }, headers, key);
const opened = async (some?: object): Promise<string> => String((await init(some)).data['session_id']);
const sync = (sessionId: string, events: unknown, some: object = {}, headers?: Record<string, string>) =>
  call('sync', { player_id: player, session_id: sessionId, events, ...some }, headers);
const end = (sessionId: string, some: object = {}, headers?: Record<string, string>) =>
  call('end-session', { player_id: player, session_id: sessionId, session_duration_seconds: 60, ...some }, headers);
const tracked = () => owner.facts.flatMap((fact) => (fact.kind === 'EventTracked' ? [fact] : []));

describe('init', () => {
  it('returns the player, a session, flags, segments and the time', async () => {
    nowMs = T + 1_234;
    const { status, data } = await init({
      device_info: { platform: 'ios', os_version: '18.1', app_version: '2.4.0', device_model: 'iPhone16,2' },
    });
    expect(status).toBe(200);
    expect(data).toEqual({
      player: {
        player_id: player,
        external_id: 'player-1',
        first_seen: '2026-01-15T10:30:00.000Z',
        last_seen: '2026-01-15T10:30:01.234Z',
        properties: { level: 3, country: 'SE' },
      },
      session_id: expect.stringMatching(/^ses_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/),
      flags: {
        shop: { ...SHOP, variant: 'a', value: 'a', variant_key: 'a' },
        double_xp: { enabled: false, value: false, variant_key: null, reason: 'default', period: 1 },
        ['__proto__']: { enabled: true, value: true, variant_key: null, reason: 'default', period: 1 },
      },
      segments: [],
      server_time: '2026-01-15T10:30:01.234Z',
      unknown_flags: [],
    });
    expect(owner.state(player)).toMatchObject({
      device: { platform: 'ios', osVersion: '18.1', appVersion: '2.4.0', build: null, deviceModel: 'iPhone16,2' },
    });
  });

  it('accepts an id in upper case from both kinds of keys, and lists unknown fields', async () => {
    const body = { player_id: player.toUpperCase(), device_info: { platform: 'ios', maker: 'x' }, locale: 'sv' };
    const { status, headers } = await init(body, undefined, server);
    expect(status).toBe(200);
    expect(headers.get('x-ignored-fields')).toBe('locale, device_info.maker');
  });

  it('stores a platform by its one name, however an engine calls it', async () => {
    for (const [platform, stored] of [
      ['IPhonePlayer', 'ios'],
      ['macOS', 'macos'],
    ]) {
      await init({ device_info: { platform } });
      expect(owner.state(player)).toMatchObject({ device: { platform: stored } });
    }
  });

  it('stores fields of blanks as unknown, and a device of nothing else as none', async () => {
    const blank = { platform: ' \u00a0', os_version: '', app_version: '  ', device_model: '\t' };
    await init({ device_info: { ...blank, build: ' 7 ' } });
    const stored = { platform: null, osVersion: null, appVersion: null, deviceModel: null, build: ' 7 ' };
    expect(owner.state(player)).toMatchObject({ device: stored });
    await init({ device_info: { ...blank, build: ' ' } });
    expect(owner.state(player)).toMatchObject({ device: stored });
  });

  it('returns requested flags only and lists unknown ones', async () => {
    const { data } = await init({ requested_flags: ['shop', 'gone'] });
    expect(data).toMatchObject({ flags: { shop: { enabled: true, variant: 'a' } }, unknown_flags: ['gone'] });
    expect(Object.keys(Object(data['flags']))).toEqual(['shop']);
    expect((await init({ requested_flags: [] })).data['flags']).toEqual({});
  });

  it('returns the same session for every repeat with an Idempotency-Key', async () => {
    const first = await init({}, { 'Idempotency-Key': 'k1' });
    nowMs += 5_000;
    const again = await init({}, { 'Idempotency-Key': 'k1' });
    expect(again.data).toEqual(first.data);
    expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect((await init({ requested_flags: [] }, { 'Idempotency-Key': 'k1' })).status).toBe(409);
    expect(owner.state(player)).toMatchObject({ sessionCount: 1 });
  });

  it.each([
    ['no player', { player_id: undefined }],
    ['an id that is none', { player_id: 'player-1' }],
    ['a device that is no object', { device_info: 'ios' }],
    ['a platform that is no string', { device_info: { platform: 5 } }],
    ['a field that is too long', { device_info: { device_model: 'x'.repeat(129) } }],
    ['flags that are no list', { requested_flags: 'shop' }],
    ['too many flags', { requested_flags: Array.from({ length: 501 }, (_, n) => `f${n}`) }],
  ])('with %s is 400', async (_, some) => {
    const { status, error } = await init(some);
    expect([status, error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(owner.state(player)).toMatchObject({ sessionCount: 0 });
  });

  it('is 404 PLAYER_NOT_FOUND for an unknown player and one of another game or environment', async () => {
    const elsewhere = await gateway.key({ game: 'other' });
    const test = await gateway.key({ environment: 'test', kind: 'client' });
    for (const answer of [
      await init({ player_id: '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11' }),
      await init({}, undefined, elsewhere),
      await init({}, undefined, test),
    ]) {
      expect([answer.status, answer.error.code]).toEqual([404, 'PLAYER_NOT_FOUND']);
    }
  });
});

describe('sync', () => {
  it('accepts events in the order of their timestamps, as part of the session', async () => {
    const sessionId = await opened();
    nowMs += 30_000;
    const { status, data } = await sync(sessionId, [
      { event_name: 'second', timestamp: '2026-01-15T10:30:05Z', properties: { n: 2 } },
      { event_name: 'first', timestamp: '2026-01-14T03:00:00+01:00' },
      { event_name: 'third' },
    ]);
    expect([status, data]).toEqual([200, { events_accepted: 3, interventions: [], updated_flags: {}, rejected: [] }]);
    expect(tracked().map(({ eventName, timestamp, properties }) => [eventName, timestamp, properties])).toEqual([
      ['first', Date.UTC(2026, 0, 14, 2), '{}'],
      ['second', T + 5_000, '{"n":2}'],
      ['third', T + 30_000, '{}'],
    ]);
    for (const fact of tracked()) expect(fact).toMatchObject({ sessionId, at: T + 30_000 });
  });

  it('rejects invalid events with a reason and accepts the others', async () => {
    const sessionId = await opened();
    const { status, data, headers } = await sync(sessionId, [
      { event_name: 'good', level: 5 },
      { timestamp: '2026-01-15T10:30:05Z' },
      { event_name: 'bad_time', timestamp: 'yesterday' },
      { event_name: 'bad_properties', properties: ['a'] },
      'no object',
      { event_name: 'lone \ud800 surrogate' },
      { event_name: 'large', properties: { a: 'x'.repeat(8_000), ...largeProperties() } },
      { event_name: 'good_too', event_id: 'e-1' },
      { event_name: 'no_properties', properties: [] },
    ]);
    expect(status).toBe(200);
    expect(data['events_accepted']).toBe(3);
    const rejected = data['rejected'];
    expect(rejected).toMatchObject([
      { index: 1, error: { code: 'VALIDATION_ERROR', details: { fields: [{ path: '/events/1/event_name' }] } } },
      { index: 2, error: { details: { fields: [{ path: '/events/2/timestamp' }] } } },
      { index: 3 },
      { index: 4 },
      { index: 5 },
      { index: 6, error: { details: { fields: [{ path: '/events/6/properties' }] } } },
    ]);
    expect(tracked().map(({ eventName }) => eventName)).toEqual(['good', 'good_too', 'no_properties']);
    expect(headers.get('x-ignored-fields')).toBe('events[].level');
  });

  it('succeeds even with invalid events only, so a shipped client can continue', async () => {
    const { status, data } = await sync(await opened(), [{}]);
    expect([status, data['events_accepted']]).toEqual([200, 0]);
  });

  it('accepts an event_id once, and no event again with the same Idempotency-Key', async () => {
    const sessionId = await opened();
    const events = [{ event_name: 'a', event_id: 'mine' }, { event_name: 'b' }];
    const first = await sync(sessionId, events, {}, { 'Idempotency-Key': 's1' });
    expect(first.data['events_accepted']).toBe(2);
    const again = await sync(sessionId, events, {}, { 'Idempotency-Key': 's1' });
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
    expect((await sync(sessionId, events)).data).toMatchObject({ events_accepted: 1, rejected: [] });
    expect(tracked()).toHaveLength(3);
  });

  it('merges state_updates into the attributes', async () => {
    await sync(await opened(), [], { state_updates: { level: 4, country: null, gold: 1.5 } });
    const { data } = await bodyOf(await gateway.call(client, 'GET', `/v1/players/players/${player}`));
    expect(data['attributes']).toEqual({ level: 4, gold: 1.5 });
  });

  it('returns the flags that changed since the last init or sync of the session', async () => {
    const sessionId = await opened();
    shopServes = '"b"';
    const { data } = await sync(sessionId, []);
    expect(data['updated_flags']).toEqual({ shop: { ...SHOP, variant: 'b', value: 'b', variant_key: 'b' } });
    expect((await sync(sessionId, [])).data['updated_flags']).toEqual({});
  });

  it('returns values of every type as they are, under the key of their variant', async () => {
    const values = ['control', 0, -1.5, '', null, false, [], { rows: [1, { é: '漢"' }], ['__proto__']: 1 }];
    shopServes = '"first"';
    const sessionId = await opened();
    for (const value of values) {
      shopServes = JSON.stringify(value);
      const response = await sync(sessionId, []);
      const enabled = value !== null && value !== false;
      expect(response.data['updated_flags']).toEqual({
        shop: { ...SHOP, enabled, variant: 'a', value, variant_key: 'a' },
      });
    }
  });

  it('returns the values again for a repeat with an Idempotency-Key', async () => {
    const sessionId = await opened();
    shopServes = '"b"';
    const first = await sync(sessionId, [], {}, { 'Idempotency-Key': 'values' });
    shopServes = '"a"';
    const again = await sync(sessionId, [], {}, { 'Idempotency-Key': 'values' });
    expect(again.data).toEqual(first.data);
    expect(again.data['updated_flags']).toMatchObject({ shop: { value: 'b' } });
  });

  it.each([
    ['51 events', { events: Array.from({ length: 51 }, () => ({ event_name: 'e' })) }],
    ['events that are no list', { events: { event_name: 'e' } }],
    ['no events', { events: undefined }],
    ['no session', { session_id: undefined }],
    ['an empty session', { session_id: '' }],
    ['a session that is no string', { session_id: 5 }],
    ['states that are no object', { state_updates: ['a'] }],
    ['a state with a faulty value', { state_updates: { name: 'lone \ud800 surrogate' } }],
    [
      'so many faults that the rest was not looked at',
      { events: Array.from({ length: 40 }, () => ({ event_name: 'lone \ud800' })) },
    ],
  ])('with %s is 400 and changes nothing', async (_, some) => {
    const sessionId = await opened();
    const before = owner.facts.length;
    const { status, error } = await sync(sessionId, [], some);
    expect([status, error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(owner.facts).toHaveLength(before);
  });

  it('accepts 50 events', async () => {
    const events = Array.from({ length: 50 }, () => ({ event_name: 'e' }));
    expect((await sync(await opened(), events)).data['events_accepted']).toBe(50);
  });
});

describe('a session that is not open', () => {
  const expectNotFound = async (sessionId: string, playerId = player) => {
    const before = tracked().length;
    for (const answer of [
      await sync(sessionId, [{ event_name: 'late' }], { player_id: playerId }),
      await end(sessionId, { player_id: playerId }),
    ]) {
      expect([answer.status, answer.error.code]).toEqual([404, 'SESSION_NOT_FOUND']);
      expect(answer.error.details).toEqual({ session_id: sessionId, suggestion: expect.stringContaining('init') });
    }
    expect(tracked()).toHaveLength(before);
  };

  it('never existed', () => expectNotFound('ses_019bc0de-1234-7abc-8def-0123456789ab'));

  it('belongs to another player', async () => {
    const sessionId = await opened();
    await expectNotFound(sessionId, await register('player-2'));
  });

  it('has ended', async () => {
    const sessionId = await opened();
    expect((await end(sessionId)).status).toBe(200);
    await expectNotFound(sessionId);
  });

  it('expired 1800 seconds after its last call', async () => {
    const sessionId = await opened();
    nowMs += 1_799_999;
    expect((await sync(sessionId, [])).status).toBe(200);
    nowMs += 1_800_000;
    await expectNotFound(sessionId);
    owner.look(player);
    expect(owner.facts.at(-1)).not.toMatchObject({ kind: 'SessionOpened' });
    expect(owner.facts.filter(({ kind }) => kind === 'SessionClosed')).toMatchObject([
      { reason: 'expired', at: T + 1_799_999 + 1_800_000, durationSeconds: 1_799 },
    ]);
  });

  it('was the oldest of four when a fifth was opened', async () => {
    const sessions: string[] = [];
    for (let n = 0; n < 5; n += 1) sessions.push(await opened());
    await expectNotFound(sessions[0] ?? '');
    expect((await sync(sessions[1] ?? '', [])).status).toBe(200);
  });
});

describe('the end of a session', () => {
  it('returns the summary, including the final events', async () => {
    const sessionId = await opened();
    nowMs += 45_600;
    await sync(sessionId, [
      { event_name: 'achievement_unlocked', properties: { achievement_id: 'first_win' } },
      { event_name: 'intervention_shown', properties: { intervention_id: 'int_1' } },
    ]);
    nowMs += 45_000;
    const { status, data } = await end(sessionId, {
      session_duration_seconds: 80,
      final_events: [
        { event_name: 'achievement_unlocked', properties: { achievement: 'explorer' } },
        { event_name: 'intervention_clicked', properties: { intervention_id: 'int_1' } },
        { properties: {} },
      ],
    });
    expect(status).toBe(200);
    expect(data).toMatchObject({
      session_summary: {
        session_id: sessionId,
        total_events: 4,
        duration_seconds: 80,
        achievements_unlocked: ['first_win', 'explorer'],
        interventions_shown: 1,
        interventions_clicked: 1,
      },
      rejected: [{ index: 2, error: { code: 'VALIDATION_ERROR' } }],
    });
  });

  it('counts at most the time since init', async () => {
    const sessionId = await opened();
    nowMs += 10_999;
    const { data } = await end(sessionId, { session_duration_seconds: 9_007_199_254_740_991 });
    expect(data['session_summary']).toMatchObject({ duration_seconds: 10, total_events: 0 });
  });

  it('returns the same summary for a repeat with an Idempotency-Key', async () => {
    const sessionId = await opened();
    const first = await end(sessionId, {}, { 'Idempotency-Key': 'e1' });
    nowMs += 3_600_000;
    const again = await end(sessionId, {}, { 'Idempotency-Key': 'e1' });
    expect([again.data, again.headers.get('idempotent-replayed')]).toEqual([first.data, 'true']);
  });

  it.each([
    ['no duration', { session_duration_seconds: undefined }],
    ['a negative duration', { session_duration_seconds: -1 }],
    ['half a second', { session_duration_seconds: 0.5 }],
    ['a duration in words', { session_duration_seconds: '60' }],
    ['51 events', { final_events: Array.from({ length: 51 }, () => ({ event_name: 'e' })) }],
    ['events that are no list', { final_events: 'none' }],
  ])('with %s is 400 and leaves the session open', async (_, some) => {
    const sessionId = await opened();
    expect((await end(sessionId, some)).status).toBe(400);
    expect((await end(sessionId)).status).toBe(200);
  });

  it.each(['1e999', 'NaN', '-0.0001', '9007199254740993'])('with a duration of %s is 400', async (literal) => {
    const body = `{"player_id":"${player}","session_id":"${await opened()}","session_duration_seconds":${literal}}`;
    expect((await call('end-session', body)).status).toBe(400);
  });
});

describe('the game-client endpoints', () => {
  it('never return an e-mail address', async () => {
    expect(JSON.stringify((await init()).data)).not.toContain('ann@example.com');
  });

  it('may be called by browsers and count against the rate limit', async () => {
    const key = await gateway.key({ kind: 'client', tier: 'growth' });
    const { headers } = await init({}, { Origin: 'https://game.example' }, key);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('ratelimit-limit')).toBe('1000');
    const preflight = await fetch(`${gateway.url}/v1/bff/game/sync`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://game.example', 'Access-Control-Request-Method': 'POST' },
    });
    expect(preflight.status).toBe(204);
  });

  it('serve several devices of a player concurrently, over any gateway', async () => {
    const clock = { ...systemClock, wallMs: () => nowMs + 2_000 };
    const second = await startGateway({ backend: owner, clock });
    try {
      const key = await second.key({ kind: 'client' });
      const phone = await opened();
      const body = { player_id: player, requested_flags: [] };
      const response = await second.call(key, 'POST', '/v1/bff/game/init', body);
      const tablet = String((await bodyOf(response)).data['session_id']);
      const events = [{ event_name: 'played' }];
      // Each device's next call goes to the other gateway, whose clock differs.
      const crossed = await second.call(key, 'POST', '/v1/bff/game/sync', {
        player_id: player,
        session_id: phone,
        events,
      });
      expect(crossed.status).toBe(200);
      expect((await sync(tablet, events)).status).toBe(200);
      expect((await end(phone)).data['session_summary']).toMatchObject({ total_events: 1, duration_seconds: 0 });
      expect((await end(tablet)).data['session_summary']).toMatchObject({ total_events: 1, duration_seconds: 0 });
      expect(owner.state(player)).toMatchObject({ sessionCount: 2, sessions: [] });
    } finally {
      await second.close();
    }
  });
});

/** Together over the limit of a document, though each string is below its own limit. */
function largeProperties(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`k${n}`, 'x'.repeat(8_000)]));
}
