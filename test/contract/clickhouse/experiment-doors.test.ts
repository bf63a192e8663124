import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import type { Aggregate } from '../../../clickhouse-schema/queries/experiments/metric.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import type { CallerKind } from '../../../core/vocabulary/documents/scope.ts';
import { PLAYER_MEASURES, type PlayerMeasureName } from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import { namesOf } from '../../../core/vocabulary/metrics/metrics.ts';
import { type Gateway, startGateway } from '../../support/in-memory/http-gateway.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { bodyOf } from '../../support/wire/api-body.ts';
import { aGame, buildAllDays, playerId, SCOPE, write } from '../../support/wire/decided-game.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/*
 * An experiment to which all players are exposed as the range begins, and whose window is the range: its totals are
 * those of the query API and of the views, because all of them take what counts from one declaration.
 */

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const START = Date.UTC(2026, 0, 1);
const DAYS = 31;
const END = START + DAYS * DAY_MS;
const PLAYERS = 12;
const TESTER = 12;

/** Player, day, amounts in ten-thousandths that a client and a server report, and what is refunded two days later. */
const PURCHASES: readonly [n: number, day: number, client: number | null, server: number | null, refund: number][] = [
  [1, 1, 99_900, null, 0],
  // Reported by both, with different amounts.
  [2, 3, 99_900, 50_000, 0],
  [2, 9, null, 30_000, 0],
  // Refunded whole: who bought is a payer whatever is refunded.
  [4, 4, 40_000, null, 40_000],
  [5, 6, 99_900, 20_000, 5_000],
  [7, 29, 10_000, null, 0],
  [TESTER, 5, null, 990_000, 0],
];

/** Player, hours from the start to the begin of a session, and to its receipt. */
const SESSIONS: readonly [n: number, began: number, received: number][] = [
  [1, 2, 3],
  [1, 30, 31],
  [3, 26, 90],
  [4, 50, 51],
  // Played before the range, and received in it; and the other way round.
  [10, -20, 5],
  [8, DAYS * 24 - 1, DAYS * 24 + 20],
  [TESTER, 10, 11],
];

/** Player and the days after the first on which it plays: a batch, received a day later. Player 9's first is late. */
const RETURNS: readonly [n: number, days: readonly number[]][] = [
  [1, [1, 2, 3]],
  [2, [1]],
  [6, [3, 7]],
  [9, [1, 7]],
  [TESTER, [1, 2]],
];

const WANTED: Readonly<Record<PlayerMeasureName, number>> = {
  revenue: 9.99 + 5 + 3 + 1.5 + 1,
  gross_revenue: 9.99 + 5 + 3 + 4 + 2 + 1,
  payer: 5,
  sessions: 5,
  session: 4,
};

let clickhouse: TestClickhouse;
let analytics: Analytics;
let gateway: Gateway;
let key: string;
beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  gateway = await startGateway({ analytics });
  key = await gateway.key();
  const { records } = playedGame();
  await write(clickhouse, records);
  await buildAllDays(clickhouse, records);
});
afterAll(async () => {
  await gateway.close();
  await analytics.close();
  await clickhouse.close();
});

/** Commands in the order of their receipt. */
function playedGame() {
  const game = aGame();
  const later: [at: number, act: () => unknown][] = [];
  const then = (at: number, act: () => unknown) => later.push([at, act]);
  const track = (n: number, at: number, times: readonly number[]) =>
    then(at, () =>
      game.send(n, at, 'client', {
        kind: 'TrackEvents',
        items: times.map((timestamp, index) => ({
          index,
          playerId: playerId(n),
          eventId: `${n}-${timestamp}`,
          remember: false,
          eventName: 'level_up',
          properties: '{}',
          sessionId: null,
          timestamp,
        })),
      }),
    );
  for (let n = 1; n <= PLAYERS; n += 1) {
    then(START, () => game.exposed(n, n % 3 === 0 ? 'a' : 'b', START));
    track(n, START + HOUR_MS, [START + 1_000 * n]);
  }
  for (const [n, days] of RETURNS) {
    const times = days.map((day) => START + day * DAY_MS + HOUR_MS);
    track(n, Math.max(...times) + DAY_MS, times);
  }
  for (const [n, day, client, server, refund] of PURCHASES) {
    const at = START + day * DAY_MS + HOUR_MS;
    const buy = (by: CallerKind, amount: number | null, when: number) =>
      amount !== null && then(when, () => game.buy(n, when, by, amount, `tx-${n}-${day}`));
    buy('client', client, at);
    buy('server', server, at + DAY_MS);
    if (refund > 0) then(at + 2 * DAY_MS, () => game.refund(n, at + 2 * DAY_MS, `tx-${n}-${day}`, refund));
  }
  for (const [n, began, received] of SESSIONS) {
    const [startedAt, at] = [START + began * HOUR_MS, START + received * HOUR_MS];
    const session = { sessionId: `s-${n}-${began}`, startedAt, endedAt: startedAt + 600_000, durationSeconds: 600 };
    then(at, () =>
      game.send(n, at, 'server', {
        kind: 'RecordSession',
        playerId: playerId(n),
        eventId: `e-${n}-${began}`,
        ...session,
      }),
    );
  }
  then(END + 5 * DAY_MS, () =>
    game.send(TESTER, END + 5 * DAY_MS, 'server', {
      kind: 'PatchPlayer',
      playerId: playerId(TESTER),
      isTestPlayer: true,
    }),
  );
  for (const [, act] of later.toSorted(([one], [other]) => one - other)) act();
  return game;
}

/** The total of an experiment's metric over all variants, and the players who count for it. */
async function inExperiment(aggregate: Aggregate): Promise<{ sum: number; counted: number }> {
  const result = await analytics.experiment({
    ...SCOPE,
    flagKey: 'shop',
    fromVersion: 1,
    beforeVersion: 2,
    variants: ['a', 'b'],
    metric: '',
    aggregate,
    windowDays: DAYS,
    sinceMs: START,
    untilMs: END,
    zone: 'UTC',
    earlierSinceMs: START,
  });
  if (result.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  const add = (of: (row: { sum: number; counted: number }) => number) =>
    result.value.reduce((all, row) => all + of(row), 0);
  return { sum: add(({ sum }) => sum), counted: add(({ counted }) => counted) };
}

async function ask(body: object): Promise<Record<string, unknown>> {
  const range = { from: new Date(START).toISOString(), to: new Date(END).toISOString() };
  const response = await gateway.call(key, 'POST', '/v1/analytics/queries', { ...range, ...body });
  const { data, error } = await bodyOf(response);
  expect([response.status, error?.details]).toEqual([200, undefined]);
  return data;
}

const number = async (select: string): Promise<number | undefined> =>
  (await rowsOf<{ value: number }>(clickhouse, `SELECT toFloat64(${select}`))[0]?.value;

const readout = (metrics: readonly string[]): string =>
  `experiment_readout(game = 'demo', flag = 'shop', experiment = '', period = 1, since = '2026-01-01 00:00:00',
    until = '2026-02-01 00:00:00', variants = ['a', 'b'], metrics = [${metrics.map((one) => `'${one}'`).join(', ')}],
    window_days = ${DAYS}, covariate_days = 7)`;

/** The same total in a view. Payers of a range are those of whom one day is the first with a purchase. */
const IN_VIEWS: Readonly<Partial<Record<PlayerMeasureName, string>>> = {
  revenue: 'sum(revenue)) AS value FROM purchases_daily',
  gross_revenue: 'sum(gross_revenue)) AS value FROM kpis_daily',
  payer: 'sum(payers)) AS value FROM ltv_by_cohort',
  sessions: "sum(sessions)) AS value FROM sessions_daily WHERE day BETWEEN '2026-01-01' AND '2026-01-31'",
};

describe('an experiment of everybody in the whole range', () => {
  it.each(namesOf(PLAYER_MEASURES))('has of %s the total that all doors have', async (kind) => {
    const wanted = expect.closeTo(WANTED[kind], 6);
    expect(await inExperiment({ kind })).toEqual({ sum: wanted, counted: PLAYERS - 1 });
    expect(await number(`sum(sum)) AS value FROM ${readout([kind])}`), 'experiment_readout').toEqual(wanted);
    const view = IN_VIEWS[kind];
    if (view === undefined) return;
    expect(await number(view), view).toEqual(wanted);
    const { series } = await ask({ kind: 'trend', interval: 'month', metric: PLAYER_MEASURES[kind].measure });
    expect(series).toMatchObject([{ points: [{ value: wanted }] }]);
  });

  it('returns as the cohort of its first day does', async () => {
    const days = [1, 2, 3, 7];
    const { cohorts } = await ask({ kind: 'retention', days });
    // Player 10 played before the range, and is in an earlier cohort.
    const wanted = [3, 2, 3, 2];
    const retained = days.map((after, place) => ({ after, players: wanted[place] }));
    expect(cohorts).toMatchObject([{ day: '2026-01-01', players: PLAYERS - 2, retained }]);
    const shares = "SELECT d1, d3, d7 FROM retention_by_cohort WHERE cohort_day = '2026-01-01'";
    expect(await rowsOf(clickhouse, shares)).toEqual([{ d1: 0.3, d3: 0.3, d7: 0.2 }]);
    const found = await Promise.all(days.map((day) => inExperiment({ kind: 'retention', day })));
    expect(found).toEqual(wanted.map((sum) => ({ sum, counted: PLAYERS - 1 })));
  });
});
