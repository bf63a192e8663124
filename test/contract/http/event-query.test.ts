import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import { createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { QUERY_LIMITS } from '../../../clickhouse-schema/queries/limits.ts';
import { aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { type ClickhouseGateway, startClickhouseGateway } from '../../support/wire/clickhouse-gateway.ts';
import { rowsOf, execSql } from '../../support/servers/clickhouse.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import type { EventTracked } from '../../../core/vocabulary/facts/event-tracked.ts';

let world: ClickhouseGateway;
let gateway: Gateway;
let key: string;

beforeAll(async () => {
  world = await startClickhouseGateway();
  ({ gateway } = world);
  key = await gateway.key();
});
afterAll(() => world.close());
const PATH = '/v1/events/events';
const DAY_MS = 86_400_000;
const now = systemClock.wallMs();
const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const iso = (ms: number): string => new Date(ms).toISOString();

let eventNumber = 0;

const write = (facts: readonly Fact[], at?: number) => world.write(facts, at);

/** An event of a player with a unique id, received `agoMs` ago. */
function event(player: number, agoMs: number, some: Partial<EventTracked> = {}): EventTracked {
  eventNumber += 1;
  const at = now - agoMs;
  return aTrackedEvent({ entityId: playerId(player), eventId: `event-${eventNumber}`, at, timestamp: at, ...some });
}

interface Found {
  event_id: string;
  player_id: string;
  event_name: string;
  properties: unknown;
}

interface Page {
  events: Found[];
  next_cursor: string | null;
}

async function page(query: string, asKey = key): Promise<Page> {
  const response = await gateway.call(asKey, 'GET', `${PATH}?${query}`);
  const { data, error }: { data: Page; error: unknown } = JSON.parse(await response.text());
  expect(error).toBeUndefined();
  return data;
}

const idsOf = ({ events }: Page): string[] => events.map((found) => found.event_id);
const newestFirst = (events: readonly EventTracked[]): string[] => events.map(({ eventId }) => eventId).toReversed();

/** The ids of all pages. @param onPage called after each page */
async function walk(query: string, onPage: (page: Page) => Promise<void> = async () => {}): Promise<string[]> {
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const found: Page = await page(cursor === '' ? query : `${query}&cursor=${cursor}`);
    seen.push(...idsOf(found));
    await onPage(found);
    cursor = found.next_cursor;
  }
  return seen;
}

describe('GET /v1/events/events', () => {
  beforeEach(async () => {
    for (const table of ['events', 'erasures']) await execSql(world.clickhouse, `TRUNCATE TABLE ${table}`);
  });

  it('returns events as the stream does, with their properties byte for byte', async () => {
    const properties = '{"b":1.0,"a":1e2,"big":12345678901234567890,"__proto__":{"x":"\\u00e9/\\n"},"2":[],"1":null}';
    await write([
      event(1, 5_000, { sessionId: 'ses_1', timestamp: Date.UTC(2020, 1, 29, 1, 2, 3, 4), properties }),
      event(2, 2_000, { eventName: '"name"', properties: '{}' }),
    ]);
    const response = await gateway.call(key, 'GET', PATH);
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toContain(`"properties":${properties},`);
    const [second, first] = [eventNumber, eventNumber - 1];
    expect(JSON.parse(text).data).toEqual({
      events: [
        {
          event_id: `event-${second}`,
          event_name: '"name"',
          player_id: playerId(2),
          session_id: null,
          properties: {},
          timestamp: iso(now - 2_000),
          received_at: iso(now - 2_000),
        },
        {
          event_id: `event-${first}`,
          event_name: 'level_up',
          player_id: playerId(1),
          session_id: 'ses_1',
          properties: JSON.parse(properties),
          timestamp: '2020-02-29T01:02:03.004Z',
          received_at: iso(now - 5_000),
        },
      ],
      next_cursor: null,
    });
  });

  it('combines the filters player, name, session and times; `from` is inclusive and `to` exclusive', async () => {
    const events = [
      event(1, 9_000, { eventName: 'a' }),
      event(2, 8_000, { eventName: 'a', sessionId: 's' }),
      event(1, 7_000, { eventName: 'b', sessionId: 's' }),
      event(1, 6_000, { eventName: 'a', sessionId: 's' }),
    ];
    await write(events);
    const ids = async (query: string) =>
      idsOf(await page(query)).map((id) => events.findIndex(({ eventId }) => eventId === id));
    expect(await ids('')).toEqual([3, 2, 1, 0]);
    expect(await ids(`player_id=${playerId(1).toUpperCase()}`)).toEqual([3, 2, 0]);
    expect(await ids('event_name=a')).toEqual([3, 1, 0]);
    expect(await ids('session_id=s')).toEqual([3, 2, 1]);
    expect(await ids(`player_id=${playerId(1)}&event_name=a&session_id=s`)).toEqual([3]);
    expect(await ids(`from=${iso(now - 8_000)}&to=${iso(now - 6_000)}`)).toEqual([2, 1]);
    expect(await ids(`event_name=a&to=${iso(now - 8_000)}`)).toEqual([0]);
    expect(await ids(`session_id=s&from=${iso(now - 7_000)}`)).toEqual([3, 2]);
    expect(await ids('session_id=none')).toEqual([]);
    expect(await ids(`player_id=${playerId(9)}`)).toEqual([]);
  });

  it('treats every filter as a plain value, whatever it contains', async () => {
    const odd = `'; DROP TABLE events; -- {game:String} \\ " \u{1f600}`;
    await write([event(1, 1_000, { eventName: odd, sessionId: odd }), event(1, 500)]);
    const query = `event_name=${encodeURIComponent(odd)}&session_id=${encodeURIComponent(odd)}`;
    expect((await page(query)).events.map((found) => found.event_name)).toEqual([odd]);
  });

  it("returns only events of the key's game and environment", async () => {
    await write([
      event(1, 3_000),
      event(1, 2_000, { environment: 'test', eventId: 'of test' }),
      event(1, 1_000, { game: 'other', eventId: 'of other' }),
    ]);
    for (const query of ['', 'limit=1', `player_id=${playerId(1)}`, 'event_name=level_up']) {
      expect(idsOf(await page(query))).toEqual([`event-${eventNumber - 2}`]);
      expect(idsOf(await page(query, await gateway.key({ environment: 'test' })))).toEqual(['of test']);
      expect(idsOf(await page(query, await gateway.key({ game: 'other' })))).toEqual(['of other']);
    }
  });

  it('finds events of any age without a filter, in order', async () => {
    const ages = [3_000 * DAY_MS, 400 * DAY_MS, 100 * DAY_MS, 12 * DAY_MS, DAY_MS, 3_600_000, 60_000, 5_000, -5_000];
    const events = ages.map((agoMs) => event(1, agoMs));
    await write(events);
    expect(idsOf(await page(''))).toEqual(newestFirst(events));
    expect(await walk('limit=1')).toEqual(newestFirst(events));
    expect(idsOf(await page('limit=4'))).toEqual(newestFirst(events).slice(0, 4));
  });

  it.each(['', `&player_id=${playerId(1)}`, '&event_name=level_up', '&session_id=s'])(
    'pages show every event once, in order, while others come in: "%s"',
    async (filter) => {
      // Events of the same millisecond are ordered by their positions in the log, across records.
      const older = Array.from({ length: 9 }, (_, n) => event(1, 60_000 - Math.floor(n / 5), { sessionId: 's' }));
      const newer = Array.from({ length: 8 }, (_, n) => event(1, 30_000 - Math.floor(n / 7), { sessionId: 's' }));
      await write(older);
      await write(newer);
      const seen = await walk(`limit=3${filter}`, async ({ events }) => {
        expect(events.length).toBeGreaterThan(0);
        await write([event(1, 0, { sessionId: 's' }), event(1, 30_000, { sessionId: 's' })]);
      });
      // A late event of a millisecond that was already read is before the cursor and changes nothing.
      expect(seen).toEqual(newestFirst([...older, ...newer]));
    },
  );

  it('ends a page with the event that exceeds its maximum size, and the next page continues', async () => {
    const properties = JSON.stringify({ text: 'x'.repeat(60_000) });
    const events = Array.from({ length: 40 }, (_, n) => event(1, 5_000_000 - n * 100_000, { properties }));
    await write(events);
    const perPage = Math.ceil(QUERY_LIMITS.eventPageBytes / properties.length);
    const sizes: number[] = [];
    const seen = await walk('limit=500', async (found) => void sizes.push(found.events.length));
    expect(seen).toEqual(newestFirst(events));
    expect(sizes).toEqual([perPage, perPage, events.length - 2 * perPage]);
  });

  it('hides events of an erased player before its rows are deleted, and shows those of the player registered again', async () => {
    const other = event(2, 7_000);
    await write([event(1, 9_000), event(1, 8_000), other, event(1, 6_000)]);
    const { game, environment, externalId } = other;
    const erased = { game, environment, entityId: playerId(1), externalId, at: now - 6_000 };
    await write([event(1, 6_000), { kind: 'PlayerErased', ...erased }, event(1, 6_000, { eventId: 'next life' })]);
    expect(await rowsOf(world.clickhouse, 'SELECT 1 FROM events')).toHaveLength(6);
    for (const query of ['limit=1', 'limit=2', 'limit=9']) {
      expect(await walk(query)).toEqual(['next life', other.eventId]);
      expect(await walk(`${query}&player_id=${playerId(1)}`)).toEqual(['next life']);
    }
    // Sequences of a recreated FACTS start again; much later events are still after the earlier ones.
    const later = event(1, -2 * 3_600_000, { eventId: 'of a new log' });
    await write([later], 1);
    expect(await walk(`player_id=${playerId(1)}`)).toEqual(['of a new log', 'next life']);
    // The erasure is done, so rows that are left belong to nobody.
    await execSql(world.clickhouse, 'INSERT INTO erasures SELECT * REPLACE (2 AS step) FROM erasures');
    await execSql(world.clickhouse, 'OPTIMIZE TABLE erasures FINAL');
    expect(await walk(`player_id=${playerId(1)}`)).toHaveLength(6);
  });

  it('refuses a cursor of other filters, of another environment, and a modified one', async () => {
    await write([event(1, 3_000), event(1, 2_000), event(1, 1_000)]);
    const { next_cursor: cursor } = await page('limit=1&event_name=level_up');
    if (cursor === null) throw new Error('there is another page');
    const status = async (query: string, asKey = key) => (await gateway.call(asKey, 'GET', `${PATH}?${query}`)).status;
    expect(await status(`limit=2&event_name=level_up&cursor=${cursor}`)).toBe(200);
    expect(await status(`cursor=${cursor}`)).toBe(400);
    expect(await status(`event_name=other&cursor=${cursor}`)).toBe(400);
    expect(await status(`event_name=level_up&to=${iso(now)}&cursor=${cursor}`)).toBe(400);
    expect(await status(`event_name=level_up&cursor=${cursor}`, await gateway.key({ environment: 'test' }))).toBe(400);
    const changed = Buffer.from(Buffer.from(cursor, 'base64url').toString().replace(/^1/, '2')).toString('base64url');
    expect(await status(`event_name=level_up&cursor=${changed}`)).toBe(200);
    expect(await status(`event_name=level_up&cursor=${cursor}A`)).toBe(400);
  });

  it('is for server keys only, and 503 while ClickHouse is unavailable', async () => {
    const clientKey = await gateway.key({ kind: 'client' });
    expect((await gateway.call(clientKey, 'GET', PATH)).status).toBe(403);
    expect((await gateway.call(undefined, 'GET', PATH)).status).toBe(401);
    const address = { ...world.clickhouse.address, url: 'http://127.0.0.1:1' };
    const away = createAnalytics({ address, clock: systemClock, logger: silentLogger });
    const lonely = await startGateway({ analytics: away });
    const response = await lonely.call(await lonely.key(), 'GET', PATH);
    expect([response.status, (await bodyOf(response)).error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    expect(Number(response.headers.get('Retry-After'))).toBeGreaterThan(0);
    await lonely.close();
    await away.close();
  });
});

describe('an invalid event query', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=ten', 'limit'],
    ['player_id=me', 'player_id'],
    ['event_name=', 'event_name'],
    [`event_name=${'x'.repeat(129)}`, 'event_name'],
    ['event_name=a&event_name=b', 'event_name'],
    ['session_id=', 'session_id'],
    ['from=yesterday', 'from'],
    ['to=2026-02-30', 'to'],
    ['from=2026-01-02&to=2026-01-02', 'to'],
    ['cursor=', 'cursor'],
    ['cursor=nonsense', 'cursor'],
  ])('"%s" is refused, and the error names %s', async (query, path) => {
    const response = await gateway.call(key, 'GET', `${PATH}?${query}`);
    const body = await bodyOf(response);
    expect([response.status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(body.error.details.fields.map((fault) => fault.path)).toEqual([path]);
  });
});
