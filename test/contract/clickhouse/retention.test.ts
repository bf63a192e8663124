import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RetentionQuestion } from '../../../clickhouse-schema/queries/questions/question.ts';
import { readableSql } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import { byPlayer, type PastEvent, rowOf } from '../../support/behaviour/histories.ts';
import { daysOf, longHistory } from '../../support/behaviour/made-days.ts';
import { type OracleEvent, type OracleRetention, retentionOf } from '../../support/behaviour/retention-oracle.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Retention on the real engine beside a count of every player's intervals, in a zone whose clocks change. */

const ZONE = 'America/New_York';
const DAY_MS = 86_400_000;
/** 2025-09-29, a Monday: the range has the change of clocks of 2025-11-02. */
const FIRST_DAY = Date.UTC(2025, 8, 29) / DAY_MS;
const FROM_MS = startOfDayIn(ZONE, FIRST_DAY);
const GAMES = ['made-1'];

let clickhouse: TestClickhouse;
const histories = new Map<string, PastEvent[]>();

beforeAll(async () => {
  clickhouse = await startWithTables();
  for (const [n, game] of GAMES.entries()) {
    const events = longHistory(n * 7, FROM_MS);
    histories.set(game, events);
    await insert(
      'events',
      events.map((event) => rowOf(game, event)),
    );
    await insert(
      'player_days',
      byPlayer(events).flatMap((own) => daysOf(game, ZONE, own)),
    );
  }
});
afterAll(() => clickhouse.close());

async function insert(table: string, rows: readonly object[]): Promise<void> {
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  expect(await runSql(clickhouse, `INSERT INTO ${table} FORMAT JSONEachRow`, { body })).toMatchObject({ status: 200 });
}

const stepOf = (event: OracleEvent | undefined) =>
  event && {
    eventName: event.name,
    where:
      event.mode === undefined
        ? []
        : [
            {
              dimension: { kind: 'property', path: 'mode' } as const,
              test: { operator: 'is', value: event.mode } as const,
            },
          ],
  };

const questionOf = (game: string, asked: OracleRetention): RetentionQuestion => ({
  kind: 'retention',
  game,
  environment: 'live',
  zone: ZONE,
  fromMs: asked.fromMs,
  toMs: asked.toMs,
  method: asked.method,
  interval: asked.interval,
  firstEvent: stepOf(asked.first),
  returnEvent: stepOf(asked.returns),
  periods: asked.periods,
  by: asked.by,
  limit: 20,
});

interface Found {
  key: string;
  cohort: string;
  players: string;
  retained: string[];
}

async function found(game: string, asked: OracleRetention) {
  const rows = await rowsOf<Found>(clickhouse, readableSql(questionOf(game, asked)));
  return rows.map(({ key, cohort, players, retained }) => ({
    key,
    cohort,
    players: Number(players),
    retained: retained.map(Number),
  }));
}

const EVENTS: readonly [string, Pick<OracleRetention, 'first' | 'returns'>][] = [
  ['the first day', {}],
  ['an event', { first: { name: 'shop' } }],
  ['a return by an event', { returns: { name: 'buy', mode: 'team' } }],
  ['two events', { first: { name: 'level', mode: 'solo' }, returns: { name: 'shop' } }],
];

describe.each(['classic', 'rolling'] as const)('%s retention', (method) => {
  describe.each(['day', 'week', 'month'] as const)('by %s', (interval) => {
    it.each(EVENTS)('from %s is that of every player', async (_, of) => {
      // Whole weeks and whole months lie in both ranges.
      const days = interval === 'month' ? [2, 63] : [0, 63];
      const [fromMs = 0, toMs = 0] = days.map((day) => startOfDayIn(ZONE, FIRST_DAY + day));
      for (const game of GAMES) {
        const asked = { method, interval, periods: [0, 1, 2, 7, 13, 40], fromMs, toMs, ...of };
        const rows = retentionOf(histories.get(game) ?? [], ZONE, asked);
        // Some returned and some did not.
        expect(rows.some(({ players, retained }) => retained.some((count) => count > 0 && count < players))).toBe(true);
        expect(await found(game, asked)).toEqual(rows);
        const split = { ...asked, by: 'country' } as const;
        expect(await found(game, split)).toEqual(retentionOf(histories.get(game) ?? [], ZONE, split));
      }
    });
  });
});

it('classic by day is that of the view', async () => {
  const game = GAMES[0] ?? '';
  const [fromMs, toMs] = [FROM_MS, FROM_MS + 200 * DAY_MS];
  const rows = await found(game, { method: 'classic', interval: 'day', periods: [1, 3, 7, 14, 30], fromMs, toMs });
  expect(rows.length).toBeGreaterThan(10);
  const view = await rowsOf<{ cohort: string; players: string; shares: number[] }>(
    clickhouse,
    `SELECT toString(cohort_day) AS cohort, players, [d1, d3, d7, d14, d30] AS shares FROM retention_by_cohort
     WHERE game_id = '${game}' ORDER BY cohort`,
  );
  const share = (count: number, players: number) => Math.round((count / players) * 10_000) / 10_000;
  expect(view.map(({ cohort, players, shares }) => ({ cohort, players: Number(players), shares }))).toEqual(
    rows.map(({ cohort, players, retained }) => ({
      cohort,
      players,
      shares: retained.map((count) => share(count, players)),
    })),
  );
});
