import { describe, expect, it } from 'vitest';
import { playsOf } from '../../../../bench/lib/products/made-play.ts';
import { PRODUCT_WRITERS, type Product } from '../../../../bench/lib/products/product-lines.ts';
import { USUAL_GAME } from '../../../../bench/lib/history/game-history.ts';
import { fileFormat } from '../files/file-formats.ts';
import { type HistoryLine, type ImportChoices, lineContext } from '../files/file-format.ts';
import { EmptyLine, type Fields, LineFault } from '../files/line-fields.ts';
import type { ExchangeOf } from '../files/purchase-lines.ts';

const NOW = Date.UTC(2026, 0, 15);
const AT = Date.UTC(2025, 5, 1, 12);

interface Reading {
  choices?: Partial<ImportChoices>;
  exchangeOf?: ExchangeOf;
  users?: Readonly<Record<string, string>>;
}

/** What a line becomes, or the text of its fault. */
function read(
  product: Product,
  fields: Fields,
  { choices, exchangeOf, users = {} }: Reading = {},
): HistoryLine | string {
  const context = lineContext({
    nowMs: NOW,
    choices: { purchases: new Map(), zone: undefined, joins: true, ...choices },
    survey: { userOf: (id) => users[id], sessionSeconds: () => undefined },
    ...(exchangeOf === undefined ? {} : { exchangeOf }),
  });
  try {
    const format = fileFormat(product, 'events');
    if (format === undefined) throw new Error(`there is no format of ${product}`);
    return format.read(fields, context);
  } catch (error) {
    if (error instanceof LineFault || error instanceof EmptyLine) return error.message;
    throw error;
  }
}

const firebase = (some: object = {}, params: object[] = []): Fields => ({
  event_name: 'level_up',
  event_timestamp: String(AT * 1_000),
  user_pseudo_id: 'phone',
  event_params: params,
  event_bundle_sequence_id: '7',
  ...some,
});
const whole = (key: string, value: unknown) => ({ key, value: { int_value: value } });
const text = (key: string, value: string) => ({ key, value: { string_value: value } });
const mixpanel = (properties: object = {}, event = 'Level Up'): Fields => ({
  event,
  properties: { time: AT / 1_000, distinct_id: 'ann', $insert_id: 'i-1', ...properties },
});
const amplitude = (some: object = {}): Fields => ({
  event_type: 'level_up',
  event_time: '2025-06-01 12:00:00.250000',
  device_id: 'phone',
  uuid: 'u-1',
  ...some,
});
const unity = (some: object = {}): Fields => ({ ts: AT, userid: 'ann', type: 'custom', name: 'level_up', ...some });
const posthog = (properties: object = {}, some: object = {}): Fields => ({
  event: 'level_up',
  distinct_id: 'ann',
  timestamp: '2025-06-01T12:00:00Z',
  uuid: 'u-1',
  properties,
  ...some,
});
const segment = (some: object = {}): Fields => ({
  type: 'track',
  event: 'Level Up',
  messageId: 'm-1',
  userId: 'ann',
  timestamp: '2025-06-01T12:00:00Z',
  receivedAt: '2025-06-01T12:00:05Z',
  ...some,
});
const gameAnalytics = (some: object = {}): Fields => ({
  data: { category: 'design', event_id: 'Level:3', user_id: 'ann', client_ts: AT / 1_000, session_id: 's-1', ...some },
});

const SAMPLES: Readonly<Record<Product, () => Fields>> = {
  firebase: () => firebase(),
  mixpanel: () => mixpanel(),
  unity: () => unity(),
  gameanalytics: () => gameAnalytics(),
  posthog: () => posthog(),
  amplitude: () => amplitude(),
  segment: () => segment(),
};
const PRODUCTS = Object.keys(PRODUCT_WRITERS).filter((name): name is Product => name in PRODUCT_WRITERS);

describe.each(PRODUCTS)('a line of %s', (product) => {
  it('that the generator makes has its player, time, name, session and device', () => {
    const writer = PRODUCT_WRITERS[product];
    const rules = { ...USUAL_GAME, seed: 3, players: 50, days: 20, startMs: Date.UTC(2025, 2, 1), payerShare: 1 };
    const choices = {
      purchases: new Map([
        ['Purchase', undefined],
        ['pack_bought', undefined],
      ]),
    };
    let money = 0;
    for (let player = 0; player < 20; player++) {
      for (const play of playsOf(rules, player, 8, player * 1_000)) {
        const written = writer.lineOf(play);
        if (written === undefined) continue;
        const made = read(product, JSON.parse(JSON.stringify(written.line)), { choices });
        if (typeof made === 'string') throw new Error(made);
        const hasCents = product === 'firebase' || product === 'amplitude';
        const amount = play.priceCents * 100 * (hasCents ? play.quantity : 1);
        expect(made).toMatchObject({ at: play.atMs, event: { eventName: written.name } });
        expect(made.event?.playedWith?.platform).toBe(play.platform);
        expect(made.purchase?.amount).toBe(play.kind === 'purchase' ? amount : undefined);
        if (product !== 'unity') {
          expect(made.event?.playedWith?.appVersion).toBe(play.version);
          expect(made.event?.country).toBe(play.country[0]);
        }
        money += made.purchase === undefined ? 0 : 1;
      }
    }
    expect(money).toBeGreaterThan(0);
  });

  it.each(PRODUCTS.filter((other) => other !== product))('is told from one of %s', (other) => {
    expect(read(product, SAMPLES[other]())).toMatch(/^The line is none of an export of /);
  });

  it('that is nothing of the kind is a fault, and unknown fields do not matter', () => {
    for (const fields of [{}, { a: 1 }, { event: 'x' }, { data: [] }, { properties: 'x' }]) {
      expect(typeof read(product, fields)).toBe('string');
    }
    expect(read(product, { ...SAMPLES[product](), added_later: { deep: [1] } })).toEqual(
      read(product, SAMPLES[product]()),
    );
  });
});

describe('the player of a line', () => {
  const idOf = (line: HistoryLine | string) => (typeof line === 'string' ? line : line.externalId);
  const users = { phone: 'ann', 'amplitude_id 5': 'ann', 'anonymous:phone': 'ann' };

  it.each<[Product, Fields, Fields]>([
    ['firebase', firebase({ user_id: 'ann' }), firebase()],
    [
      'mixpanel',
      mixpanel({ $user_id: 'ann', $device_id: 'phone' }),
      mixpanel({ distinct_id: '$device:phone', $device_id: 'phone' }),
    ],
    ['posthog', posthog({}, { distinct_id: 'ann' }), posthog({}, { distinct_id: 'phone' })],
    ['amplitude', amplitude({ user_id: 'ann', amplitude_id: 5 }), amplitude({ amplitude_id: 5 })],
    ['segment', segment({ anonymousId: 'phone' }), segment({ userId: null, anonymousId: 'phone' })],
  ])('of %s is its user, also before the product knew the user', (product, known, anonymous) => {
    expect(idOf(read(product, known))).toBe('ann');
    expect(idOf(read(product, anonymous, { users }))).toBe('ann');
    expect(idOf(read(product, anonymous))).toBe(product === 'segment' ? 'anonymous:phone' : 'phone');
  });

  it.each(['0', 'null', 'undefined', 'anonymous', '00000000-0000-0000-0000-000000000000', ''])(
    'is the device if the user id is %j, which is none',
    (id) => {
      expect(idOf(read('firebase', firebase({ user_id: id })))).toBe('phone');
      expect(idOf(read('amplitude', amplitude({ user_id: id })))).toBe('phone');
      expect(idOf(read('amplitude', amplitude({ user_id: id, device_id: id })))).toMatch(/missing/);
      expect(idOf(read('unity', unity({ userid: id })))).toMatch(/missing/);
      expect(idOf(read('posthog', posthog({}, { distinct_id: id })))).toMatch(/missing/);
    },
  );
});

describe('times', () => {
  it.each<[string, (seconds: number) => HistoryLine | string]>([
    ['Firebase', (at) => read('firebase', firebase({ event_timestamp: String(at * 1e6) }))],
    ['Mixpanel', (at) => read('mixpanel', mixpanel({ time: at }))],
    ['Unity', (at) => read('unity', unity({ ts: at * 1_000 }))],
    ['GameAnalytics', (at) => read('gameanalytics', gameAnalytics({ client_ts: at }))],
    [
      'Segment',
      (at) => {
        const time = new Date(at * 1_000).toISOString();
        return read('segment', segment({ timestamp: time, receivedAt: time }));
      },
    ],
  ])('of %s in 1970 and 2100 are faults', (_, at) => {
    expect(at(86_400)).toMatch(/is before 2000-01-01/);
    expect(at(4_102_444_800)).toMatch(/is in the future/);
  });

  it("of Mixpanel are on the project's clock if it is named", () => {
    const zone = 'America/New_York';
    expect(read('mixpanel', mixpanel(), { choices: { zone } })).toMatchObject({ at: AT + 4 * 3_600_000 });
    expect(read('mixpanel', mixpanel())).toMatchObject({ at: AT });
  });
});

describe('purchases', () => {
  const bought = [
    text('product_id', 'gems'),
    whole('price', '4990000'),
    whole('quantity', '2'),
    text('currency', 'EUR'),
  ];

  it('of stores in Firebase are in millionths, times their quantity', () => {
    const line = firebase({ event_name: 'in_app_purchase' }, bought);
    expect(read('firebase', line)).toMatchObject({
      purchase: { amount: 99_800, currency: 'EUR', productId: 'gems', transactionId: null },
      event: { eventName: 'in_app_purchase', properties: expect.stringContaining('"price":4990000') },
    });
    const dollars = firebase({ event_name: 'in_app_purchase', event_value_in_usd: 4.99 }, [text('product_id', 'gems')]);
    expect(read('firebase', dollars)).toMatchObject({ purchase: { amount: 49_900, currency: 'USD' } });
    const free = firebase({ event_name: 'in_app_purchase' }, [whole('price', '0'), text('currency', 'EUR')]);
    expect(read('firebase', free)).not.toHaveProperty('purchase');
  });

  it('of a shop in Firebase are in units, and a refund names its transaction', () => {
    const params = [
      { key: 'value', value: { double_value: 9.99 } },
      text('currency', 'USD'),
      text('transaction_id', 't-1'),
    ];
    const made = read('firebase', firebase({ event_name: 'purchase' }, params));
    expect(made).toMatchObject({ purchase: { amount: 99_900, transactionId: 't-1' } });
    expect(read('firebase', firebase({ event_name: 'refund' }, params))).toMatchObject({
      refund: { amount: 99_900, transactionId: 't-1' },
    });
  });

  it('count in the currency of the game by its rates, and are faults without one', () => {
    const line = firebase({ event_name: 'in_app_purchase' }, bought);
    const exchangeOf = (currency: string | null) => (currency === 'EUR' ? { rate: 1.1 } : undefined);
    expect(read('firebase', line, { exchangeOf })).toMatchObject({ purchase: { exchange: { rate: 1.1 } } });
    const without = () => ({ rate: null, day: '2025-06-01' }) as const;
    expect(read('firebase', line, { exchangeOf: without })).toMatch(/no exchange rate of EUR/);
  });

  it('of GameAnalytics are in cents, and once for each number of a session', () => {
    const business = { category: 'business', event_id: 'Packs:gems', amount: 999, currency: 'USD', transaction_num: 3 };
    expect(read('gameanalytics', gameAnalytics(business))).toMatchObject({
      purchase: { amount: 99_900, currency: 'USD', productId: 'Packs:gems', transactionId: 's-1-3' },
    });
  });

  it('of Unity are floats, or the smallest unit of their currency', () => {
    const amount = Math.fround(4.99);
    const line = unity({ type: 'transaction', amount, currency: 'USD', productid: 'gems', transactionid: 17 });
    expect(read('unity', line)).toMatchObject({ purchase: { amount: 49_900, transactionId: '17' } });
    const row = (realCurrencyType: string) => ({
      EVENT_NAME: 'transaction',
      EVENT_TIMESTAMP: '2025-06-01 12:00:00.000',
      USER_ID: 'ann',
      EVENT_JSON: { eventUUID: 'e-1', productsSpent: { realCurrency: { realCurrencyType, realCurrencyAmount: 499 } } },
    });
    expect(read('unity', row('USD'))).toMatchObject({ purchase: { amount: 49_900 }, event: { eventId: 'unity-e-1' } });
    expect(read('unity', row('JPY'))).toMatchObject({ purchase: { amount: 4_990_000 } });
  });

  it("of Amplitude are price times quantity, and Amplitude's own copies of them do not count", () => {
    const properties = { $price: 2.5, $quantity: 3, $productId: 'gems' };
    const line = amplitude({ event_properties: properties });
    expect(read('amplitude', line)).toMatchObject({ purchase: { amount: 75_000, productId: 'gems' } });
    const copy = amplitude({ event_type: 'verified_revenue', event_properties: { $revenue: 7.5 } });
    expect(read('amplitude', copy)).not.toHaveProperty('purchase');
    const back = amplitude({ event_properties: { $revenue: -7.5 } });
    expect(read('amplitude', back)).not.toHaveProperty('purchase');
  });

  it('of any product are the events that the operator names', () => {
    const purchases = new Map([
      ['Buy', 'cost'],
      ['Pay', undefined],
    ]);
    const line = mixpanel({ cost: '3.50', currency: 'usd' }, 'Buy');
    expect(read('mixpanel', line, { choices: { purchases } })).toMatchObject({
      purchase: { amount: 35_000, currency: 'USD' },
    });
    expect(read('mixpanel', mixpanel({}, 'Buy'), { choices: { purchases } })).toMatch(/has no property `cost`/);
    expect(read('mixpanel', mixpanel({}, 'Pay'), { choices: { purchases } })).toMatch(/no property that is an amount/);
    expect(read('mixpanel', line)).not.toHaveProperty('purchase');
  });

  it('of Segment are orders by their id, and refunds of it', () => {
    const properties = { order_id: 'o-1', revenue: 25, currency: 'USD' };
    expect(read('segment', segment({ event: 'Order Completed', properties }))).toMatchObject({
      purchase: { amount: 250_000, transactionId: 'o-1' },
    });
    expect(
      read(
        'segment',
        segment({ event: 'Order Refunded', properties: { ...properties, total: 5, revenue: undefined } }),
      ),
    ).toMatchObject({
      refund: { amount: 50_000, transactionId: 'o-1' },
    });
  });
});

describe('ids of events', () => {
  const eventId = (line: HistoryLine | string) => (typeof line === 'string' ? line : line.event?.eventId);

  it('of Firebase follow from where the row was in its batch', () => {
    const batch = { batch_page_id: '1', batch_ordering_id: '2', batch_event_index: '3' };
    const first = eventId(read('firebase', firebase(batch, [whole('a', '1')])));
    expect(eventId(read('firebase', firebase(batch, [whole('a', '2')])))).toBe(first);
    expect(eventId(read('firebase', firebase({ ...batch, batch_event_index: '4' }, [whole('a', '1')])))).not.toBe(
      first,
    );
    expect(eventId(read('firebase', firebase({}, [whole('a', '1')])))).not.toBe(
      eventId(read('firebase', firebase({}, [whole('a', '2')]))),
    );
    expect(eventId(read('firebase', firebase({ event_bundle_sequence_id: '8' })))).not.toBe(
      eventId(read('firebase', firebase())),
    );
  });

  it('of Mixpanel are those of its four fields that it compares itself', () => {
    const first = eventId(read('mixpanel', mixpanel()));
    expect(eventId(read('mixpanel', mixpanel({ level: 9, mp_processing_time_ms: 7 })))).toBe(first);
    for (const other of [
      mixpanel({}, 'Other'),
      mixpanel({ time: AT / 1_000 + 1 }),
      mixpanel({ distinct_id: 'bob' }),
      mixpanel({ $insert_id: 'i-2' }),
    ]) {
      expect(eventId(read('mixpanel', other))).not.toBe(first);
    }
    expect(eventId(read('mixpanel', mixpanel({ $insert_id: undefined })))).toBeUndefined();
  });

  it('of others are their own', () => {
    expect(
      [posthog(), amplitude(), segment(), gameAnalytics()].map((line, n) => {
        const products = ['posthog', 'amplitude', 'segment', 'gameanalytics'] as const;
        return eventId(read(products[n] ?? 'posthog', line));
      }),
    ).toEqual(['u-1', 'u-1', 'm-1', undefined]);
  });
});

it('lines that only describe something hold nothing to import', () => {
  expect(read('unity', unity({ type: 'deviceInfo' }))).toMatch(/are no events/);
  expect(read('unity', { EVENT_NAME: 'e', EVENT_LEVEL: 1, USER_ID: 'a', EVENT_TIMESTAMP: '2025-06-01' })).toMatch(
    /parts of events/,
  );
  expect(read('amplitude', { amplitude_id: 1, merged_amplitude_id: 2 })).toMatch(/who is who/);
});

it("rows of Segment's warehouse are calls", () => {
  const row = {
    id: 'm-9',
    received_at: '2025-06-01 12:00:05.000 UTC',
    timestamp: '2025-06-01 12:00:00.000 UTC',
    user_id: 'ann',
    anonymous_id: 'phone',
    event: 'level_up',
    event_text: 'Level Up',
    context_app_version: '1.2',
    context_device_type: 'android',
    level: 7,
    mode: null,
  };
  expect(read('segment', row)).toMatchObject({
    externalId: 'ann',
    at: AT,
    event: {
      eventId: 'm-9',
      eventName: 'Level Up',
      properties: '{"level":7}',
      playedWith: { appVersion: '1.2', platform: 'android' },
    },
  });
});

it('parameters of Firebase become properties: numbers that a double holds, and texts of others', () => {
  const params = [
    whole('level', '7'),
    whole('big', '9007199254740993'),
    text('mode', 'a'),
    { key: 'f', value: { double_value: 0.5 } },
    { key: 'n', value: null },
  ];
  const line = read('firebase', firebase({ items: [{ item_id: 'x' }] }, params));
  if (typeof line === 'string') throw new Error(line);
  expect(JSON.parse(line.event?.properties ?? '')).toEqual({
    level: 7,
    big: '9007199254740993',
    mode: 'a',
    f: 0.5,
    items: [{ item_id: 'x' }],
  });
});
