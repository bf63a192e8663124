import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Behind } from '../../../clickhouse-schema/queries/questions/asked.ts';
import type {
  Filter,
  LifecycleQuestion,
  StickinessQuestion,
} from '../../../clickhouse-schema/queries/questions/question.ts';
import { readableSql } from '../../../clickhouse-schema/queries/questions/statement-of.ts';
import { LIFECYCLE_STATE_NAMES } from '../../../core/vocabulary/metrics/lifecycle.ts';
import { startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import { activeDaysOf, lifecycleOf } from '../../support/behaviour/activity-oracle.ts';
import { byPlayer, type PastEvent, playerId } from '../../support/behaviour/histories.ts';
import { daysOf, longHistory } from '../../support/behaviour/made-days.ts';
import { intervalOf, laterInterval, type OracleInterval } from '../../support/behaviour/oracle-intervals.ts';
import { rowsOf, runSql, type TestClickhouse } from '../../support/servers/clickhouse.ts';
import { startWithTables } from '../../support/wire/made-tables.ts';

/* Lifecycle and days of activity on the real engine, and their players, beside a walk through every player's days. */

const ZONE = 'America/New_York';
const DAY_MS = 86_400_000;
/** 2025-09-29, a Monday. */
const FIRST_DAY = Date.UTC(2025, 8, 29) / DAY_MS;
const GAME = 'made';
const events: PastEvent[] = [3, 40].flatMap((seed) => longHistory(seed, startOfDayIn(ZONE, FIRST_DAY)));
/** Every fifth player was seen before its first event: on the day before it, or long ago. */
const seenBefore = (player: number): string | null => {
  if (player % 5 !== 0) return null;
  const first = byPlayer(events).find(([event]) => event?.player === player)?.[0]?.happenedMs ?? 0;
  return player % 10 === 0 ? '2024-01-05' : intervalOf('day', ZONE, first - DAY_MS);
};
const isMember = (player: number): boolean => player % 3 === 0;

let clickhouse: TestClickhouse;

beforeAll(async () => {
  clickhouse = await startWithTables();
  const of = { game_id: GAME, environment: 'live' };
  await insert(
    'player_days',
    byPlayer(events).flatMap((own) => daysOf(GAME, ZONE, own, seenBefore(own[0]?.player ?? 0))),
  );
  const members = [...new Set(events.map(({ player }) => player))].filter(isMember).map(playerId);
  const segment = { segment_id: 's1', segment_key: 'thirds', version: 1, exited: 0 };
  await insert(
    'segment_membership_states',
    members.map((player_id) => ({ ...of, ...segment, player_id })),
  );
});
afterAll(() => clickhouse.close());

async function insert(table: string, rows: readonly object[]): Promise<void> {
  const body = rows.map((row) => JSON.stringify(row)).join('\n');
  expect(await runSql(clickhouse, `INSERT INTO ${table} FORMAT JSONEachRow`, { body })).toMatchObject({ status: 200 });
}

/** Whole intervals inside the history, and the first dates of them. */
function rangeOf(interval: OracleInterval) {
  const from = interval === 'month' ? '2025-10-01' : '2025-10-20';
  const count = { day: 40, week: 9, month: 4 }[interval];
  const starts = Array.from({ length: count }, (_, n) => laterInterval(interval, from, n));
  const msOf = (date: string): number => startOfDayIn(ZONE, Date.parse(date) / DAY_MS);
  const to = laterInterval(interval, from, count);
  const before = interval === 'month' ? '2025-09-01' : interval === 'week' ? '2025-10-13' : '2025-10-19';
  return { starts, fromMs: msOf(from), toMs: msOf(to), beforeMs: msOf(before) };
}

const scope = { game: GAME, environment: 'live', zone: ZONE } as const;
const IN_SEGMENT: Filter = {
  dimension: { kind: 'segment', key: 'thirds' },
  test: { operator: 'is', value: 'true' },
};
const WHERES: readonly [string, readonly Filter[]][] = [
  ['of all players', []],
  ['of a segment', [IN_SEGMENT]],
];

/** What the players' statement names, and its total. */
async function playersOf(of: Behind): Promise<string[]> {
  const { fromMs, toMs } = of.question;
  const question = {
    kind: 'players',
    ...scope,
    fromMs,
    toMs,
    of,
    shows: 'ids',
    afterPlayerId: NOBODY,
    limit: 1_000,
  } as const;
  const [row] = await rowsOf<{ total: string; ids: string[] }>(clickhouse, readableSql(question));
  expect(row?.ids).toHaveLength(Number(row?.total));
  return row?.ids ?? [];
}
const NOBODY = '00000000-0000-0000-0000-000000000000';
const idsOf = (players: readonly number[]): string[] => players.map(playerId).toSorted();

describe.each(WHERES)('lifecycle %s', (_, where) => {
  const own = where.length === 0 ? events : events.filter(({ player }) => isMember(player));
  it.each(['day', 'week', 'month'] as const)(
    'by %s has every player in its state, and names them',
    async (interval) => {
      const { starts, fromMs, toMs, beforeMs } = rangeOf(interval);
      const question: LifecycleQuestion = { kind: 'lifecycle', ...scope, fromMs, toMs, beforeMs, interval, where };
      const rows = await rowsOf<{ day: string; state: string; players: string }>(clickhouse, readableSql(question));
      const found = new Map(rows.map(({ day, state, players }) => [`${day} ${state}`, Number(players)]));
      const wanted = lifecycleOf(own, ZONE, { interval, starts, seenBefore });
      const isThere = LIFECYCLE_STATE_NAMES.filter((state) => wanted.some(({ states }) => states[state].length > 0));
      expect(isThere.length).toBeGreaterThan(2);
      for (const { start, states } of wanted) {
        for (const state of LIFECYCLE_STATE_NAMES) {
          expect(found.get(`${start} ${state}`) ?? 0, `${start} ${state}`).toBe(states[state].length);
        }
      }
      for (const { start, states } of wanted.slice(-1)) {
        for (const state of LIFECYCLE_STATE_NAMES) {
          const players = await playersOf({ kind: 'lifecycle', question, day: start, state });
          expect(players.toSorted(), `${start} ${state}`).toEqual(idsOf(states[state]));
        }
      }
    },
  );
});

describe.each(WHERES)('days of activity %s', (_, where) => {
  const own = where.length === 0 ? events : events.filter(({ player }) => isMember(player));
  it.each(['week', 'month'] as const)('by %s count every player, and name them', async (interval) => {
    const { starts, fromMs, toMs } = rangeOf(interval);
    const question: StickinessQuestion = { kind: 'stickiness', ...scope, fromMs, toMs, interval, where };
    const rows = await rowsOf<{ day: string; days: string; players: string }>(clickhouse, readableSql(question));
    const wanted = activeDaysOf(own, ZONE, { interval, starts, seenBefore });
    expect(rows.map(({ day, days, players }) => [day, Number(days), Number(players)])).toEqual(
      wanted.flatMap(({ start, byDays }) =>
        [...byDays].toSorted(([one], [other]) => one - other).map(([days, players]) => [start, days, players.length]),
      ),
    );
    expect(Math.max(...rows.map(({ days }) => Number(days)))).toBeGreaterThan(2);
    for (const { start, byDays } of wanted.slice(-1)) {
      for (const [days, players] of byDays) {
        const behind = await playersOf({ kind: 'stickiness', question, day: start, days });
        expect(behind.toSorted(), `${start} ${days}`).toEqual(idsOf(players));
      }
    }
  });
});
