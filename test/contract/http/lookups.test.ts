import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import { aPlayer } from '../../../actors/testing-players.ts';
import { aFlagDocument } from '../../../actors/flags/testing-served-flags.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { TABLE_NAMES } from '../../../clickhouse-schema/rows/tables/tables.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { failure } from '../../../core/kernel/errors.ts';
import { createEventTracer, type EventTracer } from '../../../src/trace/trace-port.ts';
import { createMemoryBroker } from '../../../streams/log/memory/log-memory.ts';
import { type BlockTarget, createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit, aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { publishedShapes, type PublishedShapes } from '../../support/wire/published-shapes.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';

/* What people ask about one player and about schemas, over the real ClickHouse engine. */

let clickhouse: TestClickhouse;
let analytics: Analytics;
let target: BlockTarget;
let tracer: EventTracer;
let gateway: Gateway;
let shapes: PublishedShapes;
let key: string;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  target = createClickhouseTarget(clickhouse.address);
  const log = createMemoryBroker({ clock: systemClock }).connect('test');
  tracer = createEventTracer({ log, clock: systemClock, address: clickhouse.address, logger: silentLogger });
  gateway = await startGateway({ analytics, eventTracer: tracer });
  key = await gateway.key();
  shapes = publishedShapes(JSON.parse(await (await fetch(`${gateway.url}/openapi.json`)).text()));
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await tracer.close();
  await target.close();
  await clickhouse.close();
});
/** The states that the owners hold. */
const held = new Map<string, PlayerState>();
beforeEach(async () => {
  held.clear();
  for (const table of TABLE_NAMES) await runSql(clickhouse, `TRUNCATE TABLE ${table}`);
  gateway.backend.reply = ({ body }) => {
    const player = 'playerId' in body ? held.get(body.playerId) : undefined;
    if (player === undefined) return failure('PLAYER_NOT_FOUND');
    return body.kind === 'ExportPlayer'
      ? { kind: 'exported', player: { ...player, keys: [] } }
      : { kind: 'player', created: false, player };
  };
});

let sequence = 0;
async function write(facts: Fact[]): Promise<void> {
  sequence += 1;
  const batch = createRowBatch();
  batch.add(aCommit(facts), { stream: '2026-01-01T00:00:00Z', sequence });
  for (const { table, bytes } of batch.blocks()) {
    expect(await target.insert(table, bytes, `${table}/${sequence}/${bytes.length}`)).toEqual({ kind: 'inserted' });
  }
}

const now = systemClock.wallMs();
const MINUTE_MS = 60_000;
const playerId = (n: number): string => `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
const who = (n: number) =>
  ({ game: 'demo', environment: 'live', entityId: playerId(n), externalId: `ext-${n}` }) as const;
const HOSTILE = `"><img src=x onerror=alert(1)>'; DROP TABLE events; -- {x:String}`;

/** The `data` of an answer that has the published shape. */
async function ask<T>(path: string, documented: string, asKey = key): Promise<T> {
  const response = await gateway.call(asKey, 'GET', path);
  const body: { data: T } = JSON.parse(await response.text());
  expect(shapes.faultsOf('GET', documented, response.status, body)).toEqual([]);
  expect(response.status).toBe(200);
  return body.data;
}

/** A player as ClickHouse knows it. */
async function stored(n: number, some: Partial<PlayerState> = {}): Promise<PlayerState> {
  const player = aPlayer({ id: playerId(n), externalId: `ext-${n}`, lastSeenAt: now - n * MINUTE_MS, ...some });
  await write([{ kind: 'EntitySnapshot', ...who(n), at: now, state: player }]);
  return player;
}

describe('GET /v1/players/players', () => {
  const find = async (search?: string, asKey = key) => {
    const query = search === undefined ? '' : `?search=${encodeURIComponent(search)}`;
    const found = await ask<{ players: { external_id: string; matched: string | null }[] }>(
      `/v1/players/players${query}`,
      '/v1/players/players',
      asKey,
    );
    return found.players.map(({ external_id: id, matched }) => [id, matched]);
  };

  it('lists the players who were active last', async () => {
    await stored(2);
    await stored(1);
    await stored(3);
    expect(await find()).toEqual([
      ['ext-1', null],
      ['ext-2', null],
      ['ext-3', null],
    ]);
  });

  it('orders all players by revenue and by sessions as they are now', async () => {
    await stored(1, { totalRevenue: 50_000, sessionCount: 1 });
    await stored(2, { totalRevenue: 990_000, sessionCount: 2 });
    // A refund.
    await stored(2, { totalRevenue: 10_000, sessionCount: 2 });
    await stored(3, { totalRevenue: 60_000, sessionCount: 9 });
    const path = '/v1/players/players';
    const ordered = async (query: string) => {
      const found = await ask<{ players: { external_id: string }[] }>(`${path}?${query}`, path);
      return found.players.map(({ external_id: id }) => id);
    };
    expect(await ordered('order=total_revenue')).toEqual(['ext-3', 'ext-1', 'ext-2']);
    expect(await ordered('order=total_revenue&limit=1')).toEqual(['ext-3']);
    expect(await ordered('order=session_count')).toEqual(['ext-3', 'ext-2', 'ext-1']);
    for (const query of ['order=email', 'order=', 'order=total_revenue&search=ext']) {
      expect((await gateway.call(key, 'GET', `${path}?${query}`)).status, query).toBe(400);
    }
  });

  it('finds by device, by e-mail address in any case, and by the beginning of an external id', async () => {
    await stored(1, { deviceId: 'phone-1', email: 'Ann@Example.com' });
    await stored(2, { externalId: 'phone-1-tester' });
    expect(await find('phone-1')).toEqual([
      ['ext-1', 'device_id'],
      ['phone-1-tester', 'external_id_start'],
    ]);
    expect(await find('ann@example.COM')).toEqual([['ext-1', 'email']]);
    expect(await find('ext')).toEqual([['ext-1', 'external_id_start']]);
    expect(await find('xt-1')).toEqual([]);
  });

  it('finds by the current device only', async () => {
    await stored(1, { deviceId: 'old' });
    await stored(1, { deviceId: 'new' });
    expect(await find('old')).toEqual([]);
    expect(await find('new')).toEqual([['ext-1', 'device_id']]);
  });

  it('finds a player by id and external id before ClickHouse holds it', async () => {
    const player = aPlayer({ id: playerId(5), externalId: 'fresh' });
    held.set(player.id, player);
    expect(await find(player.id.toUpperCase())).toEqual([['fresh', 'id']]);
  });

  it('takes hostile texts as texts, and shows no player of another game', async () => {
    await stored(1, { externalId: HOSTILE });
    expect(await find(HOSTILE)).toEqual([[HOSTILE, 'external_id']]);
    expect(await find('%')).toEqual([]);
    expect(await find(undefined, await gateway.key({ game: 'other' }))).toEqual([]);
    expect(await find(undefined, await gateway.key({ environment: 'test' }))).toEqual([]);
  });
});

describe('GET /v1/players/players/{id}/flags', () => {
  const flagsOf = async (n: number) => {
    const path = '/v1/players/players/{id}/flags';
    return ask<{ flags: unknown[] }>(path.replace('{id}', playerId(n)), path);
  };

  it('keeps apart what the flag would serve now, what it served, and what the player saw', async () => {
    const variants = ['a', 'b'].map((name) => ({ key: name, value: `layout_${name}`, weight: name === 'a' ? 1 : 0 }));
    const rule = { name: '', segmentId: null, value: true, percentage: 100, priority: 1, startAt: null, endAt: null };
    const document = aFlagDocument({
      key: 'shop',
      flagType: 'multivariate',
      defaultValue: null,
      variants,
      rules: [rule],
      version: 7,
      periods: [{ period: 2, version: 6, since: 0 }],
    });
    await gateway.config.put({ kind: 'flag', game: 'demo', environment: 'live', key: 'shop' }, document);
    const saw = { flagKey: 'shop', flagVersion: 3, period: 1, variantKey: 'b', drawn: true };
    const result = { ...saw, value: '"layout_b"', reason: 'segment_match' } as const;
    held.set(
      playerId(1),
      aPlayer({
        id: playerId(1),
        exposures: [saw],
        servedFlags: [{ ...result, segmentId: 'seg_gone', changes: 0, mixed: true, earlier: [] }],
      }),
    );
    const at = now - MINUTE_MS;
    await write([{ kind: 'FlagExposed', ...who(1), at, ...result, attribution: 'served' }]);
    const sent = gateway.backend.calls.length;
    expect(await flagsOf(1)).toMatchObject({
      exposures_complete: true,
      flags: [
        {
          flag_key: 'shop',
          version: 7,
          now: { value: 'layout_a', variant_key: 'a', reason: 'percentage_rollout' },
          override: null,
          served: { value: 'layout_b', variant_key: 'b', segment_key: null, current_period: false, mixed: true },
          exposures: [{ variant_key: 'b', flag_version: 3, first_seen_at: new Date(at).toISOString() }],
        },
      ],
    });
    // Nothing but the state was read, so nothing was recorded.
    expect(gateway.backend.calls.slice(sent).map(({ body }) => body.kind)).toEqual(['ExportPlayer']);
  });

  it('shows an override, and flags that are deleted', async () => {
    const exposures = [{ flagKey: 'gone', flagVersion: 1, period: 1, variantKey: 'true', drawn: true }];
    const player = aPlayer({ id: playerId(1), overrides: [{ flagKey: 'shop', value: '"own"' }], exposures });
    held.set(playerId(1), player);
    const [gone, shop] = (await flagsOf(1)).flags;
    expect(gone).toMatchObject({ flag_key: 'gone', name: null, now: null, served: null });
    expect(shop).toMatchObject({ now: { value: 'own', reason: 'player_override' }, override: { value: 'own' } });
  });
});

describe('segments and campaigns of a player', () => {
  it('come from live state, with why a campaign was suppressed', async () => {
    const tally = { campaignId: 'cmp_1', total: 2, shown: 1, day: 0, today: 0, lastAt: now - 5_000 };
    // Bits of `cooldown` and `holdout`, in the order of the reasons.
    const suppressed = { suppressedAt: now - 1_000, suppressed: 0b100100 };
    const player = aPlayer({
      id: playerId(1),
      segments: [{ segmentId: 'seg_1', segmentKey: HOSTILE, since: now - 9_000 }],
      campaignTallies: [{ ...tally, ...suppressed }],
    });
    held.set(player.id, player);
    const of = (what: string) => {
      const path = `/v1/players/players/{id}/${what}`;
      return ask<Record<string, unknown>>(path.replace('{id}', player.id), path);
    };
    expect(await of('segments')).toMatchObject({
      segments: [{ segment_id: 'seg_1', segment_key: HOSTILE, name: null, since: new Date(now - 9_000).toISOString() }],
    });
    expect(await of('campaigns')).toMatchObject({
      campaigns: [{ campaign_key: null, interventions: 2, suppressed: { reasons: ['cooldown', 'holdout'] } }],
      waiting: [],
    });
  });
});

describe('GET /v1/players/players/{id}/timeline', () => {
  const PATH = '/v1/players/players/{id}/timeline';
  const timeline = (query: string) =>
    ask<{ entries: unknown[]; next_cursor: string | null }>(PATH.replace('{id}', playerId(1)) + query, PATH);
  const event = (agoMs: number, some: Partial<ReturnType<typeof aTrackedEvent>> = {}) =>
    aTrackedEvent({ ...who(1), at: now - agoMs, eventId: `event-${agoMs}`, ...some });

  it('joins all kinds in one order, page by page, without repeats', async () => {
    const facts: Fact[] = [];
    for (let minute = 1; minute <= 12; minute += 1) facts.push(event(minute * MINUTE_MS));
    const at = now - 90_000;
    facts.push(
      { kind: 'SegmentEntered', ...who(1), at, segmentId: 'seg_1', segmentKey: HOSTILE },
      { kind: 'LifecycleChanged', ...who(1), at, from: 'new', to: 'active', changedAt: at },
      event(30_000, { schemaFault: '/level must be integer', properties: `{"name":${JSON.stringify(HOSTILE)}}` }),
      { ...event(20_000), entityId: playerId(2) },
    );
    await write(facts);
    const whole = await timeline('?limit=200');
    expect(whole.entries.slice(0, 4)).toMatchObject([
      { kind: 'event', why: '/level must be integer', value: { name: HOSTILE }, what: 'caller' },
      { kind: 'event', id: 'event-60000' },
      { kind: 'stage', name: 'active', why: 'new' },
      { kind: 'segment', name: HOSTILE, what: 'entered' },
    ]);
    expect(whole.entries).toHaveLength(15);
    const pages: unknown[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Awaited<ReturnType<typeof timeline>> = await timeline(
        cursor === '' ? '?limit=10' : `?limit=10&cursor=${cursor}`,
      );
      pages.push(...page.entries);
      cursor = page.next_cursor;
    }
    expect(pages).toEqual(whole.entries);
    const some = await timeline('?kind=segment&kind=stage');
    expect(some.entries).toHaveLength(2);
  });

  it('says whether a purchase was recorded, reversed or refunded', async () => {
    const row = (kind: string, amount: number, index: number) => ({
      game_id: 'demo',
      environment: 'live',
      player_id: playerId(1),
      amount,
      transaction_id: 'tx-1',
      received_at: now - 1_000 + index,
      recorded_by: 'server',
      kind,
      facts_index: index,
    });
    const rows = [row('purchase', 9, 0), row('replaced', -9, 1), row('purchase', 5, 2), row('refund', -2, 3)];
    const body = rows.map((each) => JSON.stringify(each)).join('\n');
    expect((await runSql(clickhouse, 'INSERT INTO purchases FORMAT JSONEachRow', { body })).status).toBe(200);
    const { entries } = await timeline('?kind=purchase');
    const told = ['refunded', 'recorded', 'reversed', 'recorded'].map((what) => ({
      kind: 'purchase',
      what,
      id: 'tx-1',
    }));
    expect(entries).toMatchObject(told);
  });

  it('shows nothing of a player whose erasure is not complete', async () => {
    await write([event(MINUTE_MS), { kind: 'PlayerErased', ...who(1), at: now, quarantined: 0 }]);
    expect(await timeline('')).toEqual({ entries: [], next_cursor: null });
  });
});

describe('GET /v1/events/events/{event_id}/trace', () => {
  it('finds an event with and without its player, and no event of another one', async () => {
    await write([aTrackedEvent({ ...who(1), at: now, eventId: HOSTILE })]);
    const path = `/v1/events/events/${encodeURIComponent(HOSTILE)}/trace`;
    const traced = async (query: string) =>
      (await ask<{ traces: unknown[] }>(path + query, '/v1/events/events/{event_id}/trace')).traces;
    const found = [{ event_id: HOSTILE, state: 'accepted', row: { table: 'events' }, attempts: [] }];
    expect(await traced('')).toMatchObject(found);
    expect(await traced(`?player_id=${playerId(1)}`)).toMatchObject(found);
    expect(await traced(`?player_id=${playerId(2)}`)).toEqual([]);
  });

  it('leaves places to other games and people while one has its share', async () => {
    const scope = { game: 'demo', environment: 'live', playerId: playerId(1) } as const;
    const running = tracer.trace('slow', scope, 'ann');
    expect(await tracer.trace('next', { ...scope, environment: 'test' }, undefined)).toEqual({ kind: 'share' });
    expect(await tracer.trace('next', { ...scope, game: 'other' }, 'ann')).toEqual({ kind: 'share' });
    const other = tracer.trace('next', { ...scope, game: 'other' }, 'bob');
    expect(await tracer.trace('next', { ...scope, game: 'third' }, undefined)).toEqual({ kind: 'busy' });
    expect([(await running).kind, (await other).kind]).toEqual(['traced', 'traced']);
    const busy = await startGateway({ eventTracer: { trace: async () => ({ kind: 'share' }) } });
    const refused = await busy.call(await busy.key(), 'GET', '/v1/events/events/next/trace');
    expect([refused.status, await refused.text()]).toEqual([429, expect.stringContaining('its share')]);
    await busy.close();
  });
});

describe('schemas', () => {
  const quarantined = (n: number, faults: { path: string; message: string }[], agoMs = 1_000) => {
    const { remember, eventName, sessionId, timestamp } = aTrackedEvent();
    const event = { ...who(n), at: now - agoMs, remember, eventName, sessionId, timestamp };
    const reason = { schemaVersion: 2, faults };
    const properties = `{"level":${JSON.stringify(HOSTILE)}}`;
    return { kind: 'EventQuarantined' as const, ...event, eventId: `q-${n}`, properties, number: n, reason };
  };

  it('are tried on recent events, quarantined ones included', async () => {
    await write([
      aTrackedEvent({ ...who(1), at: now - 2_000, eventId: 'good' }),
      quarantined(1, [{ path: '/level', message: 'must be integer' }]),
    ]);
    const tried = async (schema: object) => {
      const body = { event_name: 'level_up', schema };
      const response = await gateway.call(key, 'POST', '/v1/events/schemas/dry-run', body);
      const answered = await bodyOf(response);
      expect(shapes.faultsOf('POST', '/v1/events/schemas/dry-run', response.status, answered)).toEqual([]);
      return answered;
    };
    const strict = await tried({ properties: { level: { type: 'integer' } } });
    expect(strict.data).toMatchObject({
      events_checked: 2,
      events_valid: 1,
      events_invalid: 1,
      faults: [{ path: '/level', message: 'must be integer', events: 1 }],
      examples: [{ event_id: 'q-1', quarantined: true, properties: { level: HOSTILE } }],
    });
    expect((await tried({})).data).toMatchObject({ events_valid: 2, quarantined_valid: 1, faults: [], examples: [] });
    expect((await tried({ type: 'nonsense' })).error).toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('are listed with their most frequent faults, without replayed events', async () => {
    const at = now - 500;
    await write([
      aTrackedEvent({ ...who(1), at, eventId: 'e1', schemaFault: '/score must be number' }),
      quarantined(1, [{ path: '/level', message: 'must be integer' }]),
      quarantined(2, [{ path: '', message: 'must have level' }]),
      quarantined(3, [{ path: '/level', message: 'must be integer' }]),
      aTrackedEvent({ ...who(2), at, eventId: 'q-2', release: { number: 2, quarantinedAt: now - 1_000 } }),
    ]);
    const { faults } = await ask<{ faults: unknown[] }>('/v1/events/schema-faults', '/v1/events/schema-faults');
    expect(faults).toMatchObject([
      { event_name: 'level_up', fault: '/level must be integer', quarantined: true, events: 2, players: 2 },
      { fault: '/score must be number', quarantined: false, events: 1, example_event_id: 'e1' },
    ]);
  });
});
