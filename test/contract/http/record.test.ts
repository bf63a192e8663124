import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { failure } from '../../../core/kernel/errors.ts';
import { PLAYER_API_LIMITS } from '../../../src/api/players/limits.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { accept, startGateway, type Gateway } from '../../support/in-memory/http-gateway.ts';

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

const ID = '6f0f5a3e-8d7b-5c39-9a43-0d6f0e9c2b11';
const PLAYER = `/v1/players/players/${ID}`;
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const session = (body: unknown, headers?: Record<string, string>, key = client) =>
  gateway.call(key, 'POST', `${PLAYER}/session`, body, headers);
const purchase = (query: string, headers?: Record<string, string>, key = client) =>
  gateway.call(key, 'POST', `${PLAYER}/purchase${query}`, undefined, headers);

/** The names of the faults of a refused request, which must not have reached an owner. */
async function faultsOf(response: Response): Promise<string[]> {
  const { error } = await bodyOf(response);
  expect([response.status, error.code]).toEqual([400, 'VALIDATION_ERROR']);
  expect(gateway.backend.calls).toEqual([]);
  const fields: { path: string }[] = error.details['fields'];
  return fields.map(({ path }) => path);
}

describe('recording a session', () => {
  it('sends one command and returns the totals, for both kinds of keys', async () => {
    for (const key of [client, server]) {
      gateway.backend.calls.length = 0;
      const response = await session(
        {
          session_id: 's-1',
          duration_seconds: 1_700,
          start_time: '2026-01-15T10:00:00Z',
          end_time: '2026-01-15T12:30:00+02:00',
        },
        {},
        key,
      );
      expect(response.status).toBe(200);
      expect(response.headers.get('idempotent-replayed')).toBeNull();
      expect(gateway.backend.calls).toEqual([
        {
          origin: {
            game: 'demo',
            environment: 'live',
            receivedAt: expect.any(Number),
            by: key === client ? 'client' : 'server',
          },
          entityId: ID,
          body: {
            kind: 'RecordSession',
            playerId: ID,
            sessionId: 's-1',
            startedAt: Date.UTC(2026, 0, 15, 10),
            endedAt: Date.UTC(2026, 0, 15, 10, 30),
            durationSeconds: 1_700,
            eventId: expect.stringMatching(UUID_V7),
          },
        },
      ]);
      expect(await bodyOf(response)).toEqual({
        success: true,
        data: { session_id: 's-1', player_id: ID, session_count: 4, total_playtime_seconds: 1_700 },
      });
    }
  });

  it('computes the duration from both times by default, in whole seconds', async () => {
    await session({ session_id: 's', start_time: '2026-01-15T10:00:00.100Z', end_time: '2026-01-15T10:00:05Z' });
    expect(gateway.backend.calls[0]?.body).toMatchObject({ durationSeconds: 4 });
  });

  it.each([
    [{ duration_seconds: 0 }],
    [{ duration_seconds: PLAYER_API_LIMITS.recordedSessionSeconds }],
    [{ duration_seconds: 5, start_time: '2026-01-15T10:00:00Z' }],
    [{ duration_seconds: 5, end_time: '2026-01-15T10:00:00Z' }],
    [{ start_time: '2026-01-15T10:00:00Z', end_time: '2026-01-15T10:00:00Z' }],
    [{ start_time: '2026-01-15T10:00:00Z', end_time: '2026-01-16T10:00:00Z' }],
    // A clock change during the session distorts the times, not the counted duration.
    [{ duration_seconds: 5, start_time: '2020-01-01T00:00:00Z', end_time: '2026-01-15T10:00:00Z' }],
  ])('accepts %o', async (body) => {
    expect((await session({ session_id: 's', ...body })).status).toBe(200);
  });

  it.each([
    ['no id', { duration_seconds: 5 }, '/session_id'],
    ['an empty id', { session_id: '', duration_seconds: 5 }, '/session_id'],
    ['a long id', { session_id: 's'.repeat(129), duration_seconds: 5 }, '/session_id'],
    ['an id that is a number', { session_id: 7, duration_seconds: 5 }, '/session_id'],
    ['no duration and no times', { session_id: 's' }, '/duration_seconds'],
    ['one time only', { session_id: 's', start_time: '2026-01-15T10:00:00Z' }, '/duration_seconds'],
    ['a negative duration', { session_id: 's', duration_seconds: -1 }, '/duration_seconds'],
    ['a broken duration', { session_id: 's', duration_seconds: 1.5 }, '/duration_seconds'],
    ['a duration in words', { session_id: 's', duration_seconds: '60' }, '/duration_seconds'],
    ['no number', { session_id: 's', duration_seconds: null }, '/duration_seconds'],
    ['more than a day', { session_id: 's', duration_seconds: 86_401 }, '/duration_seconds'],
    ['an infinite duration', '{"session_id":"s","duration_seconds":1e999}', '/duration_seconds'],
    [
      'an end before its start',
      { session_id: 's', duration_seconds: 5, start_time: '2026-01-15T10:00:01Z', end_time: '2026-01-15T10:00:00Z' },
      '/end_time',
    ],
    [
      'times more than a day apart and no duration',
      { session_id: 's', start_time: '2026-01-15T10:00:00Z', end_time: '2026-01-16T10:00:01Z' },
      '/end_time',
    ],
    ['no time', { session_id: 's', duration_seconds: 5, start_time: 'yesterday' }, '/start_time'],
  ])('refuses %s', async (_what, body, path) => {
    expect(await faultsOf(await session(body))).toContain(path);
  });

  it('ignores unknown fields and lists them', async () => {
    const response = await session({ session_id: 's', duration_seconds: 5, mood: 'good' });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ignored-fields')).toBe('mood');
  });

  it.each([
    ['9.990000', 99_900],
    ['.5', 5_000],
    ['1e1', 100_000],
    ['1e+2', 1_000_000],
    ['4.989999771118164', 49_900],
    ['2490000', 24_900_000_000],
    ['1.00005', 10_000],
  ])('accepts the amount %s, with four decimals', async (amount, tenThousandths) => {
    expect((await purchase(`?amount=${amount}`)).status).toBe(200);
    expect(gateway.backend.calls[0]?.body).toMatchObject({ amount: tenThousandths });
  });

  it('marks a repeat and returns failures', async () => {
    const reply = {
      kind: 'sessionRecorded',
      playerId: ID,
      sessionId: 's',
      sessionCount: 1,
      totalPlaytimeSeconds: 5,
    } as const;
    gateway.backend.reply = () => ({ ...reply, replayed: true });
    const again = await session({ session_id: 's', duration_seconds: 5 });
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    expect((await session({ session_id: 's', duration_seconds: 5 })).status).toBe(404);
  });

  it('binds an Idempotency-Key to path and body', async () => {
    for (const seconds of [5, 5, 6]) {
      await session({ session_id: 's', duration_seconds: seconds }, { 'Idempotency-Key': 'k' });
    }
    const hashes = gateway.backend.calls.map(({ body }) => ('idempotency' in body ? body.idempotency?.bodyHash : ''));
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });
});

describe('recording a purchase', () => {
  it('parses the amount as text and sends one command, for both kinds of keys', async () => {
    for (const key of [client, server]) {
      gateway.backend.calls.length = 0;
      const response = await purchase('?amount=9.99&currency=EUR&product_id=gems%20100&transaction_id=tx-1', {}, key);
      expect(response.status).toBe(200);
      expect(gateway.backend.calls.map(({ entityId, body }) => ({ entityId, body }))).toEqual([
        {
          entityId: ID,
          body: {
            kind: 'RecordPurchase',
            playerId: ID,
            amount: 99_900,
            currency: 'EUR',
            productId: 'gems 100',
            transactionId: 'tx-1',
            eventId: expect.stringMatching(UUID_V7),
          },
        },
      ]);
      expect(await bodyOf(response)).toEqual({
        success: true,
        data: {
          player_id: ID,
          amount: 9.99,
          total_revenue: 109.98,
          purchase_count: 4,
          is_payer: true,
          state: 'recorded',
        },
      });
    }
  });

  it('needs only the amount and no body', async () => {
    expect((await purchase('?amount=1')).status).toBe(200);
    expect(gateway.backend.calls[0]?.body).toMatchObject({
      amount: 10_000,
      currency: null,
      productId: null,
      transactionId: null,
    });
  });

  it.each([
    ['', '?amount', '?amount=', '?amount=0', '?amount=0.0000', '?amount=-1', '?amount=NaN', '?amount=Infinity'],
    ['?amount=1e999', '?amount=1e', '?amount=0x10', '?amount=0.00001', '?amount=900000000000.0001', '?amount=1e12'],
    ['?amount=1,5', '?amount=%201', '?amount=+1', '?amount=1&amount=1', '?amount[]=1', '?amount=1%00', '?Amount=1'],
    ['?amount=true', '?amount=null', '?amount=%D9%A1', '?amount=1;2', '?amount=99999999999999999999999999'],
  ])('refuses amounts like %s', async (...queries) => {
    for (const query of queries) {
      const faults = await faultsOf(await purchase(query));
      expect({ query, faults: faults.length > 0 }).toEqual({ query, faults: true });
    }
  });

  it.each([
    ['currency=XYZ', 'currency'],
    ['currency=XXX', 'currency'],
    ['currency=eur', 'currency'],
    ['currency=', 'currency'],
    ['currency=EUR&currency=USD', 'currency'],
    ['product_id=', 'product_id'],
    [`product_id=${'p'.repeat(257)}`, 'product_id'],
    ['transaction_id=', 'transaction_id'],
    [`transaction_id=${'t'.repeat(129)}`, 'transaction_id'],
  ])('refuses %s', async (query, name) => {
    expect(await faultsOf(await purchase(`?amount=1&${query}`))).toContain(name);
  });

  it('marks a repeat and returns failures', async () => {
    const reply = { kind: 'purchaseRecorded', playerId: ID, amount: 1, totalRevenue: 3, purchaseCount: 2 } as const;
    gateway.backend.reply = () => ({ ...reply, replayed: true });
    const again = await purchase('?amount=5');
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect((await bodyOf(again)).data).toMatchObject({ amount: 0.0001, total_revenue: 0.0003 });
    gateway.backend.reply = () => failure('PLAYER_NOT_FOUND');
    expect((await purchase('?amount=5')).status).toBe(404);
    gateway.backend.reply = () => failure('CONFLICT');
    expect((await purchase('?amount=5')).status).toBe(409);
  });

  it('binds an Idempotency-Key to the query, as there is no body', async () => {
    for (const amount of ['1', '1', '2']) await purchase(`?amount=${amount}`, { 'Idempotency-Key': 'k' });
    const hashes = gateway.backend.calls.map(({ body }) => ('idempotency' in body ? body.idempotency?.bodyHash : ''));
    expect(hashes[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(hashes[1]).toBe(hashes[0]);
    expect(hashes[2]).not.toBe(hashes[0]);
  });

  it('with client keys is refused only by a game with that setting', async () => {
    const address = gameAddress('demo');
    const game = gateway.config.get(address);
    if (game === undefined) throw new Error('there is no game');
    await gateway.config.put(address, { ...game.document, clientPurchases: false });
    const refused = await purchase('?amount=1');
    expect([refused.status, (await bodyOf(refused)).error.code]).toEqual([403, 'FORBIDDEN']);
    expect(gateway.backend.calls).toEqual([]);
    expect((await purchase('?amount=1', {}, server)).status).toBe(200);
    expect((await purchase('?amount=1', {}, await gateway.key({ kind: 'client', game: 'other' }))).status).toBe(200);
    expect((await session({ session_id: 's', duration_seconds: 5 })).status).toBe(200);
    await gateway.config.put(address, { ...game.document, clientPurchases: true });
    expect((await purchase('?amount=1')).status).toBe(200);
  });
});

describe('refunding a purchase', () => {
  const refund = (query: string, key = server, headers?: Record<string, string>) =>
    gateway.call(key, 'POST', `${PLAYER}/refund${query}`, undefined, headers);

  it('sends one command with the amount, or without for what remains, and returns the totals', async () => {
    const response = await refund('?transaction_id=tx-1&amount=2.5&refund_id=r-1');
    expect(response.status).toBe(200);
    expect(await bodyOf(response)).toEqual({
      success: true,
      data: {
        player_id: ID,
        transaction_id: 'tx-1',
        amount: 2.5,
        remaining: 0,
        total_revenue: 90,
        purchase_count: 2,
        is_payer: true,
      },
    });
    await refund('?transaction_id=tx-1');
    const fixed = { kind: 'RefundPurchase', playerId: ID, transactionId: 'tx-1' };
    expect(gateway.backend.calls.map(({ body }) => body)).toEqual([
      { ...fixed, amount: 25_000, refundId: 'r-1', eventId: expect.stringMatching(UUID_V7) },
      { ...fixed, amount: null, refundId: null, eventId: expect.stringMatching(UUID_V7) },
    ]);
  });

  it('is for server keys only', async () => {
    const response = await refund('?transaction_id=tx-1', client);
    expect([response.status, gateway.backend.calls]).toEqual([403, []]);
  });

  it.each([
    ['', 'transaction_id'],
    ['?transaction_id=', 'transaction_id'],
    ['?transaction_id=undefined', 'transaction_id'],
    ['?transaction_id=tx-1&amount=0', 'amount'],
    ['?transaction_id=tx-1&amount=-1', 'amount'],
    ['?transaction_id=tx-1&amount=0.00004', 'amount'],
    ['?transaction_id=tx-1&amount=', 'amount'],
    ['?transaction_id=tx-1&refund_id=', 'refund_id'],
    [`?transaction_id=tx-1&refund_id=${'r'.repeat(129)}`, 'refund_id'],
  ])('refuses %j', async (query, name) => {
    expect(await faultsOf(await refund(query))).toEqual([name]);
  });

  it('marks a repeat, answers what remains of a purchase in a conflict, and that a player is no payer', async () => {
    const money = { amount: 99_900, remaining: 0, totalRevenue: 0, purchaseCount: 0 };
    gateway.backend.reply = () => ({ kind: 'purchaseRefunded', playerId: ID, ...money, replayed: true });
    const again = await refund('?transaction_id=a%22b&refund_id=r-1');
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await bodyOf(again)).data).toMatchObject({ transaction_id: 'a"b', is_payer: false, total_revenue: 0 });
    gateway.backend.reply = () => failure('CONFLICT', '3 of the purchase remain.', { remaining: 3 });
    const refused = await refund('?transaction_id=tx-1&amount=5');
    expect([refused.status, (await bodyOf(refused)).error]).toMatchObject([409, { details: { remaining: 3 } }]);
    gateway.backend.reply = () => failure('NOT_FOUND');
    expect((await refund('?transaction_id=tx-1')).status).toBe(404);
  });
});

describe('both', () => {
  it('may be called from a browser', async () => {
    for (const path of ['session', 'purchase']) {
      const response = await fetch(`${gateway.url}${PLAYER}/${path}`, {
        method: 'OPTIONS',
        headers: { Origin: 'https://game.example', 'Access-Control-Request-Method': 'POST' },
      });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    }
  });

  it('are documented as callers send them: an amount is a number', async () => {
    const text = await (await fetch(`${gateway.url}/openapi.json`)).text();
    const document: { paths: Record<string, { post?: { parameters: { name: string }[] } }> } = JSON.parse(text);
    const { post } = document.paths['/v1/players/players/{id}/purchase'] ?? {};
    const amount = post?.parameters.find(({ name }) => name === 'amount');
    expect(amount).toMatchObject({
      in: 'query',
      required: true,
      schema: { type: 'number', exclusiveMinimum: 0, maximum: 900_000_000_000 },
    });
    expect(text).not.toContain('x-shown');
  });

  it('accept an id in any case and refuse an id that is no UUID', async () => {
    const upper = `/v1/players/players/${ID.toUpperCase()}`;
    await gateway.call(client, 'POST', `${upper}/purchase?amount=1`);
    await gateway.call(client, 'POST', `${upper}/session`, { session_id: 's', duration_seconds: 5 });
    expect(gateway.backend.calls.map(({ entityId }) => entityId)).toEqual([ID, ID]);
    gateway.backend.calls.length = 0;
    expect(await faultsOf(await gateway.call(client, 'POST', '/v1/players/players/me/purchase?amount=1'))).toEqual([
      'id',
    ]);
  });
});
