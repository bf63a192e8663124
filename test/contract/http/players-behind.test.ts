import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLiveDefinitions } from '../../../actors/runtime/definitions/live-definitions.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { LIFECYCLE_STATE_NAMES } from '../../../core/vocabulary/metrics/lifecycle.ts';
import type { MeasureName } from '../../../core/vocabulary/metrics/measures.ts';
import { isRatio, MEASURE_NAMES, measureOf, METRIC_NAMES, RATIOS } from '../../../core/vocabulary/metrics/metrics.ts';
import { playerIdOf } from '../../../src/api/players/player-id.ts';
import { createDecidingBackend, type DecidingBackend } from '../../support/in-memory/deciding-backend.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import type { TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startOfToday } from '../../support/whole-day.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { insertWorld } from './inserted-world.ts';
import { type Asked, madeWorld, measure, type Row, type World } from './metric-world.ts';

/* The players behind every figure, over HTTP on the real engine, beside brute force over the same rows. */

const DAY_MS = 86_400_000;
const TODAY = (await startOfToday(240_000)) / DAY_MS;
/** Whole weeks, which begin on Monday. */
const FROM = TODAY - 7 - ((TODAY - 4) % 7) - 42;
const TO = FROM + 42;
const timeOf = (day: number): string => new Date(day * DAY_MS).toISOString();
const range = { from: timeOf(FROM), to: timeOf(TO) };
const FUNNEL = { kind: 'funnel', steps: [{ event_name: 'open' }, { event_name: 'level_up' }] };
const PLAYERS = 40;
const externalIds = Array.from({ length: PLAYERS }, (_, n) => `p${n}`);

let clickhouse: TestClickhouse;
let analytics: Analytics;
let owners: DecidingBackend;
let gateway: Gateway;
let key: string;
let world: World;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({
    analytics,
    backend: {
      send: (origin, entityId, body) => owners.send(origin, entityId, body),
      query: (origin, entityId, body) => owners.query(origin, entityId, body),
      partitionOf: (entityId) => owners.partitionOf(entityId),
    },
  });
  owners = createDecidingBackend(systemClock, createLiveDefinitions(gateway.config, silentLogger));
  key = await gateway.key();
  world = madeWorld(FROM, TO, 20);
  await insertWorld(clickhouse, world, idOf);
}, 240_000);
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

const idOf = (n: number): string =>
  playerIdOf({ namespace: gateway.namespace('demo'), environment: 'live' }, externalIds[n] ?? '');

async function post(path: string, body: object, method = 'POST') {
  const response = await gateway.call(key, method, path, body);
  const { data, error } = await bodyOf(response);
  return { status: response.status, data, fields: JSON.stringify(error?.details ?? error?.code ?? null) };
}

async function ask(query: object): Promise<Record<string, unknown>> {
  const { status, data, fields } = await post('/v1/analytics/queries', { ...range, ...query });
  expect([status, fields]).toEqual([200, 'null']);
  return JSON.parse(JSON.stringify(data));
}

interface Found {
  total: number;
  counts_players: boolean;
  players: { external_id: string; player_id: string }[];
  next_cursor: string | null;
}

async function behind(query: object, point: object, page: object = { limit: 100 }): Promise<Found> {
  const body = { query: { ...range, ...query }, point, ...page };
  const { status, data, fields } = await post('/v1/analytics/queries/players', body);
  expect([status, fields], JSON.stringify(body)).toEqual([200, 'null']);
  return JSON.parse(JSON.stringify(data));
}

/** The numbers of the players of a page that has all of them. */
async function numbersBehind(query: object, point: object): Promise<number[]> {
  const { total, players, next_cursor: next } = await behind(query, point);
  expect([players.length, next]).toEqual([total, null]);
  for (const { player_id: id, external_id: externalId } of players) expect(id).toBe(idOf(Number(externalId.slice(1))));
  return players
    .map(({ external_id: externalId }) => Number(externalId.slice(1)))
    .toSorted((one, other) => one - other);
}

/** The players whom a measure counts, or whose rows it is made of, one after the other. */
function wanted(name: MeasureName, asked: Asked): number[] {
  const { keep = () => true, fromDay, toDay } = asked;
  return externalIds.flatMap((_, n) => {
    if (measureOf(name).countsPlayers === true) {
      const own = measure(world, name, { ...asked, keep: (row) => row.player === n && keep(row) });
      return own === 1 ? [n] : [];
    }
    const isOfIt = (row: Row): boolean =>
      row.player === n && row.source === measureOf(name).source && row.day >= fromDay && row.day < toDay && keep(row);
    return world.rows.some((row) => isOfIt(row) && counts(name, row)) ? [n] : [];
  });
}

function counts(name: MeasureName, row: Row): boolean {
  if (measureOf(name).ofProperty === true) return row.numbers['property:score'] !== undefined;
  if (name === 'refunds') return row.isRefund;
  return name === 'purchases' || name === 'gross_revenue' ? !row.isRefund : true;
}

const needs = (name: MeasureName): object => (measureOf(name).ofProperty === true ? { property: 'score' } : {});
const SOME_DAYS = [FROM + 17, FROM + 41];

function keyOf({ player, values }: Row, by: string): string {
  const { attributes, isMember } = world.players[player] ?? {};
  if (by === 'segment:whales') return String(isMember);
  return by === 'attribute:clan' ? (attributes?.clan ?? '') : (values[by] ?? '');
}

const valueAt = (data: Record<string, unknown>, at: string): unknown => {
  const [series]: { points: { at: string; value: unknown }[] }[] = JSON.parse(JSON.stringify(data['series']));
  return series?.points.find((point) => point.at === at)?.value;
};

describe.each(MEASURE_NAMES)('the metric %s', (metric) => {
  const query = { kind: 'trend', metric, ...needs(metric) };

  it('has by day its players, of whom it counts each once if it counts players', async () => {
    const data = await ask(query);
    for (const day of SOME_DAYS) {
      const at = timeOf(day);
      const players = await numbersBehind(query, { at });
      expect(players, at).toEqual(wanted(metric, { fromDay: day, toDay: day + 1 }));
      const { counts_players: isCounted, total } = await behind(query, { at });
      expect(isCounted).toBe(measureOf(metric).countsPlayers === true);
      if (isCounted) expect(total).toBe(valueAt(data, at));
    }
  });
});

describe.each(MEASURE_NAMES.filter((name) => measureOf(name).windowDays === undefined))('the metric %s', (metric) => {
  const query = { kind: 'trend', metric, ...needs(metric) };

  it('has by week and value its players, as a breakdown has them', async () => {
    for (const by of ['attribute:clan', 'segment:whales', 'country']) {
      const where = [{ field: 'segment:whales', is: true }];
      const weekly = { ...query, interval: 'week', by };
      const week = { fromDay: FROM + 14, toDay: FROM + 21 };
      const whole = { ...needs(metric), kind: 'breakdown', metric, by, where };
      for (const value of by === 'segment:whales' ? ['true'] : ['', 'red', 'BR']) {
        const keep = (row: Row): boolean => keyOf(row, by) === value;
        const inWeek = await numbersBehind(weekly, { at: timeOf(week.fromDay), key: value });
        expect(inWeek, `${by} ${value}`).toEqual(wanted(metric, { ...week, keep }));
        const isMember = (row: Row): boolean => keep(row) && keyOf(row, 'segment:whales') === 'true';
        const inAll = await numbersBehind(whole, { key: value });
        expect(inAll, `${by} ${value}`).toEqual(wanted(metric, { fromDay: FROM, toDay: TO, keep: isMember }));
      }
    }
  });
});

describe('a figure that divides', () => {
  it.each(METRIC_NAMES.filter(isRatio))('%s has the players of each part', async (metric) => {
    const day = FROM + 33;
    const { numerator, denominator } = RATIOS[metric];
    for (const [part, name] of Object.entries({ numerator, denominator })) {
      const players = await numbersBehind({ kind: 'trend', metric }, { at: timeOf(day), part });
      expect(players, part).toEqual(wanted(name, { fromDay: day, toDay: day + 1 }));
    }
  });
});

interface Step {
  players: number;
  converted: number | null;
  dropped: number | null;
  inside: number | null;
}

describe('the players behind', () => {
  it('a step of a funnel are as many as it says, and those who dropped out are the others', async () => {
    const steps = ['open', 'level_up', 'open'].map((name) => ({ event_name: name }));
    for (const query of [
      { kind: 'funnel', steps, window_seconds: 4 * 86_400 },
      { kind: 'funnel', steps, window_seconds: 90 * 86_400, order: 'any_order', by: 'country' },
    ]) {
      const { funnels } = await ask(query);
      const found: { key: string; steps: Step[] }[] = JSON.parse(JSON.stringify(funnels));
      for (const { key: value, steps: figures } of found) {
        const of = 'by' in query ? { key: value } : {};
        for (const [place, { players, converted, dropped, inside }] of figures.entries()) {
          const step = place + 1;
          const reached = await numbersBehind(query, { step, ...of });
          expect(reached).toHaveLength(players);
          if (converted === null) continue;
          const parts = [];
          for (const outcome of ['converted', 'dropped', 'inside']) {
            parts.push(await numbersBehind(query, { step, outcome, ...of }));
          }
          expect(parts.map(({ length }) => length)).toEqual([converted, dropped, inside]);
          expect(parts.flat().toSorted((one, other) => one - other)).toEqual(reached);
          expect(parts[0]).toEqual(await numbersBehind(query, { step: step + 1, ...of }));
        }
      }
    }
  });

  it.each([
    { kind: 'retention', days: [0, 1, 5] },
    { kind: 'retention', method: 'rolling', interval: 'week', periods: [1, 2], by: 'country' },
    { kind: 'retention', interval: 'week', periods: [0, 1], first_event: { event_name: 'open' } },
    { kind: 'retention', method: 'rolling', days: [2], return_event: { event_name: 'level_up' } },
  ])('a cohort are as many as %j says', async (query) => {
    interface Cohort {
      key: string | null;
      day: string;
      players: number;
      retained: { after: number; players: number | null }[];
    }
    const cohorts: Cohort[] = JSON.parse(JSON.stringify((await ask(query))['cohorts']));
    expect(cohorts.length).toBeGreaterThan(3);
    for (const { key: value, day, players, retained } of cohorts.slice(-8)) {
      const of = { day, ...(value === null ? {} : { key: value }) };
      const all = await numbersBehind(query, of);
      expect(all).toHaveLength(players);
      for (const { after, players: returned } of retained) {
        if (returned === null) continue;
        const back = await numbersBehind(query, { ...of, after });
        expect(back, `${day} ${after}`).toHaveLength(returned);
        expect(all).toEqual(expect.arrayContaining(back));
      }
    }
  });

  it('a cohort of lifetime value are its players and payers', async () => {
    const query = { kind: 'ltv', days: [0, 20], by: 'country' };
    const cohorts: { key: string; day: string; players: number; payers: number }[] = JSON.parse(
      JSON.stringify((await ask(query))['cohorts']),
    );
    for (const { key: value, day, players, payers } of cohorts.slice(0, 8)) {
      expect(await numbersBehind(query, { day, key: value })).toHaveLength(players);
      expect(await numbersBehind(query, { day, key: value, payers: true })).toHaveLength(payers);
    }
    expect(cohorts.some(({ payers }) => payers > 0)).toBe(true);
  });

  it.each(['forward', 'backward'])('a path %s are as many as it says', async (direction) => {
    const query = { kind: 'paths', event_name: 'open', direction, within_seconds: 86_400, limit: 50 };
    const paths: { steps: (string | null)[]; players: number }[] = JSON.parse(
      JSON.stringify((await ask(query))['paths']),
    );
    expect(paths.length).toBeGreaterThan(5);
    for (const { steps, players } of paths) expect(await numbersBehind(query, { steps })).toHaveLength(players);
  });

  it.each(['day', 'week', 'month'])('a state of the lifecycle by %s are as many as it says', async (interval) => {
    const query = { kind: 'lifecycle', interval };
    const intervals: Record<string, number | string | boolean>[] = JSON.parse(
      JSON.stringify((await ask(query))['intervals']),
    );
    for (const each of intervals.slice(0, 6)) {
      for (const state of LIFECYCLE_STATE_NAMES) {
        const players = await numbersBehind(query, { day: each['day'], state });
        expect(players, `${String(each['day'])} ${state}`).toHaveLength(Number(each[state]));
      }
    }
    const [first = 0, last = 0] = [intervals[0], intervals.at(-1)].map((each) => Date.parse(String(each?.['day'])));
    for (const { day, new: created, current, resurrected } of intervals) {
      if (interval !== 'week') continue;
      const fromDay = Date.parse(String(day)) / DAY_MS;
      const active = measure(world, 'active_players', { fromDay, toDay: fromDay + 7 });
      expect(Number(created) + Number(current) + Number(resurrected)).toBe(active);
      expect(created).toBe(measure(world, 'new_players', { fromDay, toDay: fromDay + 7 }));
    }
    expect(last).toBeGreaterThan(first);
  });

  it('days of activity are as many as they say', async () => {
    const query = { kind: 'stickiness', interval: 'week' };
    const intervals: { day: string; players: number; days: { days: number; players: number }[] }[] = JSON.parse(
      JSON.stringify((await ask(query))['intervals']),
    );
    for (const { day, players: all, days } of intervals.slice(2, 5)) {
      const fromDay = Date.parse(day) / DAY_MS;
      expect(all).toBe(measure(world, 'active_players', { fromDay, toDay: fromDay + 7 }));
      expect(days.map((each) => each.days)).toEqual([1, 2, 3, 4, 5, 6, 7]);
      for (const { days: count, players } of days) {
        expect(await numbersBehind(query, { day, days: count })).toHaveLength(players);
      }
    }
  });
});

describe('a page of players', () => {
  const query = { kind: 'trend', metric: 'active_players', interval: 'week' };
  const point = { at: timeOf(FROM + 35) };

  it('goes on behind the one before, with the same total', async () => {
    const all = await behind(query, point);
    expect(all.total).toBeGreaterThan(10);
    const found: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Found = await behind(query, point, { limit: 7, ...(cursor === null ? {} : { cursor }) });
      expect(page.total).toBe(all.total);
      found.push(...page.players.map(({ player_id: id }) => id));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(found).toEqual(all.players.map(({ player_id: id }) => id));
  });

  it.each<[query: object, point: object, fault: string]>([
    [query, {}, '/point/at'],
    [query, { at: timeOf(FROM + 36) }, '/point/at'],
    [query, { at: timeOf(FROM - 7) }, '/point/at'],
    [query, { ...point, key: 'x' }, '/point/key'],
    [{ ...query, by: 'country' }, point, '/point/key'],
    [query, { ...point, part: 'numerator' }, '/point/part'],
    [{ kind: 'trend', metric: 'arpdau' }, { at: timeOf(FROM) }, '/point/part'],
    [query, { ...point, step: 1 }, '/point/step'],
    [{ kind: 'breakdown', metric: 'events', by: 'country' }, {}, '/point/key'],
    [{ kind: 'retention' }, {}, '/point/day'],
    [{ kind: 'retention' }, { day: '2001-01-01' }, '/point/day'],
    [{ kind: 'retention', days: [1] }, { day: timeOf(FROM).slice(0, 10), after: 2 }, '/point/after'],
    [{ kind: 'retention', days: [365] }, { day: timeOf(FROM).slice(0, 10), after: 365 }, '/point/after'],
    [{ kind: 'paths', event_name: 'open' }, { steps: ['shop', null, null] }, '/point/steps/0'],
    [{ kind: 'lifecycle' }, { day: timeOf(FROM).slice(0, 10) }, '/point/state'],
    [{ kind: 'lifecycle', interval: 'hour' }, { day: timeOf(FROM).slice(0, 10), state: 'new' }, '/query/interval'],
    [{ kind: 'stickiness', interval: 'day' }, { day: timeOf(FROM).slice(0, 10), days: 1 }, '/query/interval'],
    [{ kind: 'stickiness', where: [{ field: 'country', is: 'DE' }] }, { day: '', days: 1 }, '/point/day'],
    [FUNNEL, { step: 3 }, '/point/step'],
    [FUNNEL, { step: 2, outcome: 'dropped' }, '/point/outcome'],
  ])('is refused if %j has no figure %j', async (asked, named, fault) => {
    const body = { query: { ...range, ...asked }, point: named };
    const { status, fields } = await post('/v1/analytics/queries/players', body);
    expect(status).toBe(400);
    expect(fields).toContain(fault);
  });

  it('is refused with a cursor of another list', async () => {
    const body = { query: { ...range, ...query }, point, cursor: 'x' };
    expect(await post('/v1/analytics/queries/players', body)).toMatchObject({ status: 400 });
  });
});

describe('a segment of the players behind a figure', () => {
  const query = { ...range, kind: 'trend', metric: 'payers', interval: 'week' };
  const point = { at: timeOf(FROM + 28) };

  it('has them in its list, all that are registered', async () => {
    const players = await numbersBehind(query, point);
    expect(players.length).toBeGreaterThan(4);
    const registered = players.slice(1);
    for (const n of registered) await post('/v1/players/players', { external_id: externalIds[n] });
    const created = await post('/v1/segments/segments', { name: 'Payers of the week', kind: 'static' });
    const id = String(created.data['segment_id']);
    const loaded = await post(`/v1/segments/segments/${id}/members/query`, { query, point }, 'PUT');
    expect(loaded).toMatchObject({
      status: 200,
      data: { segment_id: id, received: players.length, members: registered.length, unknown: 1, duplicates: 0 },
    });
    const load = gateway.config.list('segment')[0]?.document.list?.load ?? '';
    const listed = externalIds.flatMap((_, n) => {
      const state = owners.state(idOf(n));
      return state?.kind === 'player' && state.lists?.[0]?.loads.includes(load) === true ? [n] : [];
    });
    expect(listed).toEqual(registered);
    const nobody = { query: { ...query, where: [{ field: 'segment:none', is: true }] }, point };
    const refused = await post(`/v1/segments/segments/${id}/members/query`, nobody, 'PUT');
    expect(refused).toMatchObject({ status: 400, fields: expect.stringContaining('/point') });
    expect(gateway.config.list('segment')[0]?.document.list?.load).toBe(load);
  });

  it('needs a static segment, and a point of the query', async () => {
    const missing = '/v1/segments/segments/seg_none/members/query';
    expect(await post(missing, { query, point }, 'PUT')).toMatchObject({ status: 404 });
    expect(await post(missing, { query, point: {} }, 'PUT')).toMatchObject({ status: 400 });
    // It asks nothing before it has found the segment: this figure has no players, which would be 400.
    const nobody = { ...query, where: [{ field: 'segment:none', is: true }] };
    expect(await post(missing, { query: nobody, point }, 'PUT')).toMatchObject({ status: 404 });
  });
});
