import { assert, asyncProperty, constantFrom, integer, record } from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../core/kernel/clock.ts';
import { uuidv5 } from '../../../core/kernel/ids.ts';
import { dateOf } from '../../../core/kernel/zoned-days.ts';
import { unitsText } from '../../../core/kernel/money.ts';
import { playerIdOf } from '../../../src/api/players/player-id.ts';
import { RATE_LIMITS } from '../../../src/api/settings/limits.ts';
import { fileFormat, type ImportKind } from '../../../src/cli/import/files/file-formats.ts';
import { readHistory } from '../../../src/cli/import/files/read-history.ts';
import { createHistoryBatch } from '../../../src/cli/import/send/history-batch.ts';
import { exchangeOf, ratesAddress } from '../../../streams/config/exchange-rates.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { bodyOf } from '../../support/wire/api-body.ts';

/* The exchange rates of a game, and the doors on which purchases in other currencies enter. */

const PATH = '/v1/settings/exchange-rates';
const DAY_MS = 86_400_000;
// A rate of yesterday serves today too, if midnight passes during the test.
const YESTERDAY = dateOf(Math.floor(Date.now() / DAY_MS) - 1);
const LONG_AGO = '2025-03-01';
const RATES = {
  JPY: { [LONG_AGO]: 0.00631, [YESTERDAY]: 0.00617 },
  USD: { [LONG_AGO]: 0.9614, [YESTERDAY]: 0.9231 },
  KWD: { [LONG_AGO]: 3.1207, [YESTERDAY]: 2.9983 },
};

let backend: DecidingBackend;
let gateway: Gateway;
let server: string;
let client: string;

beforeAll(async () => {
  backend = createDecidingBackend(systemClock);
  gateway = await startGateway({ backend });
  server = await gateway.key();
  client = await gateway.key({ kind: 'client' });
});
afterAll(() => gateway.close());

async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, key = server) {
  const response = await gateway.call(key, method, path, body, headers);
  const { data, error } = await bodyOf(response);
  return { status: response.status, etag: response.headers.get('etag'), data, error };
}
const put = (rates: object, headers: Record<string, string> = { 'If-Match': '*' }) =>
  call('PUT', PATH, { rates }, headers);
const currencyIs = async (currency: string | null) =>
  expect((await call('PATCH', '/v1/settings', { currency })).status).toBe(200);

/** The first version of the rates of a test: those of the tests before were deleted. */
let first = 1;

beforeEach(async () => {
  await gateway.config.delete(ratesAddress('demo'));
  first = gateway.config.ended(ratesAddress('demo')).version + 1;
  await currencyIs('EUR');
});

describe('the exchange rates of a game', () => {
  it('are none at first, are replaced as a whole, and end', async () => {
    expect(await call('GET', PATH)).toMatchObject({ status: 404, error: { code: 'NOT_FOUND' } });
    const stored = await put(RATES);
    expect(stored).toMatchObject({
      status: 200,
      etag: `"${first}"`,
      data: { currency: 'EUR', version: first, rates: RATES },
    });
    expect((await call('GET', PATH)).data).toEqual(stored.data);
    const next = { SEK: { [YESTERDAY]: 0.0889 } };
    expect(await put(next)).toMatchObject({ etag: `"${first + 1}"`, data: { version: first + 1, rates: next } });
    expect((await call('GET', PATH)).data['rates']).toEqual(next);
    // It takes its own answer.
    expect((await call('PUT', PATH, (await call('GET', PATH)).data)).status).toBe(200);
    expect((await call('DELETE', PATH)).data).toEqual({ deleted: true });
    expect((await call('DELETE', PATH)).status).toBe(404);
  });

  it('change only on the version that the caller names', async () => {
    await put(RATES);
    expect(await put(RATES, { 'If-Match': '"700"' })).toMatchObject({
      status: 412,
      error: { details: { version: first } },
    });
    expect((await call('DELETE', PATH, undefined, { 'If-Match': '7' })).status).toBe(412);
    expect((await call('PUT', PATH, { rates: RATES, version: first + 2 })).status).toBe(412);
    expect(await put(RATES, {})).toMatchObject({ status: 428, error: { code: 'PRECONDITION_REQUIRED' } });
    expect((await put(RATES, { 'If-Match': `"${first}"` })).etag).toBe(`"${first + 1}"`);
    expect((await call('PUT', PATH, { rates: RATES, version: first + 1 })).etag).toBe(`"${first + 2}"`);
    await call('DELETE', PATH);
    expect((await put(RATES, {})).etag).toBe(`"${first + 4}"`);
  });

  it.each([
    ['of no currency', { EURO: { '2026-01-15': 1 } }, '/rates/EURO/2026-01-15', 'ISO 4217'],
    ['of a currency in lower case', { jpy: { '2026-01-15': 1 } }, '/rates/jpy/2026-01-15', 'ISO 4217'],
    ["of the game's currency", { EUR: { '2026-01-15': 1 } }, '/rates/EUR/2026-01-15', 'another currency than EUR'],
    ['of no day', { JPY: { '2026-02-30': 1 } }, '/rates/JPY/2026-02-30', 'must be of a day'],
    ['of an hour', { JPY: { '2026-01-15T00': 1 } }, '/rates/JPY/2026-01-15T00', 'must be of a day'],
    ['that is 0', { JPY: { '2026-01-15': 0 } }, '/rates/JPY/2026-01-15', 'greater than 0'],
    ['that is negative', { JPY: { '2026-01-15': -1 } }, '/rates/JPY/2026-01-15', 'greater than 0'],
    ['that is a text', { JPY: { '2026-01-15': '1' } }, '/rates/JPY/2026-01-15', 'must be number'],
    ['that is missing', {}, '/rates', 'must have a rate'],
  ])('refuse a rate %s, and stay as they are', async (_what, rates, path, message) => {
    await put(RATES);
    const { status, error } = await put(rates);
    expect([status, JSON.stringify(error)]).toEqual([400, expect.stringContaining(path)]);
    expect(JSON.stringify(error)).toContain(message);
    expect((await call('GET', PATH)).data).toMatchObject({ version: first, rates: RATES });
  });

  it('are at most 24,000, which fit a request', async () => {
    const codes = ['JPY', 'USD', 'SEK', 'NOK'];
    const days = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [dateOf(n), 1.0837]));
    const full = Object.fromEntries(codes.map((code) => [code, days(RATE_LIMITS.exchangeRates / 4)]));
    expect((await put(full)).error).toBe(undefined);
    const { status, error } = await put({ ...full, DKK: days(1) });
    expect([status, JSON.stringify(error)]).toEqual([
      400,
      expect.stringContaining('has 24001 rates; the maximum is 24000'),
    ]);
  });

  it('need a currency to convert to, which then stays', async () => {
    await currencyIs(null);
    expect(await put(RATES)).toMatchObject({ status: 409, error: { message: expect.stringContaining('no currency') } });
    await currencyIs('EUR');
    await put(RATES);
    for (const currency of ['USD', null]) {
      const refused = await call('PATCH', '/v1/settings', { currency });
      expect(refused).toMatchObject({
        status: 409,
        error: { message: expect.stringContaining('exchange rates to EUR') },
      });
    }
    expect((await call('PATCH', '/v1/settings', { currency: 'EUR', time_zone: 'UTC' })).status).toBe(200);
  });

  it('are changed by server keys of the live environment only', async () => {
    await put(RATES);
    const test = await gateway.key({ environment: 'test' });
    expect((await call('GET', PATH, undefined, {}, test)).status).toBe(200);
    for (const key of [test, client]) {
      expect((await call('PUT', PATH, { rates: RATES }, {}, key)).error.code).toBe('FORBIDDEN');
      expect((await call('DELETE', PATH, undefined, {}, key)).error.code).toBe('FORBIDDEN');
    }
  });
});

const playerOf = (name: string): string =>
  playerIdOf({ namespace: gateway.namespace('demo'), environment: 'live' }, name);
let names = 0;
async function aPlayer(): Promise<string> {
  names += 1;
  const registered = await call('POST', '/v1/players/players', { external_id: `ann-${names}` });
  expect(registered.status).toBeLessThan(300);
  return `ann-${names}`;
}
const buy = (name: string, query: Record<string, string>, key = server) =>
  call(
    'POST',
    `/v1/players/players/${playerOf(name)}/purchase?${new URLSearchParams(query).toString()}`,
    undefined,
    {},
    key,
  );

async function importLine(line: object, kind: ImportKind = 'purchases') {
  const format = fileFormat('native', kind);
  if (format === undefined) throw new Error('there is no such format');
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(JSON.stringify(line));
  }
  names += 1;
  const importId = uuidv5(gateway.namespace('demo'), `file-${names}`);
  const batch = createHistoryBatch();
  const faults: string[] = [];
  const options = {
    ...({ fileKind: 'ndjson', format, importId, nowMs: Date.now(), playerIdOf: playerOf } as const),
    exchangeOf: (currency: string | null, atMs: number) => exchangeOf(gateway.config, 'demo', currency, atMs),
  };
  for await (const lines of readHistory({ chunks: chunks(), share: () => undefined }, options)) {
    for (const read of lines) {
      if (read.kind === 'item') batch.add(read.item);
      else faults.push(read.reason);
    }
  }
  if (faults.length > 0) return faults;
  const origin = { game: 'demo', environment: 'live', receivedAt: Date.now() } as const;
  const body = batch.close(importId, 0);
  const reply = await backend.send(origin, body.players[0]?.playerId ?? '', body);
  expect(reply).toMatchObject({ imported: 1, rejected: [] });
  return faults;
}

/** What a player's state and its latest event of a purchase say. */
function recorded(name: string) {
  const state = backend.state(playerOf(name));
  if (state?.kind !== 'player') throw new Error(`no player ${name}`);
  const { totalRevenue, recordedPurchases } = state;
  return { totalRevenue, purchases: recordedPurchases.map(({ amount, paid }) => ({ amount, paid })) };
}

describe('a purchase in another currency', () => {
  it('without rates of the game counts as it is sent, on every door', async () => {
    const name = await aPlayer();
    expect((await buy(name, { amount: '1500', currency: 'JPY', transaction_id: 'a' })).data).toEqual({
      player_id: playerOf(name),
      amount: 1500,
      total_revenue: 1500,
      purchase_count: 1,
      is_payer: true,
      state: 'recorded',
    });
    await importLine({ external_id: name, amount: 20, currency: 'USD', transaction_id: 'b', timestamp: LONG_AGO });
    expect(recorded(name).totalRevenue).toBe(15_200_000);
  });

  it('is converted, and the answer says what was paid; a refund is one in that currency', async () => {
    await put(RATES);
    const name = await aPlayer();
    const bought = await buy(name, { amount: '1500', currency: 'JPY', transaction_id: 'a' }, client);
    const paid = { amount: 1500, currency: 'JPY' };
    expect(bought.data).toMatchObject({ amount: 9.255, paid, total_revenue: 9.255 });
    const path = `/v1/players/players/${playerOf(name)}/refund?transaction_id=a`;
    expect((await call('POST', `${path}&amount=500`)).data).toMatchObject({
      amount: 3.085,
      remaining: 6.17,
      paid: { amount: 500, remaining: 1000, currency: 'JPY' },
      total_revenue: 6.17,
    });
    expect((await call('POST', `${path}&amount=1001`)).status).toBe(409);
    expect((await call('POST', path)).data).toMatchObject({ amount: 6.17, remaining: 0, total_revenue: 0 });
    expect((await buy(name, { amount: '5', currency: 'EUR' })).data).not.toHaveProperty('paid');
    expect((await buy(name, { amount: '5' })).data).toMatchObject({ amount: 5, total_revenue: 10 });
  });

  it('without a rate is refused by the currency and the day, on every door; a repeat of one is not', async () => {
    await put(RATES);
    const name = await aPlayer();
    await buy(name, { amount: '1500', currency: 'JPY', transaction_id: 'a' }, client);
    await put({ USD: RATES.USD });
    for (const key of [client, server]) {
      const refused = await buy(name, { amount: '1500', currency: 'JPY', transaction_id: 'b' }, key);
      expect(refused).toMatchObject({ status: 409, error: { code: 'CONFLICT', details: { currency: 'JPY' } } });
      const repeat = await buy(name, { amount: '1500', currency: 'JPY', transaction_id: 'a' }, key);
      expect(repeat).toMatchObject({ status: 200, data: { amount: 9.255 } });
    }
    const line = { external_id: name, amount: 1500, transaction_id: 'c' };
    const faults = await importLine({ ...line, currency: 'USD', timestamp: '2025-03-09' });
    expect(faults).toEqual([expect.stringContaining('no exchange rate of USD for 2025-03-09 or the 7 days before it')]);
    expect(await importLine({ ...line, currency: 'USD', timestamp: '2025-03-08' })).toEqual([]);
    expect(recorded(name).purchases.map(({ amount }) => amount)).toEqual([14_421_000, 92_550]);
  });

  it('that is exported and imported elsewhere counts as before, with its refund', async () => {
    await put(RATES);
    const name = await aPlayer();
    await buy(name, { amount: '1500', currency: 'JPY', transaction_id: 'a' });
    await call('POST', `/v1/players/players/${playerOf(name)}/refund?transaction_id=a&amount=700`);
    const events = backend.facts.flatMap((fact) =>
      fact.kind === 'EventTracked' && fact.entityId === playerOf(name) ? [fact] : [],
    );
    const before = recorded(name);
    // The other deployment has other rates.
    await put({ JPY: { [YESTERDAY]: 0.5 } });
    names += 1;
    for (const { eventName, properties, timestamp } of events) {
      const line = {
        external_id: `elsewhere-${names}`,
        event_name: eventName,
        timestamp,
        properties,
        source: 'service',
      };
      // A file of its own, as `names` grows.
      expect(await importLine({ ...line, external_id: 'elsewhere' }, 'events')).toEqual([]);
    }
    expect(events.map(({ eventName }) => eventName)).toEqual(['purchase', 'purchase_refunded']);
    expect(recorded('elsewhere')).toEqual(before);
  });

  it('counts the same on every door', async () => {
    const doors = {
      async client(name: string, amount: string, currency: string) {
        expect((await buy(name, { amount, currency, transaction_id: 't' }, client)).status).toBe(200);
      },
      async server(name: string, amount: string, currency: string) {
        expect((await buy(name, { amount, currency, transaction_id: 't' })).status).toBe(200);
      },
      async 'client, then server'(name: string, amount: string, currency: string) {
        await this.client(name, amount, currency);
        await this.server(name, amount, currency);
      },
      async import(name: string, amount: string, currency: string) {
        const line = { external_id: name, amount, currency, transaction_id: 't', timestamp: YESTERDAY };
        expect(await importLine(line)).toEqual([]);
      },
      async 'import of numbers'(name: string, amount: string, currency: string) {
        const line = { external_id: name, amount: Number(amount), currency, transaction_id: 't', timestamp: YESTERDAY };
        expect(await importLine(line)).toEqual([]);
      },
    };
    const purchase = record({
      amount: integer({ min: 200, max: 999_999_999 }),
      currency: constantFrom('JPY', 'USD', 'KWD'),
      // Rates of nine digits, next to each other.
      digits: integer({ min: 100_000_001, max: 999_999_999 }),
      places: integer({ min: 7, max: 11 }),
    });
    await assert(
      asyncProperty(purchase, async ({ amount, currency, digits, places }) => {
        const rate = Number(`${digits}e-${places}`);
        expect((await put({ [currency]: { [YESTERDAY]: rate } })).status).toBe(200);
        const above = BigInt(amount) * BigInt(digits);
        const below = 10n ** BigInt(places);
        const twice = (above % below) * 2n;
        const floor = above / below;
        const expected = twice > below || (twice === below && floor % 2n === 1n) ? floor + 1n : floor;
        for (const [door, enter] of Object.entries(doors)) {
          const name = await aPlayer();
          if (expected === 0n) continue;
          await enter.call(doors, name, unitsText(amount), currency);
          const paid = { amount, currency, rate };
          expect([door, recorded(name)]).toEqual([
            door,
            { totalRevenue: Number(expected), purchases: [{ amount: Number(expected), paid }] },
          ]);
        }
      }),
      { numRuns: 40 },
    );
  });
});
