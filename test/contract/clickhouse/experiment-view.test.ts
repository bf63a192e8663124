import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import type { MeasuredGroup } from '../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import type { Metric } from '../../../clickhouse-schema/queries/experiments/metric.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { PLAYER_MEASURES, VIEW_METRICS } from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import { namesOf } from '../../../core/vocabulary/metrics/metrics.ts';
import { seededRandom } from '../../../src/analysis/testing-samples.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { insertRows, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/*
 * The view `experiment_readout` and the statement of the API, on one flag whose own rules draw by guild, with two
 * experiments beside them: one of two phases by player, and one by guild.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 10);
const UNTIL = START + 20 * DAY_MS;
const SCOPE = { game: 'demo', environment: 'live', zone: 'UTC' } as const;
const KEYED = 2 ** 31;

const random = seededRandom(31);
const between = (from: number, to: number): number => Math.floor(from + random() * (to - from));
const pick = (): string => 'abc'.charAt(between(0, 3));
/** Guilds of 1 to 9. */
const guildOf = (n: number): number => 2 + Math.floor(n / 45) * 9 + Math.floor((Math.sqrt(1 + 8 * (n % 45)) - 1) / 2);
const PLAYERS = Array.from({ length: 540 }, (_, n) => ({
  id: `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`,
  at: between(START, START + 8 * DAY_MS),
  guild: guildOf(n),
  events: Array.from({ length: between(0, 6) }, () => ({
    at: between(START - 5 * DAY_MS, UNTIL),
    amount: between(1, 50),
  })),
}));

const DRAWS = [
  { experiment: '', period: 1, isKeyed: true },
  { experiment: 'wide', period: 1, isKeyed: false },
  { experiment: 'wide', period: 2, isKeyed: false },
  { experiment: 'guilds', period: 1, isKeyed: true },
] as const;

let clickhouse: TestClickhouse;
let analytics: Analytics;

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(clickhouse, table, rows);

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  let sequence = 0;
  const origin = (at: number) => ({ received_at: at, facts_sequence: (sequence += 1) });
  const variants = new Map<string, string>();
  const exposures = DRAWS.flatMap(({ experiment, period, isKeyed }) =>
    PLAYERS.flatMap(({ id, at, guild }, n) => {
      // A sixth is in each, so that no draw has the same players; some of a phase were in the one before.
      if ((n + period + experiment.length) % 6 === 0 || (experiment === 'wide' && n % 2 === period % 2 && n % 7 > 0))
        return [];
      const key = isKeyed ? `${experiment} ${guild}` : `${experiment} ${period} ${id}`;
      const variant = variants.get(key) ?? pick();
      variants.set(key, variant);
      const drawn = {
        stratum: (isKeyed ? KEYED : 0) + 10_000 + period,
        cluster: isKeyed ? guild : 0,
        attribution: 'served',
      };
      const which = { flag_key: 'shop', flag_version: 3, experiment, period, variant_key: variant, value: '"x"' };
      const one = { ...which, ...drawn, reason: 'percentage_rollout', player_id: id, ...origin(at + period * DAY_MS) };
      // Some met a second variant.
      return n % 40 === 1 ? [one, { ...one, variant_key: 'a', ...origin(at + 10 * DAY_MS) }] : [one];
    }),
  );
  await insert('flag_exposures', exposures);
  await insert('flag_mixed_players', [
    { flag_key: 'shop', flag_version: 3, experiment: 'wide', period: 2, player_id: PLAYERS[3]?.id, ...origin(START) },
    { flag_key: 'shop', flag_version: 3, experiment: '', period: 1, player_id: PLAYERS[8]?.id, ...origin(START) },
    { flag_key: 'shop', flag_version: 3, experiment: 'guilds', period: 1, player_id: PLAYERS[8]?.id, ...origin(START) },
  ]);
  const made = PLAYERS.flatMap(({ id, events }) => events.map((event) => ({ player_id: id, ...event })));
  await insert(
    'events',
    made.map(({ player_id, at, amount }, n) => {
      const what = {
        event_id: `e-${n}`,
        event_name: 'win:big',
        properties: JSON.stringify({ cost: { gold: amount } }),
      };
      return { ...what, player_id, timestamp: at, ...origin(at) };
    }),
  );
  const bought = { counts: 1, kind: 'purchase', product_id: 'gems', currency: 'EUR', recorded_by: 'server' };
  const some = made.filter((_, n) => n % 2 === 0);
  await insert(
    'purchases',
    some.map(({ player_id, at, amount }, n) => ({
      ...bought,
      player_id,
      amount,
      transaction_id: `t-${n}`,
      ...origin(at),
    })),
  );
  await insert(
    'sessions',
    some.map(({ player_id, at }, n) => {
      const span = { start_time: at, end_time: at + 60_000, happened_at: at, duration_seconds: 60 };
      return { player_id, session_id: `s-${n}`, ...span, ...origin(at + 60_000) };
    }),
  );
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});

const METRICS: readonly (readonly [text: string, metric: Metric])[] = [
  ['conversion:win:big', { metric: 'win:big', aggregate: { kind: 'conversion' } }],
  ['count:win:big', { metric: 'win:big', aggregate: { kind: 'count' } }],
  ['sum:cost.gold:win:big', { metric: 'win:big', aggregate: { kind: 'sum', property: 'cost.gold' } }],
  ...namesOf(PLAYER_MEASURES).map((kind) => [kind, { metric: '', aggregate: { kind } }] as const),
];

const timeText = (ms: number): string => new Date(ms).toISOString().slice(0, -1).replace('T', ' ');
type Row = Record<string, number | string>;

/** The rows of the view by metric, each in the order of the variants. */
async function inView(experiment: string, period: number): Promise<Map<string, Row[]>> {
  const rows = await rowsOf<Row>(
    clickhouse,
    `SELECT * FROM experiment_readout(game = 'demo', flag = 'shop', experiment = '${experiment}', period = ${period},
      since = '${timeText(START - DAY_MS)}', until = '${timeText(UNTIL)}', variants = ['a', 'b', 'c'],
      metrics = [${METRICS.map(([text]) => `'${text}'`).join(', ')}], window_days = 7, covariate_days = 14)`,
  );
  const sorted = rows.toSorted((one, other) => (String(one['variant_key']) < String(other['variant_key']) ? -1 : 1));
  return Map.groupBy(sorted, (row) => String(row['metric']));
}

const nine = (value: number): number => Number(value.toPrecision(9));
const at = (row: Row, name: string): number => Number(row[name]);

async function measured(experiment: string, period: number, metrics: readonly Metric[]): Promise<MeasuredGroup[]> {
  const result = await analytics.experimentReadout({
    ...SCOPE,
    metrics,
    by: undefined,
    groups: 1,
    flagKey: 'shop',
    ...(experiment === '' ? {} : { phaseOf: { experiment, phase: period } }),
    fromVersion: 1,
    beforeVersion: 9,
    variants: ['a', 'b', 'c'],
    windowDays: 7,
    sinceMs: START - DAY_MS,
    untilMs: UNTIL,
    earlierSinceMs: START - 9 * DAY_MS,
  });
  if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  return result.value.groups.toSorted((one, other) => (one.variant < other.variant ? -1 : 1));
}

it('covers every metric of the view', () => {
  expect(METRICS.map(([text]) => text.split(':')[0])).toEqual(VIEW_METRICS);
});

describe.each(DRAWS)('of the draw $experiment $period', ({ experiment, period, isKeyed }) => {
  it('has the figures of the API', async () => {
    const view = await inView(experiment, period);
    const all = await measured(
      experiment,
      period,
      METRICS.map(([, metric]) => metric),
    );
    const groups = all.filter(({ excluded }) => !excluded);
    expect(groups).toHaveLength(3);
    const players = (one: readonly { players: number }[]): number => one.reduce((sum, { players: n }) => sum + n, 0);
    const left = players(all.filter(({ excluded }) => excluded));
    expect(left).toBeGreaterThan(0);
    for (const [place, [text]] of METRICS.entries()) {
      const rows = view.get(text) ?? [];
      const counted = groups.flatMap(({ metrics, ...of }) => {
        const own = metrics[place];
        return own === undefined ? [] : [{ ...of, ...own }];
      });
      expect(
        rows.map((row) => ({
          variant: row['variant_key'],
          stratum: at(row, 'stratum'),
          players: at(row, 'players'),
          conversions: at(row, 'conversions'),
          clusters: at(row, 'clusters'),
          effective: nine(at(row, 'players') ** 2 / at(row, 'cluster_sizes_squared')),
          converted: at(row, 'converted_clusters'),
          sum: nine(at(row, 'sum')),
          mean: nine(at(row, 'sum') / at(row, 'players')),
          ...Object.fromEntries(['variance', 'skewness', 'kurtosis'].map((name) => [name, nine(at(row, name))])),
        })),
        text,
      ).toEqual(
        counted.map(
          ({ variant, stratum, players, conversions, clusters, sum, mean, variance, skewness, kurtosis }) => ({
            variant,
            stratum,
            players,
            conversions,
            clusters: clusters.count,
            effective: nine(clusters.effective),
            converted: clusters.converted,
            sum: nine(sum),
            mean: nine(mean),
            variance: nine(variance),
            skewness: nine(skewness),
            kurtosis: nine(kurtosis),
          }),
        ),
      );
      expect(rows.every((row) => at(row, 'clusters') < at(row, 'players'))).toBe(isKeyed);
      const total = (name: string): number => rows.reduce((sum, row) => sum + at(row, name), 0);
      expect(total('excluded_players')).toBe(left);
      expect(total('left_out_earlier')).toBe(players(all.filter(({ earlier }) => earlier)));
      expect(total('arrived')).toBe(players(all.filter(({ arrived }) => arrived)));
      // Of players who were drawn alone, the plain sums say the variance too.
      for (const row of isKeyed ? [] : rows) {
        const [n, sum, squares] = [at(row, 'players'), at(row, 'sum'), at(row, 'sum_of_squares')];
        expect(at(row, 'variance')).toBeCloseTo((squares - sum ** 2 / n) / (n - 1), 6);
      }
    }
  });

  it('has what CUPED needs', async () => {
    const [, , chosen] = METRICS;
    if (chosen === undefined) throw new Error('it is there');
    const [text, metric] = chosen;
    const rows = (await inView(experiment, period)).get(text) ?? [];
    const all = await measured(experiment, period, [{ ...metric, cuped: true }]);
    const adjusted = all.flatMap(({ excluded, metrics: [own] }) => (excluded || own === undefined ? [] : [own]));
    expect(adjusted).toHaveLength(3);
    const within = (name: (row: Row) => number): number => rows.reduce((sum, row) => sum + name(row), 0);
    const spread = (product: string, one: string, other: string) => (row: Row) =>
      at(row, product) - (at(row, one) * at(row, other)) / at(row, 'players');
    const theta =
      within(spread('covariate_product_sum', 'covariate_sum', 'sum')) /
      within(spread('covariate_sum_of_squares', 'covariate_sum', 'covariate_sum'));
    for (const [place, { cuped, variance }] of adjusted.entries()) {
      const row = rows[place] ?? {};
      expect(theta).toBeCloseTo(cuped.theta, 8);
      const left = at(row, 'variance') - 2 * theta * at(row, 'covariance') + theta ** 2 * at(row, 'covariate_variance');
      expect(left / variance).toBeCloseTo(1, 8);
    }
  });
});
