import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { OF_CLUSTERS } from '../../../clickhouse-schema/queries/experiments/cluster-figures.ts';
import { experimentQuery, type ReadoutQuery } from '../../../clickhouse-schema/queries/experiments/experiment-query.ts';
import { type Readout, readFigures } from '../../../clickhouse-schema/queries/experiments/experiment-readout.ts';
import { OF_PLAYERS as OF_PLAYERS_ALONE } from '../../../clickhouse-schema/queries/experiments/player-figures.ts';
import type { RunQuery } from '../../../clickhouse-schema/queries/lookups/run-query.ts';
import type { Metric } from '../../../clickhouse-schema/queries/experiments/metric.ts';
import { dayIn } from '../../../core/kernel/zoned-days.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { EXPERIMENT_METRIC_NAMES } from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import { sampleOf as momentsOf, seededRandom } from '../../../src/analysis/testing-samples.ts';
import { type MetricSamples, metricSamples } from '../../../src/api/flags/results/variant-samples.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { insertRows, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Every metric of experiments, against a reading of its own of the same players. */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 20);
const WINDOW_DAYS = 7;
const COVARIATE_DAYS = 14;

interface Drawn {
  id: string;
  variant: string;
  at: number;
  events: { name: string; at: number; gold: number }[];
  purchases: { at: number; amount: number; refunded: number; isImported: boolean }[];
  sessions: { at: number }[];
  /** Days after the day of the exposure. */
  days: number[];
}

const random = seededRandom(30);
const times = (most: number): number[] => Array.from({ length: Math.floor(random() * (most + 1)) }, (_, n) => n);
const dayText = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Players of two variants of different sizes. What they do before and after the exposure is correlated. */
const PLAYERS: readonly Drawn[] = Array.from({ length: 400 }, (_, n) => {
  const at = START + Math.floor(random() * 4 * DAY_MS);
  const eager = random() * random();
  const around = (): number => at + Math.round((random() * 40 - 20) * DAY_MS);
  return {
    id: `00000000-0000-5000-8000-${String(n).padStart(12, '0')}`,
    variant: random() < 0.4 ? 'wide' : 'control',
    at,
    events: times(20 * eager).map(() => ({
      name: random() < 0.6 ? 'spend' : 'purchase',
      at: around(),
      gold: Math.floor(400 * eager * random()) / 8,
    })),
    purchases: times(12 * eager).map(() => {
      const amount = Math.floor(1 + 50 * random() * eager);
      const dice = random();
      const refunded = dice < 0.1 ? amount : dice < 0.2 ? 0.5 : 0;
      return { at: around(), amount, refunded, isImported: dice > 0.9 };
    }),
    sessions: times(9).map(() => ({ at: around() })),
    days: times(9),
  };
});

let clickhouse: TestClickhouse;
let analytics: Analytics;

beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const scope = { game_id: 'demo', environment: 'live' };
  let sequence = 0;
  const of = ({ id }: Drawn, ms: number) => ({
    ...scope,
    player_id: id,
    received_at: ms,
    facts_sequence: (sequence += 1),
  });
  const rows = {
    flag_exposures: PLAYERS.map((player) => ({
      ...of(player, player.at),
      flag_key: 'shop',
      flag_version: 1,
      period: 1,
      variant_key: player.variant,
      value: '"x"',
      reason: 'percentage_rollout',
      stratum: 10_000,
    })),
    events: PLAYERS.flatMap((player) => [
      ...player.events.map(({ name, at, gold }) => ({
        ...of(player, at),
        event_id: `e${sequence}`,
        event_name: name,
        source: 'caller',
        properties: JSON.stringify({ cost: { gold } }),
        timestamp: at,
      })),
      // The event of a recorded purchase counts no second time.
      ...player.purchases.map(({ at, amount }) => ({
        ...of(player, at),
        event_id: `e${sequence}`,
        event_name: 'purchase',
        source: 'service',
        properties: JSON.stringify({ amount }),
        timestamp: at,
      })),
    ]),
    purchases: PLAYERS.flatMap((player) =>
      player.purchases.flatMap(({ at, amount, refunded, isImported }) => {
        const transaction = { transaction_id: `t${sequence}`, recorded_by: isImported ? 'import' : 'server' };
        const paid = { ...of(player, at), ...transaction, amount, counts: 1 };
        const refund = {
          ...of(player, at + DAY_MS),
          ...transaction,
          amount: -refunded,
          counts: refunded === amount ? -1 : 0,
          kind: 'refund',
        };
        return refunded === 0 ? [paid] : [paid, refund];
      }),
    ),
    sessions: PLAYERS.flatMap((player) =>
      player.sessions.map(({ at }) => ({
        ...of(player, at + HOUR_MS),
        session_id: `s${sequence}`,
        start_time: at,
        duration_seconds: 60,
      })),
    ),
    player_days: PLAYERS.flatMap((player) =>
      player.days.map((day) => ({ ...scope, player_id: player.id, day: dayText(player.at + day * DAY_MS) })),
    ),
  };
  for (const [table, values] of Object.entries(rows)) {
    await insertRows(clickhouse, table, values);
  }
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});

const QUERY: Omit<ReadoutQuery, 'metrics'> = {
  game: 'demo',
  environment: 'live',
  flagKey: 'shop',
  fromVersion: 1,
  beforeVersion: 2,
  variants: ['control', 'wide'],
  windowDays: WINDOW_DAYS,
  sinceMs: START,
  untilMs: START + 60 * DAY_MS,
  zone: 'UTC',
  earlierSinceMs: START,
  by: undefined,
  groups: 1,
};

async function measured(metrics: readonly Metric[], some: Partial<ReadoutQuery> = {}): Promise<MetricSamples[]> {
  const result = await analytics.experimentReadout({ ...QUERY, ...some, metrics });
  if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  const arms = QUERY.variants.map((variantKey) => ({ variantKey, weight: null }));
  return metrics.map((_, place) => {
    const rows = result.value.groups.flatMap(({ metrics: figures, ...players }) => {
      const own = figures[place];
      return own === undefined ? [] : [{ ...players, ...own }];
    });
    return metricSamples(rows, arms);
  });
}

const isAfter =
  (player: Drawn) =>
  ({ at }: { at: number }) =>
    at > player.at && at < player.at + WINDOW_DAYS * DAY_MS;
const isBefore =
  (player: Drawn) =>
  ({ at }: { at: number }) =>
    at < player.at && at >= player.at - COVARIATE_DAYS * DAY_MS;
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
const share = (is: boolean): number => (is ? 1 : 0);

type When = typeof isAfter;
const spends = (player: Drawn, when: When) => player.events.filter(when(player)).filter(({ name }) => name === 'spend');
const gold = (player: Drawn, when: When) => total(spends(player, when).map((event) => event.gold));
const net = (player: Drawn, when: When) =>
  total(player.purchases.filter(when(player)).map(({ amount, refunded }) => amount - refunded));
const gross = (player: Drawn, when: When) => total(player.purchases.filter(when(player)).map(({ amount }) => amount));
const bought = (player: Drawn, when: When) => player.purchases.filter(when(player)).length;
const sessions = (player: Drawn, when: When) => player.sessions.filter(when(player)).length;
/** Recorded purchases, and the game's own events of that name. Imported ones come with events of their own. */
const purchases = (player: Drawn, when: When) =>
  player.purchases.filter(when(player)).filter(({ isImported }) => !isImported).length +
  player.events.filter(when(player)).filter(({ name }) => name === 'purchase').length;

/** The metrics that are a mean over players, with a value of each. */
const OF_PLAYERS: readonly [Metric, (player: Drawn, when: When) => number][] = [
  [{ metric: 'spend', aggregate: { kind: 'conversion' } }, (player, when) => share(spends(player, when).length > 0)],
  [{ metric: 'spend', aggregate: { kind: 'count' } }, (player, when) => spends(player, when).length],
  [{ metric: 'purchase', aggregate: { kind: 'count' } }, purchases],
  [{ metric: 'spend', aggregate: { kind: 'sum', property: 'cost.gold' } }, gold],
  [{ metric: '', aggregate: { kind: 'revenue' } }, net],
  [{ metric: '', aggregate: { kind: 'gross_revenue' } }, gross],
  // Who bought, whatever is refunded later.
  [{ metric: '', aggregate: { kind: 'payer' } }, (player, when) => share(bought(player, when) > 0)],
  [{ metric: '', aggregate: { kind: 'sessions' } }, sessions],
  [{ metric: '', aggregate: { kind: 'session' } }, (player, when) => share(sessions(player, when) > 0)],
];

const inVariants = (players = PLAYERS) => QUERY.variants.map((key) => players.filter(({ variant }) => variant === key));
const close = (value: number): unknown => expect.closeTo(value, 6);
const moments = (values: readonly number[]) => {
  const { players, mean, variance, skewness, kurtosis } = momentsOf(values);
  return {
    players,
    mean: close(mean),
    variance: close(variance),
    skewness: close(skewness),
    kurtosis: close(kurtosis),
  };
};

describe('the metrics of experiments', () => {
  it('are all tried here', () => {
    const tried = [...OF_PLAYERS.map(([{ aggregate }]) => aggregate.kind), 'mean', 'ratio', 'retention', 'quantile'];
    expect(new Set(tried)).toEqual(new Set(EXPERIMENT_METRIC_NAMES));
  });

  it('are means over players', async () => {
    const found = await measured(OF_PLAYERS.map(([metric]) => metric));
    for (const [place, [metric, valueOf]] of OF_PLAYERS.entries()) {
      const expected = inVariants().map((players) => {
        const values = players.map((player) => valueOf(player, isAfter));
        return { ...moments(values), sum: close(total(values)) };
      });
      expect(found[place]?.samples, JSON.stringify(metric)).toMatchObject(expected);
      expect([found[place]?.cap, found[place]?.cuped]).toEqual([null, null]);
    }
  });

  it('of a quotient divide sums, with the player as the unit', async () => {
    const own = { kind: 'ratio', property: 'cost.gold', per: 'purchase', perProperty: undefined } as const;
    const [mean, ratio] = await measured([
      { metric: 'spend', aggregate: { kind: 'mean', property: 'cost.gold' } },
      { metric: 'spend', aggregate: own },
    ]);
    const quotient = (perOf: (player: Drawn) => number) =>
      inVariants().map((players) => {
        const pairs = players.map((player) => ({ y: gold(player, isAfter), x: perOf(player) }));
        const [sum, per] = [total(pairs.map(({ y }) => y)), total(pairs.map(({ x }) => x))];
        const distances = pairs.map(({ x, y }) => ((y - (sum / per) * x) * players.length) / per);
        const { variance, skewness, kurtosis } = moments(distances);
        return { players: players.length, mean: close(sum / per), variance, skewness, kurtosis };
      });
    expect(mean?.samples).toMatchObject(quotient((player) => spends(player, isAfter).length));
    expect(ratio?.samples).toMatchObject(quotient((player) => purchases(player, isAfter)));
  });

  it('of retention count days after the day of the exposure, of players whose day is over', async () => {
    const day = (after: number): Metric => ({ metric: '', aggregate: { kind: 'retention', day: after } });
    const [first, third, never] = await measured([day(1), day(3), day(100_000)]);
    for (const [found, after] of [
      [first, 1],
      [third, 3],
    ] as const) {
      const expected = inVariants().map((players) => moments(players.map(({ days }) => share(days.includes(after)))));
      expect(found?.samples).toMatchObject(expected);
    }
    expect(never?.samples).toMatchObject([{ players: 0 }, { players: 0 }]);
  });

  it('of retention go by the days of the game’s time zone', async () => {
    const zone = 'America/Sao_Paulo';
    const isEarlier = ({ at }: Drawn): boolean => dayIn(zone, at) < dayIn('UTC', at);
    expect(PLAYERS.filter(isEarlier).length).toBeGreaterThan(20);
    const [found] = await measured([{ metric: '', aggregate: { kind: 'retention', day: 2 } }], { zone });
    const expected = inVariants().map((players) =>
      moments(players.map((player) => share(player.days.includes(isEarlier(player) ? 1 : 2)))),
    );
    expect(found?.samples).toMatchObject(expected);
  });

  it('of a quantile are order statistics, with a variance from those around it', async () => {
    const median = { kind: 'quantile', property: undefined, quantile: 0.75 } as const;
    const [revenue, spent] = await measured([
      { metric: '', aggregate: median },
      { metric: 'spend', aggregate: { ...median, property: 'cost.gold', quantile: 0.9 } },
    ]);
    const expected = (level: number, valueOf: (player: Drawn) => number) =>
      inVariants().map((players) => {
        const sorted = players.map(valueOf).toSorted((one, other) => one - other);
        const deviation = Math.sqrt(players.length * level * (1 - level));
        const [middle, half] = [Math.ceil(players.length * level), Math.ceil(1.96 * deviation)];
        const at = (place: number): number => sorted[place - 1] ?? Number.NaN;
        const error = (deviation * (at(middle + half) - at(middle - half))) / (2 * half);
        return { players: players.length, mean: close(at(middle)), variance: close(players.length * error ** 2) };
      });
    expect(revenue?.samples).toMatchObject(expected(0.75, (player) => net(player, isAfter)));
    expect(spent?.samples).toMatchObject(expected(0.9, (player) => gold(player, isAfter)));
  });

  it('are capped at a share of all players, and adjusted by what was before the exposure', async () => {
    const metrics = OF_PLAYERS.flatMap(([metric]): Metric[] => {
      const isShare = ['conversion', 'payer', 'session'].includes(metric.aggregate.kind);
      return [{ ...metric, cuped: true, ...(isShare ? {} : { winsorize: 0.95 }) }];
    });
    const found = await measured(metrics);
    for (const [place, [, valueOf]] of OF_PLAYERS.entries()) {
      const isCapped = metrics[place]?.winsorize !== undefined;
      const valuesOf = (when: When) => {
        const all = PLAYERS.map((player) => valueOf(player, when)).toSorted((one, other) => one - other);
        const cap = isCapped ? (all[Math.floor(0.95 * all.length)] ?? 0) : Infinity;
        return { cap, of: (player: Drawn) => Math.min(cap, valueOf(player, when)) };
      };
      const [after, before] = [valuesOf(isAfter), valuesOf(isBefore)];
      const mean = (values: readonly number[]): number => total(values) / values.length;
      const shared = inVariants().flatMap((players) => {
        const [y, x] = [mean(players.map(after.of)), mean(players.map(before.of))];
        return players.map((player) => ({
          xy: (after.of(player) - y) * (before.of(player) - x),
          xx: (before.of(player) - x) ** 2,
        }));
      });
      const theta = total(shared.map(({ xy }) => xy)) / total(shared.map(({ xx }) => xx));
      const common = mean(PLAYERS.map(before.of));
      const expected = inVariants().map((players) => ({
        ...moments(players.map((player) => after.of(player) - theta * (before.of(player) - common))),
        sum: close(total(players.map(after.of))),
      }));
      const what = JSON.stringify(metrics[place]);
      expect(found[place]?.samples, what).toMatchObject(expected);
      expect(found[place]?.cuped?.theta, what).toBeCloseTo(theta, 9);
      expect(found[place]?.cuped?.varianceReduction, what).toBeGreaterThan(-0.01);
      expect(found[place]?.cap, what).toEqual(isCapped ? after.cap : null);
    }
    // Those who spend much did so before.
    expect(found[1]?.cuped?.varianceReduction).toBeGreaterThan(0.02);
  });

  it('leave out players who were exposed later', async () => {
    const until = START + 2 * DAY_MS;
    const [found] = await measured([{ metric: '', aggregate: { kind: 'revenue' } }], { exposedBeforeMs: until });
    const expected = inVariants(PLAYERS.filter(({ at }) => at < until)).map((players) =>
      moments(players.map((player) => net(player, isAfter))),
    );
    expect(found?.samples).toMatchObject(expected);
    expect(expected.every(({ players }) => players > 50)).toBe(true);
  });

  it('have equal figures by the statement of players and by that of clusters, where no two share a draw', async () => {
    const client = openClient(clickhouse.address, 'test', 30_000);
    const run: RunQuery = async (query, query_params) => {
      const result = await client.query({ query, query_params, format: 'JSONEachRow' });
      return { kind: 'answered', value: await result.json() };
    };
    const gold = { property: 'cost.gold' };
    const metrics: Metric[] = [
      { metric: 'spend', aggregate: { kind: 'conversion' } },
      { metric: 'spend', aggregate: { kind: 'sum', ...gold }, cuped: true, winsorize: 0.95 },
      { metric: 'spend', aggregate: { kind: 'mean', ...gold } },
      { metric: 'spend', aggregate: { kind: 'ratio', ...gold, per: 'purchase', perProperty: undefined } },
      { metric: 'spend', aggregate: { kind: 'quantile', ...gold, quantile: 0.8 } },
      { metric: '', aggregate: { kind: 'retention', day: 2 } },
      { metric: '', aggregate: { kind: 'retention', day: 100_000 } },
    ];
    for (const some of chunksOf(metrics, 4)) {
      const [players, clusters] = await Promise.all(
        [OF_PLAYERS_ALONE, OF_CLUSTERS].map((units) =>
          readFigures(run, experimentQuery({ ...QUERY, metrics: some }, units), some.length),
        ),
      );
      if (players?.kind !== 'answered' || clusters?.kind !== 'answered') expect.fail('no answer');
      expect(players.value.groups.length).toBe(2);
      expect(ordered(players.value)).toEqual(near(ordered(clusters.value)));
    }
    await client.close();
  });
});

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));

const ordered = (readout: Readout): Readout => ({
  ...readout,
  groups: readout.groups.toSorted((one, other) => (one.variant < other.variant ? -1 : 1)),
});

/** Equal but for the last digits of sums. */
function near(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? expect.closeTo(value, 7) : value;
  if (Array.isArray(value)) return value.map(near);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, near(one)]));
}
