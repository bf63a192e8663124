import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import {
  exceededBound,
  type QuestionResult,
  readableSql,
} from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { createRowBatch } from '../../../clickhouse-schema/rows/row-batch.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { ANALYTICS_LIMITS } from '../../../src/api/analytics/limits.ts';
import { QUESTION_LIMITS } from '../../../clickhouse-schema/queries/questions/limits.ts';
import { createClickhouseTarget } from '../../../streams/sinks/clickhouse/block-target.ts';
import { aCommit, aTrackedEvent } from '../../../streams/sinks/testing-commits.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { until } from '../../support/until.ts';
import { startOfToday } from '../../support/whole-day.ts';
import { breakdownOf, madeEvents, pathsOf, trendOf, type MadeEvent } from './made-answers.ts';

/* POST /v1/analytics/queries on the real engine, compared with a calculation of its own over the same events. */

const PATH = '/v1/analytics/queries';
const DAY_MS = 86_400_000;
const TODAY_MS = await startOfToday();
const FROM_MS = TODAY_MS - 10 * DAY_MS;
const range = { from: new Date(FROM_MS).toISOString(), to: new Date(TODAY_MS - 2 * DAY_MS).toISOString() };
const HOSTILE = [
  `') OR 1=1 --`,
  `\\'; DROP TABLE events; --`,
  '{p0:String}',
  'ünïcödé 🎮',
  '\u202egnp',
  'tab\tline\n%s',
  '\\N',
];

const LONG = { game: 'other', environment: 'test' } as const;

/** A save game that a client sends as a property: as a text and as an object. */
const longProperties = (n: number) => {
  const text = `${'ü'.repeat(20_000)}${n}`;
  return JSON.stringify({ text, saved: { text } });
};

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
let key: string;
let events: MadeEvent[];

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  key = await gateway.key();
  events = madeEvents({ fromMs: FROM_MS, toMs: TODAY_MS, names: ['open', 'view', 'buy', ...HOSTILE], seed: 7 });
  const facts = events.map((event, n) => aTrackedEvent({ ...event, eventId: `e${n}`, ...clocksOf(n, event.at) }));
  const others = [
    aTrackedEvent({ game: 'other', at: FROM_MS + 1, timestamp: FROM_MS + 1 }),
    aTrackedEvent({ environment: 'test', at: FROM_MS + 1, timestamp: FROM_MS + 1 }),
    ...[1, 2].map((n) =>
      aTrackedEvent({ ...LONG, at: FROM_MS + 1, timestamp: FROM_MS + 1, properties: longProperties(n) }),
    ),
  ];
  await write([...facts, ...others]);
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

/** Receipt and device's time of an event that counts at `at`: in time, late, and by clocks that are wrong. */
function clocksOf(n: number, at: number): { at: number; timestamp: number } {
  const lateMs = [0, 3_600_000, 3 * DAY_MS, 7 * DAY_MS - 1][n % 6];
  if (lateMs !== undefined) return { at: at + lateMs, timestamp: at };
  return { at, timestamp: n % 6 === 4 ? at + 1 : at - 7 * DAY_MS };
}

async function write(facts: Fact[]): Promise<void> {
  const target = createClickhouseTarget(clickhouse.address);
  const batch = createRowBatch();
  batch.add(aCommit(facts), { stream: '2026-01-01T00:00:00Z', sequence: 1 });
  for (const [n, { table, bytes }] of batch.blocks().entries()) {
    expect(await target.insert(table, bytes, `${table}/${n}`)).toEqual({ kind: 'inserted' });
  }
  await target.close();
}

async function ask(body: object, asKey = key, of = gateway) {
  const response = await of.call(asKey, 'POST', PATH, body);
  return { status: response.status, ...(await bodyOf(response)) };
}

async function textOf(body: object, asKey: string) {
  const response = await gateway.call(asKey, 'POST', PATH, body);
  return { status: response.status, text: await response.text() };
}

/** Events that the range selects, in the order of the log. */
const inRange = () => within({ from: range.from, to: range.to });

/** Events of the range that an answer says it has. */
const within = ({ from, to }: Record<string, unknown>) =>
  events.filter(({ at }) => at >= Date.parse(String(from)) && at < Date.parse(String(to)));

describe('an answer', () => {
  it.each(['hour', 'day', 'week', 'month'] as const)('is the trend of events and players by %s', async (interval) => {
    for (const metric of ['events', 'players'] as const) {
      const { data } = await ask({ kind: 'trend', metric, interval, event_names: ['open', HOSTILE[0]], ...range });
      const [from, to] = [Date.parse(String(data['from'])), Date.parse(String(data['to']))];
      expect([from <= FROM_MS, to >= TODAY_MS - 2 * DAY_MS]).toEqual([true, true]);
      const wanted = within(data).filter(({ eventName }) => eventName === 'open' || eventName === HOSTILE[0]);
      const [series] = seriesOf(data);
      expect(series?.points.filter(({ value }) => value > 0)).toEqual(trendOf(wanted, metric, interval));
    }
  });

  it('counts players in sets as in groups', async () => {
    const scope = { game: 'demo', environment: 'live', zone: 'UTC', fromMs: FROM_MS, toMs: TODAY_MS, limit: 5 };
    const figure = { metric: 'players', title: 'Players', unit: 'count', nullWithout: undefined } as const;
    const parts = [{ measure: 'players', eventNames: [], where: [] }] as const;
    const question = { ...scope, kind: 'trend', figure, parts, interval: 'week' } as const;
    const rows = await rowsOf<object>(clickhouse, readableSql(question));
    expect(rows.length).toBeGreaterThan(1);
    expect(await rowsOf(clickhouse, readableSql({ ...question, spills: true }))).toEqual(rows);
  });

  it('has a point for each interval that has begun, and says which one is not over', async () => {
    const { data } = await ask({ kind: 'trend', event_names: ['nothing has this name'] });
    const [series] = seriesOf(data);
    expect(series?.points.map(({ value }) => value)).toEqual(Array.from({ length: 31 }, () => 0));
    expect(data['partial_from']).toBe(new Date(TODAY_MS).toISOString());
    expect((await ask({ kind: 'trend', ...range })).data['partial_from']).toBeNull();
  });

  it.each(['event_name', 'country', 'is_payer', 'property:mode', 'property:deep.level'])(
    'is the breakdown by %s, with all values counted',
    async (by) => {
      const { data } = await ask({ kind: 'breakdown', by, metric: 'players', limit: 3, ...range });
      const wanted = breakdownOf(inRange(), by);
      expect(data['rows']).toEqual(wanted.slice(0, 3));
      expect(data['keys']).toBe(wanted.length);
      expect(data['total']).toBe(wanted.reduce((sum, { value }) => sum + value, 0));
    },
  );

  it('adds up numbers of a property, and shows the series of the largest values', async () => {
    const body = { kind: 'trend', metric: 'sum', property: 'deep.level', by: 'country', interval: 'month', limit: 2 };
    const { data } = await ask({ ...body, ...range });
    const totals = Map.groupBy(within(data), ({ country }) => country);
    const sums = [...totals].map(([country, found]) => ({
      key: country,
      total: found.reduce((sum, { level }) => sum + level, 0),
    }));
    sums.sort((one, other) => other.total - one.total);
    const shown = seriesOf(data).map((one) => ({
      key: one.key,
      total: one.points.reduce((sum, { value }) => sum + value, 0),
    }));
    expect(shown).toEqual(sums.slice(0, 2));
  });

  it('takes every value as a plain value, whatever it contains', async () => {
    for (const value of HOSTILE) {
      const { data } = await ask({ kind: 'trend', interval: 'month', event_names: [value], ...range });
      const count = seriesOf(data)[0]?.points.reduce((sum, point) => sum + point.value, 0);
      expect(count, value).toBe(within(data).filter(({ eventName }) => eventName === value).length);
      const where = [{ field: 'property:mode', in: [value] }];
      const filtered = await ask({ kind: 'breakdown', by: 'property:mode', where, ...range });
      expect(filtered.data['keys'], value).toBe(inRange().some(({ mode }) => mode === value) ? 1 : 0);
    }
  });

  it.each(['forward', 'backward'] as const)('has the two steps beside an event, %s', async (direction) => {
    const body = { kind: 'paths', event_name: 'open', direction, within_seconds: 7_200, limit: 500 };
    const { data } = await ask({ ...body, ...range });
    const wanted = pathsOf(inRange(), 'open', 7_200, direction);
    expect(data['paths']).toEqual(wanted);
    expect(data['total']).toBe(wanted.reduce((sum, { times }) => sum + times, 0));
  });

  it('shows who came back, and null for days that are not over', async () => {
    const days = [FROM_MS, TODAY_MS - DAY_MS].flatMap((cohort) =>
      [0, 1].map((later) => [cohort, cohort + later * DAY_MS]),
    );
    const values = days.map(([cohort = 0, day = 0], n) => {
      const text = (ms: number) => new Date(ms).toISOString().slice(0, 10);
      const player = `00000000-0000-4000-8000-00000000000${n < 2 ? 1 : 2}`;
      return `('demo', 'live', '${player}', '${text(day)}', '${text(cohort)}', '${text(cohort)}', 'DE', 1)`;
    });
    const columns = 'game_id, environment, player_id, day, cohort_day, first_day, cohort_country, version';
    const insert = await runSql(clickhouse, `INSERT INTO player_days (${columns}) VALUES ${values.join(',')}`);
    expect(insert.status, insert.text).toBe(200);
    const { data } = await ask({ kind: 'retention', days: [1, 0, 7], by: 'country' });
    const cohort = (ms: number, rates: readonly (number | null)[]) => ({
      key: 'DE',
      day: new Date(ms).toISOString().slice(0, 10),
      players: 1,
      retained: [1, 0, 7].map((after, place) => ({ after, players: rates[place], rate: rates[place] })),
    });
    expect(data['cohorts']).toEqual([cohort(FROM_MS, [1, 1, 0]), cohort(TODAY_MS - DAY_MS, [null, 1, null])]);
  });

  it.each(['property:text', 'property:saved'])('shows the beginning of long values of %s, once', async (by) => {
    const long = await gateway.key(LONG);
    const body = { by, ...range };
    for (const kind of ['trend', 'breakdown']) {
      const { text } = await textOf({ kind, ...body }, long);
      expect(text.length, kind).toBeLessThan(QUESTION_LIMITS.questionValueLength + 20_000);
    }
    const { data } = await ask({ kind: 'breakdown', ...body }, long);
    const [row] = listOf(data['rows']);
    expect(row).toMatchObject({ value: 2 });
    expect(String(row?.['key'])).toHaveLength(QUESTION_LIMITS.questionValueLength);
    const where = [{ field: by, in: [row?.['key']] }];
    const found = await ask({ kind: 'breakdown', by: 'event_name', where, ...range }, long);
    expect(found.data['total']).toBe(2);
  });

  it('comes for every range of times', async () => {
    for (const [from, to] of [
      ['1970-01-01', '1970-01-02'],
      ['2149-06-05', '2149-06-08'],
      ['2298-01-01', '2299-12-31'],
    ]) {
      for (const body of [
        { kind: 'trend', interval: 'month' },
        { kind: 'retention', by: 'country', days: [0, 365] },
        { kind: 'retention', by: 'country', method: 'rolling', interval: 'month', first_event: { event_name: 'open' } },
        { kind: 'retention', interval: 'week', periods: [52], return_event: { event_name: 'open' } },
        { kind: 'funnel', steps: [{ event_name: 'open' }, { event_name: 'buy' }], window_seconds: 90 * 86_400 },
        { kind: 'paths', event_name: 'open' },
      ]) {
        const { status, data } = await ask({ ...body, from, to });
        expect([status, data['cohorts'] ?? []], `${body.kind} from ${from}`).toEqual([200, []]);
      }
    }
  });

  it("holds only what belongs to the key's game and environment", async () => {
    const other = await gateway.key({ game: 'other' });
    const test = await gateway.key({ environment: 'test' });
    for (const asKey of [other, test]) {
      const { data } = await ask({ kind: 'breakdown', by: 'event_name', ...range }, asKey);
      expect(data['rows']).toEqual([{ key: 'level_up', value: 1 }]);
    }
  });
});

describe('a query', () => {
  it.each([
    [{ kind: 'sql' }, 'kind'],
    [{ kind: 'breakdown' }, 'by'],
    [{ kind: 'breakdown', by: 'country) FROM system.users --' }, 'by'],
    [{ kind: 'breakdown', by: 'email' }, 'by'],
    [{ kind: 'breakdown', metric: 'revenue', by: 'event_name' }, 'by'],
    [{ kind: 'breakdown', by: `property:${'a.'.repeat(17)}a` }, 'by'],
    [{ kind: 'trend', metric: 'sum' }, 'property'],
    [{ kind: 'trend', property: 'level' }, 'property'],
    [{ kind: 'trend', metric: 'sessions', event_names: ['open'] }, 'event_names'],
    [{ kind: 'trend', steps: [{ event_name: 'a' }, { event_name: 'b' }] }, 'steps'],
    [{ kind: 'trend', interval: 'hour', from: '2025-01-01', to: '2026-01-01' }, 'interval'],
    [{ kind: 'trend', from: '1970-01-01', to: '2100-01-01' }, 'from'],
    [{ kind: 'trend', from: '2026-01-02', to: '2026-01-01' }, 'from'],
    [{ kind: 'trend', limit: 21, by: 'country' }, 'limit'],
    [{ kind: 'trend', metric: 'mau', interval: 'week' }, 'interval'],
    [{ kind: 'trend', metric: 'arpdau', interval: 'hour' }, 'interval'],
    [{ kind: 'breakdown', metric: 'stickiness', by: 'attribute:clan' }, 'metric'],
    [{ kind: 'trend', metric: 'mau', by: 'platform' }, 'by'],
    [{ kind: 'trend', metric: 'stickiness', where: [{ field: 'country', is: 'DE' }] }, 'where'],
    [{ kind: 'trend', metric: 'average' }, 'property'],
    [{ kind: 'trend', metric: 'average', property: 'a', percentile: 90 }, 'percentile'],
    [{ kind: 'trend', metric: 'percentile', property: 'a', percentile: 91 }, 'percentile'],
    [{ kind: 'trend', metric: 'arppu', per_player: true }, 'per_player'],
    [{ kind: 'trend', metric: 'arppu', event_names: ['a'] }, 'event_names'],
    [{ kind: 'trend', metric: 'active_players', per_player: true }, 'per_player'],
    [{ kind: 'trend', metric: 'revenue', formula: { numerator: { metric: 'a' } } }, 'formula'],
    [{ kind: 'trend', metric: 'revenue', formula: formulaOf('revenue', 'payers') }, 'metric'],
    [{ kind: 'trend', formula: formulaOf('revenue', 'arppu') }, 'formula'],
    [{ kind: 'trend', formula: formulaOf('sum', 'payers') }, 'formula/numerator/property'],
    [{ kind: 'trend', formula: formulaOf('revenue', 'payers'), by: 'event_name' }, 'by'],
    [{ kind: 'breakdown', by: 'country', compare: 'previous_period' }, 'compare'],
    [{ kind: 'trend', compare: 'previous_period', interval: 'hour', from: '2026-01-01', to: '2026-01-23' }, 'interval'],
    [{ kind: 'trend', metric: 'conversion', cut: true }, 'cut'],
    [{ kind: 'trend', metric: 'mau', cut: true }, 'cut'],
    [{ kind: 'trend', where: [{ field: 'country' }] }, 'where'],
    [{ kind: 'trend', where: [{ field: 'country', gt: 5 }] }, 'where/0/gt'],
    [{ kind: 'trend', where: [{ field: 'country', is: 5 }] }, 'where/0/is'],
    [{ kind: 'trend', where: [{ field: 'property:a', gt: '5' }] }, 'where/0/gt'],
    [{ kind: 'trend', where: [{ field: 'property:a', is: '' }] }, 'where/0/is'],
    [{ kind: 'trend', where: [{ field: 'property:a', is_set: false }] }, 'where/0/is_set'],
    [{ kind: 'trend', where: [{ field: 'property:a', like: 'b' }] }, 'where/0/like'],
    [{ kind: 'trend', where: [{ field: 'segment:', is: true }] }, 'where/0/field'],
    [{ kind: 'funnel', steps: [{ event_name: 'a' }] }, 'steps'],
    [{ kind: 'funnel', steps: Array.from({ length: 11 }, () => ({ event_name: 'a' })) }, 'steps'],
    [{ kind: 'funnel', steps: [{ event_name: 'a' }, { event_name: 'b' }], window_seconds: 1e9 }, 'window_seconds'],
    [{ kind: 'retention', by: 'email' }, 'by'],
    [{ kind: 'retention', interval: 'hour' }, 'interval'],
    [{ kind: 'retention', interval: 'week', days: [1] }, 'days'],
    [{ kind: 'retention', periods: [1] }, 'periods'],
    [{ kind: 'retention', interval: 'week', periods: [1, 1] }, 'periods'],
    [{ kind: 'retention', interval: 'week', periods: [53] }, 'periods'],
    [{ kind: 'retention', method: 'unbounded' }, 'method'],
    [
      { kind: 'retention', first_event: { event_name: 'a', where: [{ field: 'email', is: 'b' }] } },
      'first_event/where',
    ],
    [{ kind: 'ltv', return_event: { event_name: 'a' } }, 'return_event'],
    [{ kind: 'paths' }, 'event_name'],
    [{ kind: 'paths', event_name: 'a', query: 'SELECT 1' }, 'query'],
  ])('is refused if it cannot be answered: %j', async (body, field) => {
    const { status, error } = await ask(body);
    expect([status, error?.code]).toEqual([400, 'VALIDATION_ERROR']);
    expect(JSON.stringify(error?.details)).toContain(field);
  });

  it('of sessions and purchases is answered', async () => {
    for (const metric of ['sessions', 'playtime_seconds', 'purchases', 'payers', 'revenue']) {
      const { data } = await ask({ kind: 'trend', metric, interval: 'month', ...range });
      expect(seriesOf(data)[0]?.points.every(({ value }) => value === 0)).toBe(true);
    }
    for (const [metric, by] of [
      ['sessions', 'platform'],
      ['revenue', 'product_id'],
    ] as const) {
      expect((await ask({ kind: 'breakdown', metric, by })).data['rows']).toEqual([]);
    }
  });

  it('is for server keys only', async () => {
    expect((await ask({ kind: 'trend' }, await gateway.key({ kind: 'client' }))).status).toBe(403);
  });

  it('gets 422 beyond its bounds, which the engine reports with these codes', async () => {
    const codeOf = async (settings: string) => {
      const { text } = await runSql(clickhouse, `SELECT count() FROM numbers(1e9) SETTINGS ${settings}`);
      const code = Number(/Code: (\d+)/.exec(text)?.[1]);
      return exceededBound(code, text);
    };
    expect(await codeOf('max_rows_to_read = 1000')).toBe('rows');
    expect(await codeOf('max_execution_time = 0.01')).toBe('time');
    expect(await codeOf('max_memory_usage = 1')).toBe('memory');
    expect(exceededBound(241, 'Memory limit (total) exceeded: (total) memory')).toBeUndefined();
    const large = await startGateway({
      analytics: { ...analytics, ask: async () => ({ kind: 'too_large', bound: 'rows' }) },
    });
    const { status, error } = await ask({ kind: 'trend' }, await large.key(), large);
    await large.close();
    expect([status, error?.code, error?.details]).toEqual([422, 'QUERY_TOO_LARGE', { bound: 'rows' }]);
  });

  it('gets 503 while ClickHouse is away, and asks at most so many at once for a game', async () => {
    let give: (result: QuestionResult) => void = () => {};
    let asked = 0;
    const slow = await startGateway({
      analytics: {
        ...analytics,
        ask: () => {
          asked += 1;
          return new Promise((resolve) => {
            give = resolve;
          });
        },
      },
    });
    const ofDemo = await slow.key();
    // A caller who gives up and asks again adds no statement.
    const controller = new AbortController();
    const headers = { 'X-API-Key': ofDemo, 'Content-Type': 'application/json' };
    const request = { method: 'POST', headers, body: '{"kind":"trend"}' };
    const given = fetch(slow.url + PATH, { ...request, signal: controller.signal });
    await until('it is asked', () => asked === 1);
    controller.abort();
    await expect(given).rejects.toThrow();
    const again = ask({ kind: 'trend' }, ofDemo, slow);
    const first = give;
    const others = Array.from({ length: ANALYTICS_LIMITS.questionsOfGame }, (_, n) =>
      ask({ kind: 'trend', event_names: [`${n}`] }, ofDemo, slow),
    );
    const refused = await Promise.race(others);
    expect([refused.status, refused.error?.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(asked).toBe(ANALYTICS_LIMITS.questionsOfGame);
    first({ kind: 'unavailable' });
    const { status, error } = await again;
    expect([status, error?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    await slow.close();
  });
});

function formulaOf(numerator: string, denominator: string) {
  return { numerator: { metric: numerator }, denominator: { metric: denominator } };
}

function listOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value : [];
}

interface Series {
  key: string | null;
  points: { at: string; value: number }[];
}

function seriesOf(data: Record<string, unknown>): Series[] {
  const { series } = data;
  return Array.isArray(series) ? series : [];
}
