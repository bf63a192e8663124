import { NEVER_SEEN } from '../../../../core/vocabulary/state/player.ts';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readMessage } from '../../../api/segment-clients/segment-message.ts';
import { CliError } from '../../cli-error.ts';
import { fileFormat, type ImportKind, type ImportSource } from './file-formats.ts';
import type { FileKind } from './open-source.ts';
import type { ExchangeOf } from './purchase-lines.ts';
import { readHistory, type ReadLine } from './read-history.ts';

const NOW = Date.UTC(2026, 0, 15);
const SESSION = 'de305d54-75b4-431b-adb2-eb6b9e546001';

async function read(
  text: string | Buffer,
  {
    from = 'native',
    kind = 'events',
    fileKind = 'ndjson',
    fit = false,
    exchangeOf = () => undefined,
  }: { from?: ImportSource; kind?: ImportKind; fileKind?: FileKind; fit?: boolean; exchangeOf?: ExchangeOf },
): Promise<ReadLine[]> {
  const format = fileFormat(from, kind);
  if (format === undefined) throw new Error('no such format');
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(text);
  }
  const file = { chunks: chunks(), share: () => undefined };
  const playerIdOf = (id: string) => `player ${id}`;
  const options = { fileKind, format, importId: 'file-1', nowMs: NOW, fit, playerIdOf, exchangeOf };
  const lines: ReadLine[] = [];
  for await (const some of readHistory(file, options)) lines.push(...some);
  return lines;
}

const items = (lines: readonly ReadLine[]) => lines.map((line) => (line.kind === 'item' ? line.item : line.reason));
const native = (some: object) =>
  JSON.stringify({ external_id: 'ann', event_name: 'e', timestamp: '2025-01-01', ...some });

describe('lines of the own format', () => {
  it('are events with their time, and an id that follows from file and line', async () => {
    const text = `${native({ event_id: 'e-1', properties: { a: 1 }, session_id: 's' })}\n${native({})}\n`;
    const [first, second] = items(await read(text, {}));
    expect(first).toEqual({
      line: 1,
      playerId: 'player ann',
      externalId: 'ann',
      at: Date.UTC(2025, 0, 1),
      event: { eventId: 'e-1', eventName: 'e', properties: '{"a":1}', sessionId: 's' },
    });
    expect(second).toMatchObject({ event: { eventId: expect.stringMatching(/^[0-9a-f-]{36}$/) } });
    expect(items(await read(text, {}))[1]).toEqual(second);
  });

  it.each(['undefined', 'null', 'NaN', '[object Object]', '00000000-0000-0000-0000-000000000000', '  '])(
    'may not be of a player %j',
    async (id) => {
      const lines: [string, ImportSource, ImportKind][] = [
        [native({ external_id: id }), 'native', 'events'],
        [JSON.stringify({ external_id: id }), 'native', 'players'],
        [JSON.stringify({ external_id: id, amount: 1, timestamp: '2025-01-01' }), 'native', 'purchases'],
        [JSON.stringify({ distinct_id: id, event: 'e', timestamp: '2025-01-01' }), 'posthog', 'events'],
        [JSON.stringify({ device_id: id, event_type: 'e', event_time: '2025-01-01' }), 'amplitude', 'events'],
      ];
      for (const [line, from, kind] of lines) {
        expect(items(await read(line, { from, kind }))).toEqual([expect.stringContaining('missing value')]);
      }
    },
  );

  it.each(['undefined', 'NULL', '[object Object]'])('of its own that is %j is none', async (id) => {
    const [plain] = items(await read(native({}), {}));
    expect(items(await read(native({ event_id: id, session_id: id }), {}))).toEqual([plain]);
    const purchase = JSON.stringify({ external_id: 'p', amount: 1, timestamp: '2025-01-01', transaction_id: id });
    expect(items(await read(purchase, { kind: 'purchases' }))).toEqual([expect.stringContaining('missing value')]);
  });

  it('may leave out values as other languages do', async () => {
    const [plain] = items(await read(native({ event_id: 'i' }), {}));
    for (const some of [{ properties: [] }, { properties: null }, { properties: '[]' }, { session_id: null }]) {
      expect(items(await read(native({ event_id: 'i', ...some }), {}))).toEqual([plain]);
    }
    const player = { external_id: 'ann', last_seen_at: '2025-01-01' };
    const unset = { ...player, first_seen_at: '0001-01-01T00:00:00', attributes: [] };
    expect(items(await read(JSON.stringify(unset), { kind: 'players' }))).toEqual(
      items(await read(JSON.stringify(player), { kind: 'players' })),
    );
    const marked = Buffer.from(`\ufeff${native({ event_id: 'i' })}`);
    expect(items(await read(marked, {}))).toEqual([plain]);
  });

  it('of a refund that the service made count as such', async () => {
    const properties = { amount: 2, remaining: 7.99, transaction_id: 'tx-1', refund_id: 'r-1', product_id: 'gems' };
    const line = native({ event_name: 'purchase_refunded', source: 'service', properties });
    const own = native({ event_name: 'purchase_refunded', source: 'caller', properties });
    const [refund, event] = items(await read(`${line}\n${own}`, {}));
    expect(refund).toMatchObject({ refund: { amount: 20_000, transactionId: 'tx-1', refundId: 'r-1' } });
    expect(event).not.toHaveProperty('refund');
  });

  it('of a session or a purchase that the service made count as such', async () => {
    const session = { session_id: 's-1', duration_seconds: 60 };
    const made = [
      native({ event_name: 'session_recorded', source: 'service', properties: session }),
      native({ event_name: 'purchase', source: 'service', properties: { amount: 9.99, currency: 'EUR' } }),
      native({ event_name: 'purchase', source: 'caller', properties: { amount: 9.99 } }),
    ];
    const [first, second, third] = items(await read(made.join('\n'), {}));
    expect(first).toMatchObject({ session: { sessionId: 's-1', durationSeconds: 60 } });
    expect(second).toMatchObject({ purchase: { amount: 99_900, currency: 'EUR' } });
    expect(third).not.toHaveProperty('purchase');
  });

  it.each([
    ['no JSON', '{"external_id":', 'is not valid JSON'],
    ['an array', '[1]', 'is not a JSON object'],
    ['invalid UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'is not valid UTF-8'],
    ['a NUL in a name', native({ event_name: 'x\u0000' }), 'U+0000'],
    ['no player', native({ external_id: '' }), '`external_id` is missing'],
    ['no time', native({ timestamp: null }), '`timestamp` is missing'],
    ['a bad time', native({ timestamp: 'yesterday' }), '`timestamp` must be a time'],
    ['a time in the future', native({ timestamp: '2026-01-16' }), 'is in the future'],
    ['a time long ago', native({ timestamp: '1999-12-31' }), 'is before 2000-01-01'],
    ['a time before 1970', native({ timestamp: '1969-07-20T20:17:40Z' }), 'is before 2000-01-01'],
    ['a time without a year', native({ timestamp: '0001-01-01 00:00:00 UTC' }), 'is before 2000-01-01'],
    ['a time just before 1970', native({ timestamp: '1970-01-01T00:00:00+02:00' }), 'is before 2000-01-01'],
    ['seconds before 1970', native({ timestamp: -14_182_940 }), 'is before 2000-01-01'],
    ['seconds before 1970 as a text', native({ timestamp: '-14182940' }), 'is before 2000-01-01'],
    ['a time after 2299', native({ timestamp: '9999-12-31T23:59:59Z' }), 'is in the future'],
    ['a day that no year has', native({ timestamp: '1969-02-30' }), '`timestamp` must be a time'],
    ['a long name', native({ event_name: 'x'.repeat(129) }), '`event_name` has 129 characters; the maximum is 128'],
  ])('with %s are faults', async (_, line, reason) => {
    const [fault] = await read(line, {});
    expect(fault).toMatchObject({ kind: 'fault', line: 1, reason: expect.stringContaining(reason) });
  });
});

describe('properties that cannot be stored as they are', () => {
  const line = (properties: string, end = '') =>
    `{"external_id":"ann","event_name":"e","event_id":"1","timestamp":"2025-01-01","properties":${properties}${end}}`;
  const many = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n])));

  it.each([
    ['a string of 9 KiB', `{"a":"${'ä'.repeat(4_700)}","b":1}`, 'quarantined'],
    ['300 names', many(300), 'quarantined'],
    ['no object', '[1,2]', 'quarantined'],
    ['a number', '7', 'quarantined'],
    ['70 KiB', JSON.stringify({ list: Array.from({ length: 9 }, () => 'x'.repeat(8_000)) }), 'quarantined'],
    ['40 levels', `{"a":${'['.repeat(40)}${']'.repeat(40)}}`, 'quarantined'],
    ['2^53 + 1', '{"n":9007199254740993,"m":1}', 'event'],
    ['30 digits', '{"n":123456789012345678901234567890}', 'event'],
    ['a number beyond a double', '{"n":1e999}', 'event'],
    ['a lone surrogate', String.raw`{"a":"x\ud800y","\udc00":1}`, 'event'],
    ['a NUL', String.raw`{"a":"x\u0000"}`, 'event'],
  ] as const)('%s: are stored as those of a Segment client are, and noted', async (_, properties, kind) => {
    const message = { type: 'track', userId: 'ann', event: 'e', properties: JSON.parse(properties) };
    const { content } = readMessage(message, undefined, { sentAt: undefined, receivedAt: NOW });
    for (const [text, fileKind] of [
      [line(properties), 'ndjson'],
      [
        `external_id,event_name,event_id,timestamp,properties\nann,e,1,2025-01-01,"${properties.replaceAll('"', '""')}"`,
        'csv',
      ],
    ] as const) {
      const [found] = await read(text, { fileKind });
      expect(found).toMatchObject({ kind: 'item', item: { [kind]: { eventId: '1', properties: content.text } } });
      if (found?.kind !== 'item') throw new Error('no item');
      expect(found.item.quarantined?.faults ?? []).toEqual(content.faults);
      expect(found.item.event === undefined).toBe(kind === 'quarantined');
      expect([found.notes?.cut.length !== 0, found.notes?.replaced.length !== 0 || kind === 'quarantined']).toEqual([
        kind === 'quarantined',
        true,
      ]);
    }
  });

  it('are cut and stored with --fit', async () => {
    const [found] = await read(line(many(300)), { fit: true });
    expect(found).toMatchObject({ kind: 'item', item: { event: { properties: many(256) } } });
    expect(found).not.toHaveProperty('item.quarantined');
  });

  it('do not matter outside of what is imported', async () => {
    const [found] = await read(line('{}', ',"elements":9007199254740993'), {});
    expect(found).not.toHaveProperty('notes');
    expect(found).toHaveProperty('item.event');
  });

  it.each(['null', '[]', '""'])('as %s are absent', async (properties) => {
    expect(items(await read(line(properties), {}))).toMatchObject([{ event: { properties: '{}' } }]);
  });

  it('of a player: the line is a fault, or they are cut', async () => {
    const player = JSON.stringify({ external_id: 'ann', attributes: { bio: 'x'.repeat(9_000) } });
    expect(await read(player, { kind: 'players' })).toMatchObject([
      { kind: 'fault', reason: '`/attributes/bio` must be a string of at most 8192 bytes. With --fit, it is cut.' },
    ]);
    const [cut] = items(await read(player, { kind: 'players', fit: true }));
    expect(cut).toMatchObject({ player: { attributes: JSON.stringify({ bio: 'x'.repeat(2_730) }) } });
  });
});

describe('JSON arrays', () => {
  const events = [
    { external_id: 'ann', event_name: 'e', timestamp: '2025-01-01', properties: { a: [1, { b: 2 }] } },
    5,
    { external_id: 'bo', event_name: 'f', timestamp: '2025-01-02' },
  ];

  it.each([0, 2])('with an indent of %i are read as their items', async (indent) => {
    const found = await read(`\uFEFF \n${JSON.stringify(events, undefined, indent)}\n`, {});
    expect(found).toMatchObject([
      { line: 1, item: { externalId: 'ann', event: { properties: '{"a":[1,{"b":2}]}' } } },
      { line: 2, reason: 'The line is not a JSON object.' },
      { line: 3, item: { externalId: 'bo' } },
    ]);
  });
});

describe('CSV', () => {
  it('has columns in any order, JSON in properties, and empty fields for absent ones', async () => {
    const text =
      '\uFEFFtimestamp,event_name,external_id,properties,session_id\r\n' +
      '2025-01-01 00:00:00.000,e,"a,""b""","{""level"":4}",\r\n';
    expect(items(await read(text, { fileKind: 'csv' }))).toMatchObject([
      { externalId: 'a,"b"', at: Date.UTC(2025, 0, 1), event: { properties: '{"level":4}', sessionId: null } },
    ]);
  });

  it.each([
    ['too few fields', 'e,ann', 'has 2 fields; the first line names 3'],
    ['a quote inside of a field', 'e"x,ann"y,2025-01-01', 'has a quote inside of field 1'],
    ['text after a quoted field', '"e"x,ann,2025-01-01', 'has text after the quoted field 1'],
  ])('with %s is a fault', async (_, line, reason) => {
    const lines = await read(`event_name,external_id,timestamp\n${line}\n`, { fileKind: 'csv' });
    expect(lines).toMatchObject([{ kind: 'fault', line: 2, reason: expect.stringContaining(reason) }]);
  });

  it.each([
    ['external_id,timestamp', 'no column event_name'],
    ['event_name,external_id,timestamp,colour', 'an unknown column colour'],
    ['event_name,external_id,timestamp,colour', 'Other values belong in `properties`'],
    ['event_name;external_id;timestamp', 'separates the names of the columns with `;` or tabs. Use commas.'],
    ['event_name,external_id,timestamp,timestamp', 'a repeated column timestamp'],
  ])('with the columns %s is refused as a whole', async (header, message) => {
    await expect(read(`${header}\n1,2,3\n`, { fileKind: 'csv' })).rejects.toThrow(CliError);
    await expect(read(`${header}\n1,2,3\n`, { fileKind: 'csv' })).rejects.toThrow(message);
  });

  it('of 150,000 columns is refused at once', async () => {
    const header = ['event', 'distinct_id', 'timestamp', ...Array.from({ length: 150_000 }, (_, n) => n.toString(36))];
    await expect(read(`${header.join()}\n`, { from: 'posthog', fileKind: 'csv' })).rejects.toThrow(
      'The first line names 150003 columns; the maximum is 10000.',
    );
  });

  it('with columns of any length and content is refused in a message for a terminal', async () => {
    const names = Array.from({ length: 300 }, (_, n) => `\u001B]0;${n}\u0007${'x'.repeat(400)}`);
    const message = await read(`event_name,external_id,timestamp,${names.join()}\n`, { fileKind: 'csv' }).then(
      () => '',
      (error: unknown) => String(error),
    );
    expect(message).toContain(String.raw`an unknown column \u001b]0;0\u0007xxx`);
    expect(message).toContain('… and 290 more.');
    expect(message).not.toContain('\u001B');
    expect(message.length).toBeLessThan(2_500);
  });

  it('with a column __proto__ has a column of that name', async () => {
    const text = 'event,distinct_id,timestamp,__proto__\ne,ann,2025-01-01,x\n';
    expect(items(await read(text, { from: 'posthog', fileKind: 'csv' }))).toMatchObject([{ externalId: 'ann' }]);
  });
});

describe('purchases and players', () => {
  it('are refunds where the amount is below 0', async () => {
    const text =
      'external_id,amount,timestamp,transaction_id,refund_id\n' +
      'ann,-2.5,2025-01-01,tx-1,r-1\nann,-2,2025-01-01,tx-1,\nann,-1,2025-01-01,,\nann,-0,2025-01-01,tx-1,\n' +
      'ann,3,2025-01-01,tx-2,r-2\n';
    const [first, second, ...faulty] = items(await read(text, { kind: 'purchases', fileKind: 'csv' }));
    expect(first).toMatchObject({
      refund: { amount: 25_000, transactionId: 'tx-1', refundId: 'r-1' },
      event: { eventName: 'purchase_refunded', properties: '{"amount":2.5,"transaction_id":"tx-1","refund_id":"r-1"}' },
    });
    expect(first).not.toHaveProperty('purchase');
    expect(second).toMatchObject({ refund: { amount: 20_000, refundId: null } });
    expect(faulty).toEqual([
      expect.stringContaining('transaction_id'),
      expect.stringContaining('other than 0'),
      expect.stringContaining('`refund_id` belongs to a refund'),
    ]);
  });

  it.each([null, '', ' ', true, [5], {}, 'soon', '0x10', -1, 86_401])(
    'have no session of %j seconds',
    async (duration_seconds) => {
      const properties = { session_id: 's-1', duration_seconds };
      const text = native({ event_name: 'session_recorded', source: 'service', properties });
      expect(items(await read(text, {}))).toEqual([expect.stringContaining('`duration_seconds` must be from 0 to')]);
    },
  );

  it('have whole seconds, as the rows of sessions do', async () => {
    const data = { category: 'session_end', user_id: 'ann', client_ts: 1735689600, session_id: 's-1', length: 89.6 };
    expect(items(await read(JSON.stringify({ data }), { from: 'gameanalytics' }))).toMatchObject([
      { session: { durationSeconds: 90 } },
    ]);
  });

  it('have a currency of three letters, also one that has ended', async () => {
    const header = 'external_id,amount,timestamp,currency\n';
    const text = `${header}a,1,2025-01-01,hrk\na,1,2025-01-01,\u001B[2\na,1,2025-01-01,€\n`;
    expect(items(await read(text, { kind: 'purchases', fileKind: 'csv' }))).toMatchObject([
      { purchase: { currency: 'HRK' }, event: { properties: '{"amount":1,"currency":"HRK"}' } },
      '`currency` must be an ISO 4217 currency code, for example USD.',
      '`currency` must be an ISO 4217 currency code, for example USD.',
    ]);
  });

  it('without an exchange rate say that they belong in a new file, because theirs is decided', async () => {
    const text = 'external_id,amount,timestamp,currency\nann,10,2025-01-01,USD\n';
    const exchangeOf = () => ({ rate: null, day: '2025-01-01' }) as const;
    expect(items(await read(text, { kind: 'purchases', fileKind: 'csv', exchangeOf }))).toEqual([
      expect.stringMatching(/no exchange rate of USD for 2025-01-01 .* Then import the line in a new file\.$/),
    ]);
  });

  it('are read with their amounts and times', async () => {
    const purchases = 'external_id,amount,timestamp,transaction_id\nann,9.99,2025-01-01,tx-1\nann,0,2025-01-01,\n';
    expect(items(await read(purchases, { kind: 'purchases', fileKind: 'csv' }))).toMatchObject([
      {
        purchase: { amount: 99_900, currency: null, productId: null, transactionId: 'tx-1' },
        event: { eventName: 'purchase', properties: '{"amount":9.99,"transaction_id":"tx-1"}' },
      },
      expect.stringContaining('`amount`'),
    ]);
    const player = {
      external_id: 'ann',
      email: 'ann@example.com',
      attributes: { level: 1 },
      first_seen_at: '2025-01-01',
    };
    expect(items(await read(JSON.stringify(player), { kind: 'players' }))).toMatchObject([
      {
        at: NEVER_SEEN,
        player: { firstSeenAt: Date.UTC(2025, 0, 1), email: 'ann@example.com', attributes: '{"level":1}' },
      },
    ]);
  });
});

describe('exports of other products', () => {
  it.each([
    '2025-03-04T05:06:07.891234+00:00',
    '2025-03-04 05:06:07.891234+00:00',
    '2025-03-04 06:06:07.891+01:00',
    '2025-03-04 05:06:07.891000',
    '2025-03-04 05:06:07.891 UTC',
    '1741064767891',
    1741064767891,
    1741064767.891,
    '1741064767891234',
  ])('have times such as %s', async (timestamp) => {
    expect(items(await read(native({ timestamp }), {}))).toMatchObject([{ at: Date.UTC(2025, 2, 4, 5, 6, 7, 891) }]);
  });

  it('PostHog: events with properties as an object or as a text', async () => {
    const event = {
      uuid: 'u-1',
      event: '$pageview',
      distinct_id: 'ann',
      timestamp: '2025-01-01',
      elements_chain: 'x'.repeat(9_000),
    };
    const properties = { $session_id: 's-1', path: '/' };
    const lines = [
      { ...event, properties },
      { ...event, properties: JSON.stringify(properties) },
    ];
    const read1 = items(await read(lines.map((line) => JSON.stringify(line)).join('\n'), { from: 'posthog' }));
    const made = { eventId: 'u-1', eventName: '$pageview', properties: JSON.stringify(properties), sessionId: 's-1' };
    expect(read1).toMatchObject([{ externalId: 'ann', event: made }, { event: made }]);
  });

  it('Amplitude: a player without a user id is known by its device', async () => {
    const event = {
      uuid: 'u-1',
      event_type: 'buy',
      event_time: '2025-01-01 00:00:00.000000',
      device_id: 'phone',
      session_id: -1,
    };
    const lines = [
      event,
      { ...event, user_id: 'ann', session_id: 1735689600000, event_properties: { a: 1 } },
      { ...event, device_id: null },
    ];
    const read1 = items(await read(lines.map((line) => JSON.stringify(line)).join('\n'), { from: 'amplitude' }));
    expect(read1).toMatchObject([
      { externalId: 'phone', at: Date.UTC(2025, 0, 1), event: { eventId: 'u-1', sessionId: null, properties: '{}' } },
      { externalId: 'ann', event: { sessionId: '1735689600000', properties: '{"a":1}' } },
      '`user_id` and `device_id` are missing.',
    ]);
  });

  it('GameAnalytics: design events by their own name, others by category, and the length of a session', async () => {
    const data = { user_id: 'ann', client_ts: 1735689600, session_id: 's-1' };
    const lines = [
      { data: { ...data, category: 'design', event_id: 'Kill:Boss', value: 3 } },
      { data: { ...data, category: 'session_end', length: 90 } },
      { data: { ...data, category: 'business', amount: 999 } },
    ];
    const read1 = items(await read(lines.map((line) => JSON.stringify(line)).join('\n'), { from: 'gameanalytics' }));
    expect(read1).toMatchObject([
      { externalId: 'ann', at: Date.UTC(2025, 0, 1), event: { eventName: 'Kill:Boss', sessionId: 's-1' } },
      { event: { eventName: 'session_end' }, session: { sessionId: 's-1', durationSeconds: 90 } },
      { event: { eventName: 'business', properties: expect.stringContaining('"amount":999') } },
    ]);
  });

  it.each([
    ['posthog', 'posthog.jsonl'],
    ['amplitude', 'amplitude.jsonl'],
    ['gameanalytics', 'gameanalytics.jsonl'],
  ] as const)('of %s in their documented shape have every line', async (from, name) => {
    const text = readFileSync(new URL(`../../../../test/fixtures/imports/${name}`, import.meta.url));
    const found = items(await read(text, { from })).map((item) => {
      if (typeof item === 'string') return item;
      const { externalId, at, event, session } = item;
      const { eventName = '', sessionId = null, properties = '' } = event ?? {};
      const id = from === 'gameanalytics' ? '' : event?.eventId;
      return [
        externalId,
        new Date(at).toISOString(),
        eventName,
        id,
        sessionId,
        session?.durationSeconds,
        properties.length > 2,
      ];
    });
    expect(found).toEqual(EXPORTED[from]);
  });
});

/** Player, time, event, id, session, its length, and whether it has properties. */
const EXPORTED = {
  posthog: [
    [
      'player-7',
      '2025-01-19T10:15:04.123Z',
      'level_completed',
      '01947f2a-6b11-7cc3-9a51-2d8f0e6b4c01',
      '01947f29-aaaa-7000-8000-000000000001',
      undefined,
      true,
    ],
    [
      'player-8',
      '2025-01-19T10:16:00.000Z',
      '$identify',
      '01947f2a-6b11-7cc3-9a51-2d8f0e6b4c02',
      null,
      undefined,
      true,
    ],
  ],
  amplitude: [
    [
      'player-7',
      '2025-02-03T09:00:00.250Z',
      'item_bought',
      '0d9a8f54-e20e-11ef-9cd2-0242ac120002',
      '1738573200250',
      undefined,
      true,
    ],
    [
      'C8A1-78',
      '2025-02-03T09:05:00.000Z',
      'session_start',
      '0d9a8f54-e20e-11ef-9cd2-0242ac120003',
      null,
      undefined,
      false,
    ],
  ],
  gameanalytics: [
    ['player-7', '2025-02-03T09:00:00.000Z', 'Level:3:Kill:Boss', '', SESSION, undefined, true],
    ['player-7', '2025-02-03T09:11:40.000Z', 'business', '', SESSION, undefined, true],
    ['player-7', '2025-02-03T09:13:20.000Z', 'session_end', '', SESSION, 800, true],
  ],
};
