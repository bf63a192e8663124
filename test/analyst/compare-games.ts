import { expect } from 'vitest';
import { createAnalytics } from '../../clickhouse-schema/queries/analytics.ts';
import { systemClock } from '../../core/kernel/clock.ts';
import { systemIds } from '../../core/kernel/ids.ts';
import { createGame, gameAddress } from '../../streams/config/games.ts';
import type { HandledTo } from '../../streams/positions/positions.ts';
import { createBuildJob } from '../../streams/sinks/clickhouse/player-days/build-job.ts';
import { createPlayerDaysTarget, type PlayerDaysTarget } from '../../streams/sinks/clickhouse/player-days/target.ts';
import { startGateway } from '../support/in-memory/http-gateway.ts';
import { silentLogger } from '../support/in-memory/silent-logger.ts';
import { runSql } from '../support/servers/clickhouse.ts';
import { bodyOf } from '../support/wire/api-body.ts';
import { startWithTables } from '../support/wire/made-tables.ts';
import { startOfLocalDay } from './calendar.ts';
import {
  compareBreakdowns,
  compareCohorts,
  compareDailyViews,
  compareKpis,
  compareTrends,
  createTally,
  type Doors,
  type Tally,
} from './doors.ts';
import { createStore, CREATED_MS } from './store.ts';
import { type GamePlan, tellStory } from './story.ts';
import { truthOf } from './truth.ts';

/** By day and week in the API, as SQL, in the views, by cohorts and by the fields of rows. */
const DOORS = [compareTrends, compareKpis, compareDailyViews, compareCohorts, compareBreakdowns];

/** Tells the stories of some games, and compares doors with what happened. @returns the tally of each door */
export async function compareGames(plans: readonly GamePlan[]): Promise<ReadonlyMap<string, Tally>> {
  const clickhouse = await startWithTables();
  const analytics = createAnalytics({ address: clickhouse.address, clock: systemClock, logger: silentLogger });
  const gateway = await startGateway({ analytics });
  const target = createPlayerDaysTarget(clickhouse.address);
  try {
    const store = createStore(clickhouse);
    const stories = plans.map((plan) => ({ plan, calls: tellStory(plan) }));
    for (const { plan, calls } of stories) await store.tell(plan, calls, endOf(plan));
    const zones = new Map(plans.map(({ id, zone }) => [id, zone]));
    await build(target, { createdMs: CREATED_MS, sequence: store.sequence }, zones);
    const tally = createTally();
    for (const { plan, calls } of stories) {
      await gateway.config.put(gameAddress(plan.id), createGame(plan.id, 'tenant', systemClock, systemIds));
      const key = await gateway.key({ game: plan.id });
      const set = await gateway.call(key, 'PATCH', '/v1/settings', { time_zone: plan.zone });
      expect(set.status).toBe(200);
      const truth = truthOf(plan, calls, endOf(plan));
      for (const row of truth.rows) {
        const stage = store.stages.get(truth.eventIds.get(row.sequence) ?? '');
        if (row.source === 'events') row.values = { ...row.values, lifecycle_stage: stage ?? '' };
      }
      // Slow clocks and imported sessions begin before the story.
      const fromDay = truth.rows.reduce((first, { day }) => Math.min(first, day), plan.fromDay);
      const doors: Doors = {
        plan: { ...plan, fromDay },
        truth,
        async post(path, body) {
          const response = await gateway.call(key, 'POST', path, body);
          const { data, error } = await bodyOf(response);
          expect([response.status, error, body]).toEqual([200, undefined, body]);
          return data;
        },
        async read<R>(sql: string) {
          const answer = await runSql(clickhouse, sql, { as: 'reader', search: { default_format: 'JSONEachRow' } });
          expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, '']);
          return answer.text
            .split('\n')
            .filter((line) => line !== '')
            .map((line): R => JSON.parse(line));
        },
      };
      for (const compare of DOORS) await compare(doors, tally);
    }
    return tally.tallies;
  } finally {
    await target.close();
    await gateway.close();
    await analytics.close();
    await clickhouse.close();
  }
}

/** Builds the days of all games, each in its zone, and lets the views count in them. */
async function build(target: PlayerDaysTarget, to: HandledTo, zones: ReadonlyMap<string, string>): Promise<void> {
  for (const tenant of await target.touched(0, to)) {
    const zone = zones.get(tenant.game) ?? 'UTC';
    const goal = { ...tenant, from: 0, to, zone, version: 1n, asOfMs: 0 };
    const job = createBuildJob(target, goal, systemClock);
    while (await job.advance());
    await target.note([{ ...goal, ...to, waitsTo: 0, builtToMs: Date.now(), builtAtMs: Date.now(), seconds: 0 }]);
  }
  await target.followZones();
}

/** Everything that is due by then is decided: sessions of the last evening expire. */
const endOf = ({ zone, toDay }: GamePlan): number => startOfLocalDay(zone, toDay) + 3_600_000;
