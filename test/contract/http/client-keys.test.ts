import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { GameDocument } from '../../../core/vocabulary/documents/game.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';
import { until } from '../../support/until.ts';

/* A client key is in every copy of a game. These tests bound what its holder can do to other players and the server. */

let owner: DecidingBackend;
let gateway: Gateway;
let client: string;
let server: string;
let victim: string;

beforeEach(async () => {
  owner = createDecidingBackend(systemClock);
  gateway = await startGateway({ backend: owner });
  client = await gateway.key({ kind: 'client' });
  server = await gateway.key();
  const registration = { external_id: 'victim', email: 'v@example.com', device_id: 'phone', attributes: { vip: true } };
  victim = String((await call(server, 'POST', '/v1/players/players', registration)).data['id']);
});
afterEach(() => gateway.close());

async function call(key: string, method: string, path: string, body?: unknown, headers?: Record<string, string>) {
  const response = await gateway.call(key, method, path, body, headers);
  return { status: response.status, headers: response.headers, ...(await bodyOf(response)) };
}

async function setGame(change: Partial<GameDocument>): Promise<void> {
  const game = gateway.config.get(gameAddress('demo'));
  if (game === undefined) throw new Error('there is no game');
  await gateway.config.put(gameAddress('demo'), { ...game.document, ...change });
}

const purchase = (key: string, query: string, headers?: Record<string, string>) =>
  call(key, 'POST', `/v1/players/players/${victim}/purchase?${query}`, undefined, headers);
const init = (key = client) => call(key, 'POST', '/v1/bff/game/init', { player_id: victim });

describe('with client purchases off', () => {
  const forged = () => ({ player_id: victim, event_name: 'purchase', properties: { amount: 1_000_000 } });
  const honest = () => ({ player_id: victim, event_name: 'win' });
  beforeEach(() => setGame({ clientPurchases: false }));

  it('an event named purchase is refused from a client key and accepted from a server key', async () => {
    const refused = await call(client, 'POST', '/v1/events/events', forged());
    expect([refused.status, refused.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(owner.facts.some(({ kind }) => kind === 'EventTracked')).toBe(false);
    expect((await call(server, 'POST', '/v1/events/events', forged())).status).toBe(200);
    const session = { ...honest(), event_name: 'session_recorded' };
    expect((await call(client, 'POST', '/v1/events/events', session)).status).toBe(200);
  });

  it('only that event is rejected in a batch, a sync and at the end of a session', async () => {
    const batch = await call(client, 'POST', '/v1/events/events/batch', { events: [forged(), honest()] });
    expect(batch.data).toMatchObject({
      accepted: 1,
      rejected: 1,
      results: [{ status: 'rejected' }, { status: 'accepted' }],
    });
    const session = { player_id: victim, session_id: (await init()).data['session_id'] };
    const rejected = [{ index: 0, error: { code: 'FORBIDDEN' } }];
    const sync = await call(client, 'POST', '/v1/bff/game/sync', { ...session, events: [forged(), honest()] });
    expect(sync.data).toMatchObject({ events_accepted: 1, rejected });
    const last = { ...session, session_duration_seconds: 0, final_events: [forged()] };
    expect((await call(client, 'POST', '/v1/bff/game/end-session', last)).data).toMatchObject({ rejected });
    const names = owner.facts.flatMap((fact) => (fact.kind === 'EventTracked' ? [fact.eventName] : []));
    expect(names).toEqual(['win', 'win']);
  });

  it('a batch with only such events returns 403', async () => {
    const batch = await call(client, 'POST', '/v1/events/events/batch', { events: [forged()] });
    expect([batch.status, batch.error.code]).toEqual([403, 'FORBIDDEN']);
  });
});

describe('an id that a client key used first', () => {
  it('a transaction_id: the purchase that a server key records with it counts, with its own totals', async () => {
    expect((await purchase(client, 'amount=900000000000&transaction_id=t')).status).toBe(200);
    const corrected = await purchase(server, 'amount=9.99&transaction_id=t');
    expect(corrected.data).toMatchObject({ amount: 9.99, total_revenue: 9.99, purchase_count: 1 });
    expect(corrected.headers.get('idempotent-replayed')).toBeNull();
    expect((await purchase(client, 'amount=5&transaction_id=t')).data).toMatchObject({
      amount: 9.99,
      total_revenue: 9.99,
    });
  });

  it('an Idempotency-Key: a server key can use it for another request', async () => {
    const headers = { 'Idempotency-Key': 'order-1' };
    expect((await purchase(client, 'amount=0.01', headers)).status).toBe(200);
    const mine = await purchase(server, 'amount=9.99', headers);
    expect([mine.status, mine.data['purchase_count']]).toEqual([200, 2]);
    expect((await purchase(server, 'amount=9.99', headers)).headers.get('idempotent-replayed')).toBe('true');
  });

  it('an event_id: an event of a server key with the same id is tracked', async () => {
    const event = { player_id: victim, event_name: 'reward', event_id: 'reward-1' };
    for (const key of [client, server]) {
      const tracked = await call(key, 'POST', '/v1/events/events', event);
      expect([tracked.status, tracked.headers.get('idempotent-replayed')]).toEqual([200, null]);
    }
    const by = owner.facts.flatMap((fact) => (fact.kind === 'EventTracked' ? [fact.by] : []));
    expect(by).toEqual(['client', 'server']);
  });
});

describe('registering an existing player', () => {
  const register = (key: string, body: object, headers?: Record<string, string>) =>
    call(key, 'POST', '/v1/players/players', { external_id: 'victim', ...body }, headers);
  const held = async () => (await call(server, 'GET', `/v1/players/players/${victim}`)).data;

  it('with a client key returns no private data: no revenue, no other attributes, no device and no e-mail address', async () => {
    await purchase(server, 'amount=99.99');
    const { status, data } = await register(client, { device_id: 'tablet', attributes: { level: 3, gone: null } });
    expect(status).toBe(200);
    expect(data).toEqual({
      ...(await held()),
      device_id: null,
      email: undefined,
      session_count: 0,
      total_revenue: 0,
      is_payer: false,
      attributes: { level: 3 },
    });
    expect(data).not.toHaveProperty('email');
    expect((await register(server, {})).data).toMatchObject({
      total_revenue: 99.99,
      attributes: { vip: true, level: 3 },
    });
  });

  it('with a client key replaces neither device nor e-mail address, and sets a missing device', async () => {
    await register(client, { device_id: 'tablet', email: 'c@example.com' });
    expect(await held()).toMatchObject({ device_id: 'phone', email: 'v@example.com' });
    const fresh = { external_id: 'fresh' };
    await call(client, 'POST', '/v1/players/players', fresh);
    const { data } = await call(client, 'POST', '/v1/players/players', { ...fresh, device_id: 'tablet' });
    expect(data).toMatchObject({ device_id: 'tablet' });
  });

  it.each([
    ['none', {}, 'attributes.level, attributes.coins'],
    [{ listed: ['level'] }, { level: 3 }, 'attributes.coins'],
    ['all', { level: 3, coins: 9 }, null],
  ] as const)('client keys set %o of the attributes, of new players too', async (clientAttributes, set, ignored) => {
    await setGame({
      clientAttributes:
        clientAttributes === 'all' || clientAttributes === 'none' ? clientAttributes : { listed: ['level'] },
    });
    const attributes = { level: 3, coins: 9 };
    expect((await register(client, { attributes })).headers.get('x-ignored-fields')).toBe(ignored);
    expect((await held())['attributes']).toEqual({ vip: true, ...set });
    expect(
      (await call(client, 'POST', '/v1/players/players', { external_id: 'new', attributes })).data['attributes'],
    ).toEqual(set);
    await register(server, { attributes: { level: 1, coins: 1 } });
    const session = { player_id: victim, session_id: (await init()).data['session_id'] };
    await call(client, 'POST', '/v1/bff/game/sync', { ...session, events: [], state_updates: attributes });
    expect((await held())['attributes']).toEqual({ vip: true, level: 1, coins: 1, ...set });
  });
});

describe('inits of a player by strangers', () => {
  it('never close the session of a game that syncs', async () => {
    const session = { player_id: victim, session_id: (await init()).data['session_id'] };
    // A stopped clock would give the sync the time of the init.
    const openedAt = Date.now();
    await until('a millisecond has passed', () => Date.now() > openedAt);
    const sync = () => call(client, 'POST', '/v1/bff/game/sync', { ...session, events: [] });
    expect((await sync()).status).toBe(200);
    for (let n = 0; n < 9; n++) expect((await init()).status).toBe(200);
    expect((await sync()).status).toBe(200);
    const closed = owner.facts.filter(({ kind }) => kind === 'SessionClosed');
    expect(closed).toHaveLength(6);
  });

  it('close the oldest session if none was used, or if a server key opens one more', async () => {
    const first = (await init()).data['session_id'];
    for (let n = 0; n < 4; n++) await init(n === 3 ? server : client);
    expect(owner.facts.flatMap((fact) => (fact.kind === 'SessionClosed' ? [fact.sessionId] : []))).toEqual([first]);
  });
});
