import { describe, expect, it } from 'vitest';
import { TEXT_LIMITS } from '../../../core/kernel/text/limits.ts';
import type { Batch } from './segment-time.ts';
import { readMessage, type Message } from './segment-message.ts';

const RECEIVED_AT = Date.UTC(2026, 0, 15, 10, 30);
const BATCH: Batch = { sentAt: RECEIVED_AT - 40, receivedAt: RECEIVED_AT };

const read = (message: unknown, path?: Message['type'] & 'track', batch: Batch = BATCH): Message =>
  readMessage(message, path, batch);

describe('a message that cannot be read as it was meant', () => {
  const message = { type: 'identify', userId: 'u', traits: { email: 'a@example.com', level: 3 } };
  const text = JSON.stringify(message.traits);
  it.each([
    ['traits as a list', { ...message, traits: [message.traits] }],
    ['traits as text', { ...message, traits: text }],
    ['traits that are the address', { ...message, traits: 'a@example.com' }],
    ['a message as text', JSON.stringify(message)],
    ['messages in a list', [message, JSON.stringify(message)]],
    ['traits as text of an unknown type', { ...message, type: 'Identify', traits: text }],
    ['traits as text of a rounded id', { ...message, userId: 2 ** 60, traits: text }],
    ['a trait of another name', { ...message, type: 'Identify', traits: { user_email: 'a@example.com' } }],
    ['an address in a URL', { ...message, type: 'Identify', url: 'https://example.com/?u=a%40example.com' }],
  ])('keeps no e-mail address: %s', (_, sent) => {
    const { content, faults } = read(sent);
    expect(faults).not.toEqual([]);
    expect(content.text).not.toMatch(/a(@|%40)example/);
    expect(content.text).toBe(JSON.stringify(content.document));
  });
});

describe('the device of a message', () => {
  const of = (context: unknown) => read({ type: 'track', event: 'e', userId: 'u', context }).playedWith;

  it('is what its context names, the platform in lower case', () => {
    const app = { name: 'Game', version: '2.4.0', build: 240 };
    const whole = { platform: 'ios', appVersion: '2.4.0', build: '240' };
    expect(of({ app, device: { type: 'iOS', id: 'd' }, os: { name: 'iPadOS' } })).toEqual(whole);
    expect(of({ app, os: { name: 'iOS', version: '18' } })).toEqual(whole);
    expect(of({ os: { name: 'Android' } })).toEqual({ platform: 'android' });
    expect(of({ app: { build: '7' } })).toEqual({ build: '7' });
  });

  it.each([
    ['no context', undefined],
    ['a context that is none', 'ios'],
    ['fields that are no objects', { app: '2.4.0', device: ['ios'], os: null }],
    ['values that no init could have sent', { app: { version: 'v'.repeat(129), build: 1.5 }, os: { name: '' } }],
    ['fields of blanks', { app: { version: ' ', build: '\t' }, os: { name: '' }, device: { type: '  ' } }],
    ['other fields', { locale: 'de-DE', ip: '203.0.113.7', device: { model: 'iPhone16,2' } }],
  ])('is unknown with %s', (_, context) => {
    expect(of(context)).toBeUndefined();
  });
});

describe('the player of a message', () => {
  it('is the user, and without one the anonymous id', () => {
    expect(read({ type: 'page', userId: 'u1', anonymousId: 'a1' })).toMatchObject({
      externalId: 'u1',
      before: undefined,
      deviceId: 'a1',
    });
    expect(read({ type: 'identify', userId: 'u1', anonymousId: 'a1' })).toMatchObject({
      externalId: 'u1',
      before: 'anonymous:a1',
    });
    expect(read({ type: 'identify', anonymousId: 'a1' }).before).toBeUndefined();
    const both = { type: 'page', userId: 'u1', anonymousId: 'a1' };
    expect(read({ ...both, messageId: 'm' }).earlier).toBe('anonymous:a1');
    expect(read(both).earlier).toBeUndefined();
    expect(read({ type: 'page', anonymousId: 'a1' })).toMatchObject({
      externalId: 'anonymous:a1',
      before: undefined,
      deviceId: 'a1',
    });
    expect(read({ type: 'page', userId: '', anonymousId: 'a1' }).externalId).toBe('anonymous:a1');
    expect(read({ type: 'page', userId: null, anonymousId: 'a1' }).externalId).toBe('anonymous:a1');
    expect(read({ type: 'page', userId: 42 })).toMatchObject({ externalId: '42', faults: [] });
  });

  it('has a digest instead of an id that is too long, always the same', () => {
    const userId = 'u'.repeat(TEXT_LIMITS.externalIdLength + 1);
    const { externalId } = read({ type: 'page', userId });
    expect(externalId).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(read({ type: 'page', userId }).externalId).toBe(externalId);
    expect(read({ type: 'page', userId: `${userId}x` }).externalId).not.toBe(externalId);
    const anonymousId = 'a'.repeat(TEXT_LIMITS.externalIdLength - 5);
    expect(read({ type: 'page', anonymousId }).externalId).toMatch(/^anonymous:sha256:/);
    expect(read({ type: 'page', anonymousId: 'b'.repeat(TEXT_LIMITS.deviceIdLength + 1) }).deviceId).toBeUndefined();
  });

  it('is one for all messages without an id, which are faulty', () => {
    const { externalId, faults } = read({ type: 'track', event: 'e', userId: { a: 1 }, anonymousId: false });
    expect(externalId).toBe('segment:unidentified');
    expect(faults).toEqual([{ path: '/userId', message: 'is required, or `anonymousId`' }]);
  });

  it.each(['userId', 'anonymousId', 'previousId', 'groupId'])('is nobody by a %s that was rounded', (field) => {
    const type = field === 'groupId' ? 'group' : 'alias';
    const sent = `{"type":"${type}","${field}":76561198012345679,"traits":{}}`;
    const { externalId, eventName, content, faults, before, earlier } = read(JSON.parse(sent));
    expect(externalId).toBe('segment:unidentified');
    expect({ before, earlier }).toEqual({ before: undefined, earlier: undefined });
    expect(faults[0]).toEqual({ path: `/${field}`, message: 'is a number beyond 2^53; send it as a string' });
    expect(eventName).toBe('segment_message');
    expect(content.document).toHaveProperty(field);
    const exact = read({ type: 'page', userId: Number.MAX_SAFE_INTEGER });
    expect(exact).toMatchObject({ externalId: '9007199254740991', faults: [] });
    // Two messages would have the same id, and one of them would be lost.
    expect(read({ type: 'page', userId: 'u', messageId: 76_561_198_012_345_680 }).eventId).toBeUndefined();
  });

  const PLACEHOLDERS = [
    'undefined',
    'null',
    'NULL',
    'NaN',
    '[object Object]',
    '00000000-0000-0000-0000-000000000000',
    '0',
    '  ',
    'none',
    'None',
    '"undefined"',
    "'null'",
    ' Undefined ',
    'anonymous',
    'guest',
    'not_authenticated',
    'true',
  ];

  it.each(PLACEHOLDERS)('is nobody by the id %j, and tied to nobody', (id) => {
    const path = (field: string) => [expect.objectContaining({ path: `/${field}` })];
    for (const type of ['track', 'identify', 'page'] as const) {
      const sent = { type, event: 'e', messageId: 'm', traits: { a: 1 } };
      const nobody = { externalId: 'segment:unidentified', before: undefined, earlier: undefined, deviceId: undefined };
      expect(read({ ...sent, userId: id })).toMatchObject({ ...nobody, faults: path('userId') });
      expect(read({ ...sent, anonymousId: id })).toMatchObject({ ...nobody, faults: path('anonymousId') });
      const named = { externalId: 'u1', before: undefined, earlier: undefined, deviceId: undefined };
      expect(read({ ...sent, userId: 'u1', anonymousId: id })).toMatchObject({ ...named, faults: path('anonymousId') });
      const others = { externalId: 'segment:unidentified', before: undefined, earlier: undefined };
      expect(read({ ...sent, userId: id, anonymousId: 'a1' })).toMatchObject({ ...others, faults: path('userId') });
    }
    expect(read({ type: 'alias', userId: 'u1', previousId: id })).toMatchObject({
      before: undefined,
      faults: path('previousId'),
      content: { text: '{}' },
    });
  });

  it('is nobody by the number 0, and repeats are not recognised by a placeholder', () => {
    expect(read({ type: 'page', userId: 0 }).faults).toHaveLength(1);
    expect(read({ type: 'page', userId: 'u', messageId: 'undefined' }).eventId).toBeUndefined();
    expect(read({ type: 'page', userId: 'u', context: { sessionId: 'null' } }).sessionId).toBeNull();
  });

  it('of an alias is the new id, tied to the previous one', () => {
    expect(read({ type: 'alias', userId: 'u1', previousId: 'a9', anonymousId: 'a1' })).toMatchObject({
      externalId: 'u1',
      before: 'anonymous:a9',
      eventName: 'alias',
      content: { document: { previous_id: 'a9', anonymous_external_id: 'anonymous:a9' } },
    });
  });
});

describe('the event of a message', () => {
  it('has the name and properties of a track', () => {
    const message = { type: 'track', userId: 'u', event: 'level_up', messageId: 'm-1', properties: { level: 4 } };
    expect(read({ ...message, timestamp: '2026-01-15T10:29:00Z', context: { sessionId: 17 } })).toEqual({
      type: 'track',
      externalId: 'u',
      deviceId: undefined,
      before: undefined,
      earlier: undefined,
      eventId: 'm-1',
      eventName: 'level_up',
      content: { document: { level: 4 }, text: '{"level":4}', faults: [] },
      email: undefined,
      sessionId: '17',
      timestamp: RECEIVED_AT - 60_000,
      named: [],
      faults: [],
    });
  });

  it('of a page or screen has its name and category, unless the properties have them', () => {
    const page = { type: 'page', userId: 'u', name: 'Shop', category: 'store', properties: { url: '/', name: 'Mine' } };
    expect(read(page)).toMatchObject({
      eventName: 'page',
      content: { document: { url: '/', name: 'Mine', category: 'store' } },
    });
    expect(read({ type: 'screen', userId: 'u', name: null })).toMatchObject({
      eventName: 'screen',
      content: { text: '{}' },
    });
  });

  it.each([[null], [[]], [undefined]])('without properties, traits or context has %j for them', (none) => {
    const context = { traits: none, library: none };
    const track = { type: 'track', userId: 'u', event: 'e', properties: none, context: none };
    expect(read(track)).toMatchObject({ faults: [], content: { text: '{}' } });
    expect(read({ type: 'page', userId: 'u', name: 'x', properties: none })).toMatchObject({
      faults: [],
      content: { text: '{"name":"x"}' },
    });
    expect(read({ type: 'identify', userId: 'u', traits: none })).toMatchObject({
      faults: [],
      content: { text: '{}' },
    });
    expect(read({ type: 'identify', userId: 'u', traits: none, context })).toMatchObject({ faults: [] });
    expect(read({ type: 'group', userId: 'u', groupId: 'g', traits: none })).toMatchObject({
      faults: [],
      content: { text: '{"group_id":"g"}' },
    });
  });

  it('of a group has its id and traits', () => {
    expect(read({ type: 'group', userId: 'u', groupId: 'guild-1', traits: { size: 3 } })).toMatchObject({
      eventName: 'group',
      content: { text: '{"group_id":"guild-1","traits":{"size":3}}' },
    });
  });

  it('has an id of any text that fits, and a digest of longer ones', () => {
    const idOf = (messageId: unknown) => read({ type: 'page', userId: 'u', messageId }).eventId;
    expect(idOf('ajs-next-1/é')).toBe('ajs-next-1/é');
    expect(idOf('m'.repeat(128))).toBe('m'.repeat(128));
    expect(idOf('m'.repeat(129))).toMatch(/^sha256:/);
    expect(idOf(7)).toBe('7');
    for (const missing of ['', null, undefined, {}, [], true]) expect(idOf(missing)).toBeUndefined();
  });

  it.each([
    ['no name', { type: 'track', userId: 'u' }, 'track', '/event'],
    ['an empty name', { type: 'track', userId: 'u', event: '' }, 'track', '/event'],
    ['a long name', { type: 'track', userId: 'u', event: 'n'.repeat(129) }, 'n'.repeat(128), '/event'],
    ['a name that is a number', { type: 'track', userId: 'u', event: 5 }, 'track', '/event'],
    ['properties that are a list', { type: 'track', userId: 'u', event: 'e', properties: [1] }, 'e', '/properties'],
    ['an unknown type', { type: 'tracked', userId: 'u', event: 'e' }, 'segment_message', '/type'],
    ['a type that is an object', { type: {}, userId: 'u' }, 'segment_message', '/type'],
  ])('with %s is faulty and keeps what it has', (_, message, name, path) => {
    const { eventName, faults } = read(message);
    expect({ eventName, path: faults[0]?.path }).toEqual({ eventName: name, path });
  });

  it.each([[null], ['text'], [5], [[]], [true]])('that is %j is faulty', (value) => {
    const { content, faults, externalId } = read(value);
    expect(externalId).toBe('segment:unidentified');
    expect(faults[0]).toEqual({ path: '', message: 'must be an object' });
    expect(content.document).toEqual({ value });
  });

  it('is kept whole without the API key', () => {
    const message = { type: 'tracked', userId: 'u', writeKey: 'sk_live_secret', ['__proto__']: 1 };
    const { content } = read(message);
    expect(content.text).toBe('{"type":"tracked","userId":"u","__proto__":1}');
    expect(content.document).not.toHaveProperty('writeKey');
  });
});

describe('an identify', () => {
  it('has traits, and an e-mail address apart from them', () => {
    const traits = { email: 'a@example.com', level: 3, gone: null };
    expect(read({ type: 'identify', userId: 'u', traits })).toMatchObject({
      email: 'a@example.com',
      content: { document: { level: 3, gone: null }, text: '{"level":3,"gone":null}' },
      faults: [],
    });
    expect(read({ type: 'identify', userId: 'u', traits: { email: 'none' } })).toMatchObject({
      email: undefined,
      content: { text: '{}' },
      faults: [],
    });
  });

  it("has the traits of RudderStack's context", () => {
    const context = { traits: { a: 1, b: 1 } };
    expect(read({ type: 'identify', userId: 'u', traits: { b: 2 }, context }).content.document).toEqual({ a: 1, b: 2 });
    expect(read({ type: 'identify', userId: 'u', context }).content.document).toEqual({ a: 1, b: 1 });
    expect(read({ type: 'identify', userId: 'u', context, traits: 'x' }).faults[0]?.path).toBe('/traits');
  });
});

describe('the time of a message', () => {
  const timeOf = (message: Record<string, unknown>, batch: Batch = BATCH) =>
    read({ type: 'page', userId: 'u', ...message }, undefined, batch).timestamp;

  it('is the one that the sender states, then the time of receipt', () => {
    expect(timeOf({ originalTimestamp: '2026-01-01T00:00:00Z' })).toBe(Date.UTC(2026, 0, 1));
    expect(timeOf({ timestamp: '2026-01-02T00:00:00Z' })).toBe(Date.UTC(2026, 0, 2));
    expect(timeOf({ timestamp: Date.UTC(2026, 0, 2) })).toBe(Date.UTC(2026, 0, 2));
    for (const timestamp of ['never', '', null, {}, -1, 1e300, '9999-01-01T00:00:00Z']) {
      expect(timeOf({ timestamp })).toBe(RECEIVED_AT);
    }
  });

  it('is corrected if the clock of the sender is wrong by more than five minutes', () => {
    const timestamp = RECEIVED_AT - 700_000;
    const behind = (ms: number) => ({ ...BATCH, sentAt: RECEIVED_AT - ms });
    expect(timeOf({ timestamp }, behind(300_000))).toBe(timestamp);
    expect(timeOf({ timestamp }, behind(300_001))).toBe(timestamp + 300_001);
    expect(timeOf({ timestamp }, behind(-86_400_000))).toBe(timestamp - 86_400_000);
    expect(timeOf({ timestamp, sentAt: RECEIVED_AT - 600_000 })).toBe(timestamp + 600_000);
    expect(timeOf({ timestamp: 5 }, behind(-86_400_000))).toBe(RECEIVED_AT);
  });

  const AGO = 3 * 86_400_000;
  const at = (ms: number) => new Date(ms).toISOString();
  const library = (name: string) => ({ context: { library: { name, version: '1.0.0' } } });

  /** What each library sends for an event of three days ago, and the time that is stored. */
  it.each([
    ['Analytics-CSharp', { timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - AGO + 30_000) }, AGO],
    ['analytics-swift', { timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - AGO + 30_000) }, AGO],
    ['analytics-kotlin', { timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - AGO + 30_000) }, AGO],
    ['Analytics-Kotlin', { timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - AGO + 30_000) }, AGO],
    ['analytics-ios', { timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - 20) }, AGO],
    ['@segment/analytics-react-native', { timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - 20) }, AGO],
    // A phone whose clock is three days behind sends at once.
    ['analytics-ios', { timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - AGO) }, 0],
    ['@segment/analytics-node', { timestamp: at(RECEIVED_AT - AGO), writeKey: 'k' }, AGO],
    // Python and Ruby write offsets and microseconds, PHP writes Unix seconds, older clients text without a zone.
    ['analytics-python', { timestamp: '2026-01-12T10:30:00.000123+00:00', sentAt: at(RECEIVED_AT) }, AGO],
    ['analytics-ruby', { timestamp: '2026-01-12T11:30:00.000+01:00', sentAt: at(RECEIVED_AT) }, AGO],
    ['analytics-php', { timestamp: (RECEIVED_AT - AGO) / 1_000, sentAt: at(RECEIVED_AT) }, AGO],
    ['analytics-php', { timestamp: String((RECEIVED_AT - AGO) / 1_000), sentAt: at(RECEIVED_AT) }, AGO],
    ['mine', { timestamp: RECEIVED_AT - AGO }, AGO],
    ['mine', { timestamp: String(RECEIVED_AT - AGO) }, AGO],
    ['mine', { timestamp: '2026-01-12 10:30:00' }, AGO],
    ['mine', { timestamp: '20260112T103000Z' }, AGO],
    // RudderStack: `originalTimestamp` is the client's clock, `timestamp` a time that the caller chose.
    ['RudderLabs JavaScript SDK', { originalTimestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - 20) }, AGO],
    [
      'RudderStack Node.js SDK',
      { originalTimestamp: at(RECEIVED_AT), timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT) },
      AGO,
    ],
    // Segment's own exports: `timestamp` is corrected already, and `sentAt` is as old as it.
    [
      'analytics.js',
      { originalTimestamp: at(0), timestamp: at(RECEIVED_AT - AGO), sentAt: at(RECEIVED_AT - AGO) },
      AGO,
    ],
  ])('of %s is as it was: %j', (name, times, ago) => {
    expect(RECEIVED_AT - timeOf({ ...library(name), ...times }, { sentAt: undefined, receivedAt: RECEIVED_AT })).toBe(
      ago,
    );
  });

  it('is never later than its receipt', () => {
    const DAY = 86_400_000;
    for (const name of ['analytics-ios', 'analytics-swift', 'RudderLabs JavaScript SDK']) {
      const late = { ...library(name), timestamp: at(RECEIVED_AT + 14 * DAY) };
      expect(timeOf({ ...late, sentAt: at(RECEIVED_AT) })).toBe(RECEIVED_AT);
      expect(timeOf(late, { ...BATCH, sentAt: RECEIVED_AT - 10 * DAY })).toBe(RECEIVED_AT);
      expect(timeOf({ ...late, originalTimestamp: at(RECEIVED_AT) })).toBe(RECEIVED_AT);
    }
    // A clock two minutes ahead keeps the order of its events.
    const ahead = { ...BATCH, sentAt: RECEIVED_AT + 120_000 };
    expect(timeOf({ timestamp: RECEIVED_AT + 119_000 }, ahead)).toBe(RECEIVED_AT - 1_000);
  });
});
