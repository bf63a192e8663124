import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { columnsOf } from '../../../core/vocabulary/metrics/dimensions.ts';
import type { MeasureName } from '../../../core/vocabulary/metrics/measures.ts';
import { isRatio, measureOf, METRIC_NAMES, type MetricName, RATIOS } from '../../../core/vocabulary/metrics/metrics.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { blocksOf } from '../../support/documentation.ts';
import { startOfToday } from '../../support/whole-day.ts';
import { insertWorld } from './inserted-world.ts';
import { type Asked, figure, madeWorld, measure, ratio, type Row, type World } from './metric-world.ts';

/* Every metric on every door, compared with brute force over the same rows on the real engine. */

const DAY_MS = 86_400_000;
const TODAY = (await startOfToday(240_000)) / DAY_MS;
/** Weeks begin on Monday: the range has whole ones. */
const FROM = TODAY - 7 - ((TODAY - 4) % 7) - 42;
const TO = FROM + 42;
const timeOf = (day: number): string => new Date(day * DAY_MS).toISOString();
const dayText = (day: number): string => timeOf(day).slice(0, 10);
const range = { from: timeOf(FROM), to: timeOf(TO) };

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
let key: string;
let world: World;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  key = await gateway.key();
  world = madeWorld(FROM, TO, 20);
  await insertWorld(clickhouse, world);
}, 240_000);
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await gateway.call(key, 'POST', path, body);
  const { data, error } = await bodyOf(response);
  expect([response.status, error?.details]).toEqual([200, undefined]);
  return data;
}
const ask = (body: object) => post('/v1/analytics/queries', { ...range, ...body });

interface Point {
  at: string;
  value: number | null;
}
interface Series {
  key: string | null;
  points: Point[];
  previous: Point[] | null;
}
const seriesOf = (data: Record<string, unknown>): Series[] => JSON.parse(JSON.stringify(data['series']));
const valuesOf = (points: readonly Point[] | undefined): (number | null)[] =>
  (points ?? []).map(({ value }) => rounded(value));
const rowsIn = (data: Record<string, unknown>): { key: string; value: number | null }[] =>
  JSON.parse(JSON.stringify(data['rows']));

/** Sums of floating point numbers depend on their order. */
const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value * 1e9) / 1e9 + 0);

const days = Array.from({ length: TO - FROM }, (_, n) => FROM + n);
const byDay = (of: (asked: Asked) => number | null): (number | null)[] =>
  days.map((day) => rounded(of({ fromDay: day, toDay: day + 1 })));
const whole: Asked = { fromDay: FROM, toDay: TO };

const measuresOf = (metric: MetricName): MeasureName[] =>
  isRatio(metric) ? [RATIOS[metric].numerator, RATIOS[metric].denominator] : [metric];
const isOfWindow = (metric: MetricName): boolean =>
  measuresOf(metric).some((name) => measureOf(name).windowDays !== undefined);
const needs = (metric: MetricName): object =>
  measuresOf(metric).some((name) => measureOf(name).ofProperty === true) ? { property: 'score' } : {};

describe('the metric', () => {
  it.each(METRIC_NAMES)('%s is by day what brute force counts, in the API and as SQL', async (metric) => {
    const body = { kind: 'trend', metric, ...needs(metric) };
    const [series] = seriesOf(await ask(body));
    const wanted = byDay((asked) => figure(world, metric, asked));
    expect(new Set(wanted).size, 'days differ').toBeGreaterThan(2);
    expect(valuesOf(series?.points)).toEqual(wanted);
    const { sql } = await post('/v1/analytics/queries/sql', { ...range, ...body });
    const read = await runSql(clickhouse, String(sql), { as: 'reader', search: { default_format: 'JSONEachRow' } });
    expect(read.status, read.text).toBe(200);
    const lines: { at: number; value: number | null }[] = read.text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const found = new Map(lines.map(({ at, value }) => [(at * 1000) / DAY_MS, rounded(value)]));
    const empty =
      measuresOf(metric).length === 2 || measureOf(measuresOf(metric)[0] ?? 'events').nullWithout !== undefined;
    expect(days.map((day) => found.get(day) ?? (empty ? null : 0))).toEqual(wanted);
  });

  it.each(METRIC_NAMES.filter((name) => !isOfWindow(name)))(
    '%s is that by week, and by each field of its rows',
    async (metric) => {
      const body = { metric, ...needs(metric) };
      const [series] = seriesOf(await ask({ kind: 'trend', interval: 'week', ...body }));
      const weeks = days.filter((_, n) => n % 7 === 0);
      const ofWeeks = weeks.map((day) => rounded(figure(world, metric, { fromDay: day, toDay: day + 7 })));
      expect(valuesOf(series?.points)).toEqual(ofWeeks);
      const sources = measuresOf(metric).map((name) => measureOf(name).source);
      const columns = columnsOf(sources[0] ?? 'events').filter((name) =>
        sources.every((one) => columnsOf(one).includes(name)),
      );
      for (const by of [...columns, 'attribute:clan', 'segment:whales']) {
        const data = await ask({ kind: 'breakdown', by, limit: 50, ...body });
        const of = (value: string) =>
          rounded(figure(world, metric, { ...whole, keep: (row) => keyOf(row, by) === value }));
        const found = new Map(rowsIn(data).map((row) => [row.key, rounded(row.value)]));
        const keys = new Set(world.rows.map((row) => keyOf(row, by)));
        for (const value of keys)
          expect(found.get(value) ?? null, `${by} ${value}`).toEqual(
            of(value) === 0 ? (found.get(value) ?? null) : of(value),
          );
        expect(
          [...found.keys()].filter((value) => !keys.has(value)),
          by,
        ).toEqual([]);
        const [name] = measuresOf(metric);
        if (isRatio(metric) || name === undefined || !measureOf(name).addsUp) continue;
        const sum = rowsIn(data).reduce((all, { value }) => all + (value ?? 0), 0);
        expect([rounded(sum), rounded(Number(data['total']))], by).toEqual([
          rounded(figure(world, metric, whole)),
          rounded(figure(world, metric, whole)),
        ]);
      }
    },
  );
});

function keyOf({ player, values }: Row, by: string): string {
  const { attributes, isMember } = world.players[player] ?? {};
  if (by === 'segment:whales') return String(isMember);
  if (by === 'attribute:clan') return attributes?.clan ?? '';
  return values[by] ?? '';
}

const FILTERS: readonly [where: object, keep: (row: Row) => boolean][] = [
  [{ field: 'country', is: 'DE' }, ({ values }) => values['country'] === 'DE'],
  [{ field: 'country', is_not: 'DE' }, ({ values }) => values['country'] !== 'DE'],
  [{ field: 'country', in: ['', 'BR'] }, ({ values }) => ['', 'BR'].includes(values['country'] ?? '')],
  [{ field: 'country', contains: 'Å' }, ({ values }) => (values['country'] ?? '').includes('Å')],
  [{ field: 'platform', is_set: true }, ({ values }) => (values['platform'] ?? '') !== ''],
  [{ field: 'platform', is_not_set: true }, ({ values }) => (values['platform'] ?? '') === ''],
  [{ field: 'segment:whales', is: true }, (row) => keyOf(row, 'segment:whales') === 'true'],
  [{ field: 'segment:whales', is_not: true }, (row) => keyOf(row, 'segment:whales') === 'false'],
  [{ field: 'segment:nobody', is: true }, () => false],
  [{ field: 'attribute:clan', in: ['', 'red'] }, (row) => keyOf(row, 'attribute:clan') !== 'blue'],
  [{ field: 'attribute:clan', is_not: 'red' }, (row) => keyOf(row, 'attribute:clan') !== 'red'],
  [{ field: 'attribute:clan', contains: 'e' }, (row) => keyOf(row, 'attribute:clan').includes('e')],
  // "8" is a text, and no number.
  [{ field: 'attribute:level', gt: 8 }, ({ player }) => player % 4 === 0 && player > 8],
  [{ field: 'attribute:level', gte: 8, lt: 24 }, ({ player }) => player % 4 === 0 && player >= 8 && player < 24],
  [{ field: 'attribute:level', is: 8 }, ({ player }) => player === 8],
  [{ field: 'attribute:level', is_not: 8 }, ({ player }) => player !== 8],
  [{ field: 'attribute:level', lte: 0 }, ({ player }) => player === 0],
  [{ field: 'attribute:vip.tier', is: 'gold' }, ({ player }) => player % 5 < 2],
  [{ field: 'attribute:vip', is_not_set: true }, ({ player }) => player % 5 !== 1],
];

describe('a condition', () => {
  it.each(FILTERS)('restricts rows as it says: %j', async (where, keep) => {
    for (const metric of ['active_players', 'revenue', 'sessions', 'new_players', 'arpdau', 'players'] as const) {
      const [series] = seriesOf(await ask({ kind: 'trend', metric, where: [where] }));
      expect(valuesOf(series?.points), metric).toEqual(byDay((asked) => figure(world, metric, { ...asked, keep })));
    }
  });

  it.each<[where: object, keep: (row: Row) => boolean]>([
    [{ field: 'property:score', gt: 10.5 }, ({ numbers }) => (numbers['property:score'] ?? -Infinity) > 10.5],
    [{ field: 'property:score', lte: -12.5 }, ({ numbers }) => (numbers['property:score'] ?? Infinity) <= -12.5],
    [{ field: 'property:score', is_not: 0 }, ({ numbers }) => numbers['property:score'] !== 0],
    [{ field: 'property:score', is: 'none' }, ({ numbers }) => numbers['property:score'] === undefined],
    [{ field: 'property:mode', is_not_set: true }, ({ values }) => values['property:mode'] === ''],
    [{ field: 'property:mode', contains: 'ea' }, ({ values }) => values['property:mode'] === 'team'],
    [{ field: 'property:nowhere', is_not: 'x' }, () => true],
    [{ field: 'property:nowhere', lt: 5 }, () => false],
    [{ field: 'is_payer', is: true }, ({ values }) => values['is_payer'] === 'true'],
  ])('on an event compares numbers as numbers, and nothing with nothing: %j', async (where, keep) => {
    const [series] = seriesOf(await ask({ kind: 'trend', metric: 'events', where: [where] }));
    expect(valuesOf(series?.points)).toEqual(byDay((asked) => measure(world, 'events', { ...asked, keep })));
  });
});

describe('a figure', () => {
  it('is for each active player, who must pass the conditions that active players can', async () => {
    const where = [
      { field: 'attribute:clan', is: 'red' },
      { field: 'event_name', is: 'open' },
    ];
    const data = await ask({ kind: 'trend', metric: 'events', per_player: true, where });
    const isRed = (row: Row): boolean => keyOf(row, 'attribute:clan') === 'red';
    const wanted = byDay((day) =>
      ratio(
        measure(world, 'events', { ...day, keep: isRed, eventNames: ['open'] }),
        measure(world, 'active_players', { ...day, keep: isRed }),
      ),
    );
    expect(valuesOf(seriesOf(data)[0]?.points)).toEqual(wanted);
    expect(data).toMatchObject({ metric: 'events', title: 'Events per active player', unit: 'number' });
  });

  it('is one divided by another, by a field that both have, the largest denominators first', async () => {
    const formula = {
      numerator: { metric: 'revenue', where: [{ field: 'product_id', is: 'gems' }] },
      denominator: { metric: 'active_players' },
    };
    const data = await ask({ kind: 'breakdown', formula, by: 'platform', limit: 2 });
    const of = (key: string) => {
      const keep = (row: Row): boolean => keyOf(row, 'platform') === key;
      const gems = (row: Row): boolean => keep(row) && row.values['product_id'] === 'gems';
      const players = measure(world, 'active_players', { ...whole, keep }) ?? 0;
      return { key, players, value: rounded(ratio(measure(world, 'revenue', { ...whole, keep: gems }), players)) };
    };
    const wanted = ['', 'ios', 'android']
      .map(of)
      .toSorted((one, other) => other.players - one.players || (one.key < other.key ? -1 : 1));
    expect(rowsIn(data).map(({ key, value }) => ({ key, value: rounded(value) }))).toEqual(
      wanted.slice(0, 2).map(({ key, value }) => ({ key, value })),
    );
    expect(data).toMatchObject({ metric: 'formula', title: 'Revenue / Active players', unit: 'money', total: null });
  });

  it.each([50, 90, 95, 99] as const)('is the percentile %d of a property', async (percentile) => {
    const body = { kind: 'trend', interval: 'week', metric: 'percentile', property: 'score', percentile };
    const wanted = days
      .filter((_, n) => n % 7 === 0)
      .map((day) => rounded(measure(world, 'percentile', { fromDay: day, toDay: day + 7, percentile })));
    expect(valuesOf(seriesOf(await ask(body))[0]?.points)).toEqual(wanted);
  });

  it('stands beside that of the period before', async () => {
    const later = { from: timeOf(FROM + 28), to: timeOf(FROM + 38) };
    for (const metric of ['active_players', 'mau', 'arpdau'] as const) {
      const [series] = seriesOf(await ask({ kind: 'trend', metric, compare: 'previous_period', ...later }));
      const figures = byDay((asked) => figure(world, metric, asked));
      expect(valuesOf(series?.points), metric).toEqual(figures.slice(28, 38));
      expect(valuesOf(series?.previous ?? []), metric).toEqual(figures.slice(18, 28));
      expect(series?.previous?.map(({ at }) => at)).toEqual(days.slice(18, 28).map(timeOf));
    }
    const ofMonth = { from: timeOf(TODAY - 1), to: timeOf(TODAY), interval: 'month', compare: 'previous_period' };
    const [month] = seriesOf(await ask({ kind: 'trend', ...ofMonth }));
    expect(month?.previous).toHaveLength(1);
    expect(Date.parse(month?.previous?.[0]?.at ?? '')).toBeLessThan(Date.parse(month?.points[0]?.at ?? ''));
  });

  it('is of what happened before the end of a range that is cut', async () => {
    const [from, to] = [(FROM + 30) * DAY_MS, (FROM + 30.5) * DAY_MS];
    const cut = { from: new Date(from).toISOString(), to: new Date(to).toISOString(), cut: true };
    const before = (row: Row): boolean => row.at < to;
    const day = { fromDay: FROM + 30, toDay: FROM + 31 };
    for (const metric of ['active_players', 'new_players', 'sessions', 'revenue', 'payers'] as const) {
      const [series] = seriesOf(await ask({ kind: 'trend', metric, ...cut }));
      const wanted = rounded(measure(world, metric, { ...day, keep: before }));
      expect([metric, ...valuesOf(series?.points)]).toEqual([metric, wanted]);
    }
    expect(measure(world, 'active_players', { ...day, keep: before })).toBeLessThan(
      measure(world, 'active_players', day) ?? 0,
    );
  });

  it('shows the series of the largest values, each split by attribute and segment, too', async () => {
    for (const by of ['attribute:clan', 'segment:whales', 'country']) {
      const data = await ask({ kind: 'trend', metric: 'active_players', by, limit: 2 });
      for (const series of seriesOf(data)) {
        const keep = (row: Row): boolean => keyOf(row, by) === series.key;
        expect(valuesOf(series.points), `${by} ${series.key}`).toEqual(
          byDay((asked) => measure(world, 'active_players', { ...asked, keep })),
        );
      }
    }
  });
});

/** Columns of daily views, and the metric that each shows. */
const VIEWS: Readonly<Record<string, Readonly<Record<string, MetricName>>>> = {
  kpis_daily: {
    dau: 'active_players',
    wau: 'wau',
    mau: 'mau',
    stickiness: 'stickiness',
    new_players: 'new_players',
    returning_players: 'returning_players',
    payers: 'payers',
    first_time_payers: 'first_time_payers',
    payer_share: 'payer_share',
    conversion: 'conversion',
    revenue: 'revenue',
    gross_revenue: 'gross_revenue',
    refunds: 'refunds',
    purchases: 'purchases',
    arpdau: 'arpdau',
    arppu: 'arppu',
    sessions: 'sessions',
    sessions_per_player: 'sessions_per_player',
    playtime_seconds: 'playtime_seconds',
    playtime_per_player: 'playtime_per_player',
    events: 'events',
  },
  sessions_daily: { sessions: 'sessions', playtime_seconds: 'playtime_seconds' },
  purchases_daily: {
    purchases: 'purchases',
    payers: 'payers',
    revenue: 'revenue',
    gross_revenue: 'gross_revenue',
    refunds: 'refunds',
  },
};

describe.each(Object.entries(VIEWS))('the view %s', (view, columns) => {
  it.each(Object.entries(columns))('has in %s the metric %s', async (column, metric) => {
    const rows = await rowsOf<{ day: string; value: number | null }>(
      clickhouse,
      `SELECT toString(day) AS day, toFloat64(${column}) AS value FROM ${view} WHERE game_id = 'demo' ORDER BY day`,
    );
    const found = new Map(rows.map(({ day, value }) => [day, value]));
    const { nullWithout } = isRatio(metric) ? RATIOS[metric] : measureOf(metric);
    const empty = nullWithout === undefined ? 0 : null;
    const wanted = byDay((asked) => figure(world, metric, asked));
    // A view has no row of a day on which nobody was active and nothing was refunded. It rounds to four decimals.
    const isShown = byDay(
      (asked) => (measure(world, 'active_players', asked) ?? 0) + (measure(world, 'refunds', asked) ?? 0),
    );
    const digits = column === 'playtime_per_player' ? 1 : 4;
    for (const [n, day] of days.entries()) {
      const value = isShown[n] === 0 ? empty : (wanted[n] ?? null);
      const near = value === null ? null : expect.closeTo(value, digits - 0.01);
      expect(found.get(dayText(day)) ?? empty, dayText(day)).toEqual(near);
    }
  });
});

describe('a query to copy of docs/analytics.md', () => {
  const blocks = blocksOf('docs/analytics.md').filter(({ info }) => info === 'sql');
  it.each([
    ['players, toString(d1) AS d1', 'retention_by_cohort', 'cohort_day', 'AS d1'],
    ['dau, 0 AS d1', 'kpis_daily', 'day', 'AS dau'],
  ])('has the figures %s of the view %s in every day', async (columns, view, day, says) => {
    const block = blocks.find(({ text }) => text.includes(says));
    const read = (from: string) =>
      rowsOf<object>(clickhouse, `SELECT toString(${day}) AS at, ${columns} FROM ${from} ORDER BY at`);
    const copied = await read(`(${block?.text ?? ''})`);
    const shown = await read(`${view} WHERE game_id = 'demo'`);
    expect(copied.length).toBeGreaterThan(10);
    expect(shown.slice(-copied.length)).toEqual(copied);
    if (view === 'retention_by_cohort') expect(shown).toHaveLength(copied.length);
  });
});
