import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Analytics, createAnalytics } from '../../../clickhouse-schema/queries/analytics.ts';
import { openClient } from '../../../clickhouse-schema/open-client.ts';
import { followZones } from '../../../clickhouse-schema/views/apply-views.ts';
import { systemClock } from '../../../core/kernel/clock.ts';
import { dateOf, dayIn, startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import { silentLogger } from '../../support/in-memory/silent-logger.ts';
import { insertRows, rowsOf, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* What goes by days beside the days of players, for a game in São Paulo: midnight is at 03:00 UTC. */

const ZONE = 'America/Sao_Paulo';
const scope = { game_id: 'sp', environment: 'live' };

let clickhouse: TestClickhouse;
let analytics: Analytics;
beforeAll(async () => {
  clickhouse = await startWithTables();
  analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  await insert('player_days_builds', [{ ...scope, zone: ZONE, version: 1 }]);
  const client = openClient(clickhouse.address, 'test', 60_000);
  expect(await followZones(client)).toContain('scores_daily');
  await client.close();
});
afterAll(async () => {
  await analytics.close();
  await clickhouse.close();
});

const insert = (table: string, rows: readonly object[]): Promise<void> => insertRows(clickhouse, table, rows);

it('groups of an experiment have the country of the day of the exposure', async () => {
  const player_id = '00000000-0000-5000-8000-000000000001';
  const at = Date.parse('2026-01-21T01:30:00Z');
  const flag = { flag_key: 'shop', flag_version: 1, period: 1, variant_key: 'a', value: '"a"', stratum: 10_000 };
  await insert('flag_exposures', [{ ...scope, player_id, ...flag, reason: 'percentage_rollout', received_at: at }]);
  const day = (of: string, country: string) => ({ ...scope, player_id, day: of, country });
  await insert('player_days', [day('2026-01-20', 'AR'), day('2026-01-21', 'BR')]);
  const asked = {
    game: 'sp',
    environment: 'live',
    flagKey: 'shop',
    fromVersion: 1,
    beforeVersion: 2,
    variants: ['a', 'b'],
    windowDays: 7,
    sinceMs: at - 1_000,
    untilMs: at + 86_400_000,
    earlierSinceMs: at - 1_000,
    by: 'country',
    groups: 5,
    metrics: [{ metric: 'x', aggregate: { kind: 'conversion' } }],
  } as const;
  const countries = await Promise.all(
    [ZONE, 'UTC'].map(async (zone) => {
      const found = await analytics.experimentReadout({ ...asked, zone });
      return found.kind === 'unavailable' ? found.kind : found.value.groups.map(({ value }) => value);
    }),
  );
  expect(countries).toEqual([['AR'], ['BR']]);
});

it('scores count on the day of the game, in the views and in the report', async () => {
  const today = dayIn(ZONE, Date.now());
  const begin = startOfDayIn(ZONE, today);
  const score = (n: number, scored_at: number) => ({
    ...scope,
    device_id: `d${n}`,
    score: 0.5,
    bucket: 'rest',
    model_version: 'm1',
    scored_at,
    received_at: scored_at + 5,
  });
  await insert('scores', [score(1, begin - 1), score(2, begin), score(3, begin + 1)]);
  const views = await rowsOf(
    clickhouse,
    "SELECT toString(day) AS day, toUInt32(scores) AS scores FROM scores_daily WHERE game_id = 'sp' ORDER BY day",
  );
  expect(views).toEqual([
    { day: dateOf(today - 1), scores: 1 },
    { day: dateOf(today), scores: 2 },
  ]);
  const report = await analytics.scoringReport({ game: 'sp', days: 1, zone: ZONE });
  if (report.kind === 'unavailable') throw new Error('ClickHouse did not answer');
  expect(report.value.volumes.map(({ day, scores }) => [day, scores])).toEqual([[dateOf(today), 2]]);
  expect(report.value.latency.scores).toBe(2);
});
