import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAnalytics, type Analytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { dayIn, startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import { gameAddress } from '../../../streams/config/games.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* The time zone and currency of a game, and trends in its days, on the real engine. */

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
let key: string;
beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  key = await gateway.key();
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

const PATH = '/v1/settings';
const NONE = { extracted_properties: [], revenue: 'all', holdout: null };
const get = async (asKey = key) => (await bodyOf(await gateway.call(asKey, 'GET', PATH))).data;
async function patch(body: object, asKey = key) {
  const response = await gateway.call(asKey, 'PATCH', PATH, body);
  return { status: response.status, ...(await bodyOf(response)) };
}
const zoneIs = async (zone: string) => expect((await patch({ time_zone: zone })).status).toBe(200);

describe('the settings of a game', () => {
  it('are UTC and no currency until it names them, and stay as they are when others change', async () => {
    expect(await get()).toEqual({ time_zone: 'UTC', currency: null, ...NONE, version: 1 });
    const berlin = { time_zone: 'Europe/Berlin', ...NONE };
    expect((await patch({ time_zone: 'europe/berlin' })).data).toEqual({ ...berlin, currency: null, version: 2 });
    expect((await patch({ currency: 'brl', version: 2 })).data).toEqual({ ...berlin, currency: 'BRL', version: 3 });
    expect(await patch({ currency: 'EUR', version: 2 })).toMatchObject({
      status: 412,
      error: { details: { version: 3 } },
    });
    const stale = await gateway.call(key, 'PATCH', PATH, { currency: 'EUR' }, { 'If-Match': '"2"' });
    expect(stale.status).toBe(412);
    expect((await patch({ currency: null })).data).toEqual({ ...berlin, currency: null, version: 4 });
    expect(gateway.config.get(gameAddress('demo'))?.document.name).toBe('demo');
    const none = { time_zone: 'UTC', currency: null, ...NONE, version: 1 };
    expect(await get(await gateway.key({ game: 'other' }))).toEqual(none);
  });

  it.each([
    [{ time_zone: 'Mars/Olympus' }, '/time_zone', 'must be the name of an IANA time zone'],
    [{ time_zone: '+02:00' }, '/time_zone', 'an offset such as `+02:00` is none'],
    [{ time_zone: "UTC', file:/etc/passwd" }, '/time_zone', 'must be the name of an IANA time zone'],
    [{ currency: 'XXL' }, '/currency', 'must be the ISO 4217 code'],
    [{ currency: '' }, '/currency', 'must be the ISO 4217 code'],
    [{ extracted_properties: ['a', 'b', 'a'] }, '/extracted_properties/2', 'must not name a property twice'],
    [{ extracted_properties: ['a', ''] }, '/extracted_properties/1', 'must not be empty'],
    [{ extracted_properties: [Array(17).fill('a').join('.')] }, '/extracted_properties/0', 'at most 16 keys'],
    [{ holdout: { percentage: 101 } }, '/holdout/percentage', 'must be at most 100'],
    [{ holdout: { salt: 'x' } }, '/holdout/percentage', 'is required'],
    [{ extracted_properties: 'abcdefghi'.split('') }, '/extracted_properties', 'has 9 items; the maximum is 8'],
  ])('refuse %j with the rule, and do not change', async (body, path, message) => {
    const before = await get();
    const { status, error } = await patch({ currency: 'USD', ...body });
    expect([status, JSON.stringify(error)]).toEqual([400, expect.stringContaining(path)]);
    expect(JSON.stringify(error)).toContain(message);
    expect(await get()).toEqual(before);
  });

  it('have a holdout, which keeps its salt while its size changes', async () => {
    const { data } = await patch({ holdout: { percentage: 5 } });
    expect(data['holdout']).toEqual({ percentage: 5, salt: expect.stringMatching(/^[\w-]{16}$/) });
    const { salt } = Object(data['holdout']);
    expect((await patch({ holdout: { percentage: 10 } })).data['holdout']).toEqual({ percentage: 10, salt });
    expect((await patch({ currency: null })).data['holdout']).toEqual({ percentage: 10, salt });
    expect((await patch({ holdout: { percentage: 10, salt: 'own' } })).data['holdout']).toEqual({
      percentage: 10,
      salt: 'own',
    });
    expect((await patch({ holdout: null })).data['holdout']).toBeNull();
    expect((await patch({ holdout: { percentage: 1 } })).data['holdout']).not.toMatchObject({ salt: 'own' });
    expect((await patch({ holdout: { percentage: 1 } })).status).toBe(200);
    expect((await patch({ holdout: { percentage: 0 } })).status).toBe(200);
    expect((await patch({ holdout: null })).status).toBe(200);
    // A period for each percentage and salt; each ends as the next one begins, or the holdout.
    const { holdoutPeriods: periods = [] } = gateway.config.get(gameAddress('demo'))?.document ?? {};
    expect(periods.map(({ period, percentage }) => [period, percentage])).toEqual([
      [1, 5],
      [2, 10],
      [3, 10],
      [4, 1],
    ]);
    expect(periods.slice(0, 2).map(({ until }) => until)).toEqual(periods.slice(1, 3).map(({ since }) => since));
    expect(periods.every(({ since, until }) => until !== null && until >= since)).toBe(true);
  });

  it('name the properties with columns of their own, which questions about these read', async () => {
    const sqlOf = async (field: string) => {
      const query = { kind: 'breakdown', by: field };
      return String((await bodyOf(await gateway.call(key, 'POST', '/v1/analytics/queries/sql', query))).data['sql']);
    };
    const paths = { extracted_properties: ['level', 'item.id'] };
    expect((await patch(paths)).data).toMatchObject(paths);
    expect((await patch({ currency: null })).data).toMatchObject(paths);
    expect(await sqlOf('property:item.id')).toContain('extracted_2');
    expect(await sqlOf('property:item.id')).not.toContain('extracted_1');
    expect(await sqlOf('property:other')).not.toContain('extracted_');
    expect((await patch(NONE)).data).toMatchObject(NONE);
    expect(await sqlOf('property:item.id')).not.toContain('extracted_');
  });

  it('are those of both environments, and a key of the test environment only reads them', async () => {
    const test = await gateway.key({ environment: 'test' });
    expect(await get(test)).toEqual(await get());
    expect((await patch({ time_zone: 'UTC' }, test)).error).toMatchObject({ code: 'FORBIDDEN' });
    const client = await gateway.key({ kind: 'client' });
    expect((await patch({ time_zone: 'UTC' }, client)).status).toBe(403);
  });
});

const HALF_HOUR_MS = 1_800_000;

/** An event of a player of its own every half hour of a range, and its day by the clocks of a zone. */
async function halfHours(fromMs: number, toMs: number): Promise<number[]> {
  const times = Array.from({ length: (toMs - fromMs) / HALF_HOUR_MS }, (_, n) => fromMs + n * HALF_HOUR_MS);
  const rows = times.map((at, n) => {
    const player = `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`;
    const of = { game_id: 'demo', environment: 'live', player_id: player, event_name: `half-${fromMs}` };
    return JSON.stringify({ ...of, timestamp: at, received_at: at + 60_000 });
  });
  const inserted = await runSql(clickhouse, 'INSERT INTO events FORMAT JSONEachRow', { body: rows.join('\n') });
  expect(inserted.status).toBe(200);
  return times;
}
const dateIn = (zone: string, ms: number): string => new Date(ms).toLocaleDateString('sv', { timeZone: zone });

describe('exposures of a flag', () => {
  it('are counted by the days of the game', async () => {
    const flag = { key: 'zoned', flag_type: 'boolean', enabled: true };
    expect((await gateway.call(key, 'POST', '/v1/flags/flags', flag)).status).toBe(201);
    // The last hour of yesterday, its last moment, and the first one of today; in Kolkata all are in one day.
    const midnight = startOfDayIn('America/Sao_Paulo', dayIn('America/Sao_Paulo', Date.now()));
    const rows = [midnight - 3_600_000, midnight - 1, midnight].map((at, n) => ({
      game_id: 'demo',
      environment: 'live',
      flag_key: 'zoned',
      value: 'true',
      player_id: `00000000-0000-5000-8000-00000000000${n}`,
      received_at: at,
    }));
    const body = rows.map((row) => JSON.stringify(row)).join('\n');
    expect((await runSql(clickhouse, 'INSERT INTO flag_exposures FORMAT JSONEachRow', { body })).status).toBe(200);
    await zoneIs('America/Sao_Paulo');
    const found = await bodyOf(await gateway.call(key, 'GET', '/v1/flags/flags/zoned/exposures?days=2'));
    const [yesterday, today] = [midnight - 1, midnight].map((at) => dateIn('America/Sao_Paulo', at));
    expect(found.data).toEqual({
      flag_key: 'zoned',
      from: yesterday,
      days: [
        { day: yesterday, variant: 'true', exposures: 2 },
        { day: today, variant: 'true', exposures: 1 },
      ],
    });
    await zoneIs('Asia/Kolkata');
    const other = await bodyOf(await gateway.call(key, 'GET', '/v1/flags/flags/zoned/exposures?days=2'));
    expect(other.data['days']).toEqual([{ day: dateIn('Asia/Kolkata', midnight), variant: 'true', exposures: 3 }]);
  });
});

describe('a trend counts by the days of the game', () => {
  it.each([
    ['Europe/Berlin', '2026-03-28', '2026-03-31', [48, 46, 48]],
    ['Europe/Berlin', '2026-10-24', '2026-10-27', [48, 50, 48]],
    ['America/Sao_Paulo', '2018-11-03', '2018-11-06', [48, 46, 48]],
    ['America/Sao_Paulo', '2018-02-17', '2018-02-19', [50, 48]],
    ['Asia/Kolkata', '2026-11-01', '2026-11-03', [48, 48]],
  ])('in %s from %s to %s', async (zone, first, until, expected) => {
    await zoneIs(zone);
    const [fromMs, toMs] = [Date.parse(first) - 86_400_000, Date.parse(until) + 86_400_000];
    const times = await halfHours(fromMs, toMs);
    const query = { kind: 'trend', metric: 'players', event_names: [`half-${fromMs}`] };
    const range = { from: new Date(Date.parse(first) + 43_200_000), to: new Date(Date.parse(until) - 43_200_000) };
    const { data } = await bodyOf(await gateway.call(key, 'POST', '/v1/analytics/queries', { ...query, ...range }));
    const [series] = Array.isArray(data['series']) ? data['series'] : [];
    const points = series.points.map(({ at, value }: { at: string; value: number }) => [
      dateIn(zone, Date.parse(at)),
      value,
    ]);
    const days = [...Map.groupBy(times, (ms) => dateIn(zone, ms))].map(([date, own]) => [date, own.length]);
    expect(points).toEqual(days.filter(([date]) => String(date) >= first && String(date) < until));
    expect(points.map(([, value]: [string, number]) => value)).toEqual(expected);
    const byHour = await gateway.call(key, 'POST', '/v1/analytics/queries', { ...query, ...range, interval: 'hour' });
    const [hours] = Object(await bodyOf(byHour)).data.series;
    expect(new Set(hours.points.map(({ value }: { value: number }) => value))).toEqual(new Set([2]));
  });

  it('by default from 30 days before today to the end of today, and says in SQL what it counts', async () => {
    await zoneIs('America/Sao_Paulo');
    const { data } = await bodyOf(await gateway.call(key, 'POST', '/v1/analytics/queries', { kind: 'trend' }));
    const today = dateIn('America/Sao_Paulo', Date.now());
    expect(dateIn('America/Sao_Paulo', Date.parse(String(data['to'])) - 1)).toBe(today);
    expect((Date.parse(String(data['to'])) - Date.parse(String(data['from']))) / 86_400_000).toBe(31);
    const sql = await gateway.call(key, 'POST', '/v1/analytics/queries/sql', { kind: 'retention' });
    expect(String((await bodyOf(sql)).data['sql'])).toContain("'America/Sao_Paulo'");
  });
});
