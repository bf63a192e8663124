import type { ClickHouse, Whole } from './clickhouse.ts';
import type { Differences } from './differences.ts';
import type { TableScope } from './table-checks.ts';
import { untilTrue } from './until-true.ts';

/**
 * Compares `player_days` with the activity that it is made from. It is built behind the tables, so days that differ are
 * read again behind the next build, and only those that still differ count.
 * @returns why they were not compared; `undefined`: they were
 */
export async function checkPlayerDays(
  clickhouse: ClickHouse,
  scope: TableScope,
  differences: Differences,
  { waitMs, sinkSequence }: { waitMs: number; sinkSequence: () => Promise<number> },
): Promise<string | undefined> {
  const late = await untilBuilt(clickhouse, scope, scope.last, waitMs);
  if (late !== undefined) return late;
  const differing = await differingDays(clickhouse, scope, []);
  if (differing.length === 0) return undefined;
  // Rows of these players may have come while the days were read.
  const lateAgain = await untilBuilt(clickhouse, scope, await sinkSequence(), waitMs);
  if (lateAgain !== undefined) return lateAgain;
  const players = [...new Set(differing.map(([player]) => player))].slice(0, MOST_AGAIN);
  for (const [player, day, fault, sequence] of await differingDays(clickhouse, scope, players)) {
    differences.add('days', `${player} on ${day}: ${fault}; the newest row is of the record ${sequence}`);
  }
  if (differing.length > MOST_AGAIN) differences.add('days', `and days of more than ${MOST_AGAIN} players`);
  return undefined;
}

/** Players whose days are read twice. */
const MOST_AGAIN = 1_000;
const EVENTS_OF_SLICE = 2_000_000;

async function builtTo(clickhouse: ClickHouse, { createdMs }: TableScope): Promise<number> {
  const [row] = await clickhouse.rows<[created: Whole, sequence: Whole]>(
    'SELECT stream_created, sequence FROM player_days_builds FINAL',
  );
  return row !== undefined && Number(row[0]) === createdMs ? Number(row[1]) : 0;
}

/** @returns what is late; `undefined`: the days are built up to `last` */
async function untilBuilt(
  clickhouse: ClickHouse,
  scope: TableScope,
  last: number,
  waitMs: number,
): Promise<string | undefined> {
  const isBuilt = await untilTrue(async () => (await builtTo(clickhouse, scope)) >= last, waitMs);
  if (isBuilt) return undefined;
  const built = await builtTo(clickhouse, scope);
  return `player_days was not compared: it is built up to the record ${built} of ${last}.`;
}

type DifferingDay = [player: string, day: string, fault: string, sequence: Whole];

/** @param players only these; empty: all */
async function differingDays(
  clickhouse: ClickHouse,
  scope: TableScope,
  players: readonly string[],
): Promise<DifferingDay[]> {
  const [found] = await clickhouse.rows<[Whole]>('SELECT count() FROM events');
  const slices = players.length > 0 ? 1 : 1 + Math.floor(Number(found?.[0] ?? 0) / EVENTS_OF_SLICE);
  const differing: DifferingDay[] = [];
  const built = await builtTo(clickhouse, scope);
  for (let slice = 0; slice < slices; slice++) {
    const parameters = { created: scope.createdMs, built, pending: scope.pending, slices, slice, players };
    for (const sql of [FIGURES_SQL, PLACES_SQL]) {
      await clickhouse.each<DifferingDay>(sql, parameters, (row) => {
        if (differing.length <= MOST_AGAIN) differing.push(row);
      });
    }
  }
  return differing;
}

const COMPARED = `cityHash64(player_id) % {slices: UInt64} = {slice: UInt64}
    AND player_id NOT IN (SELECT arrayJoin({pending: Array(UUID)}))
    AND (empty({players: Array(UUID)}) OR player_id IN (SELECT arrayJoin({players: Array(UUID)})))`;

/** The day of a device's time counts if it lies in the seven days before the receipt. */
const dayBy = (time: string): string =>
  `toDate(if(ifNull(${time} > received_at - INTERVAL 7 DAY AND ${time} <= received_at, 0), assumeNotNull(${time}),
      received_at), 'UTC')`;

/** Rows of an earlier log are older than any build. */
const SEQUENCE = `if(if(facts_created = 0, received_at >= fromUnixTimestamp64Milli({created: Int64}, 'UTC'),
      facts_created = {created: UInt64}), facts_sequence, 0)`;
const KEY = 'game_id, environment, player_id, day';

const FIGURES_SQL = `
SELECT toString(player_id), toString(day), concat('events ', toString(d.events), '/', toString(a.events),
  ', sessions ', toString(d.sessions), '/', toString(a.sessions), ', playtime ', toString(d.seconds), '/',
  toString(a.seconds), ', purchases ', toString(d.bought), '/', toString(a.bought), ', revenue ', toString(d.paid), '/',
  toString(a.paid), ' (player_days/rows)'), a.newest
FROM (
  SELECT ${KEY}, sum(n) AS events, sum(played) AS sessions, sum(played_seconds) AS seconds, sum(times) AS bought,
    sum(spent) AS paid, max(sequence) AS newest
  FROM (
    SELECT game_id, environment, player_id, ${dayBy('timestamp')} AS day, 1 AS n, 0 AS played,
      toUInt64(0) AS played_seconds, toInt64(0) AS times, toDecimal128(0, 4) AS spent, ${SEQUENCE} AS sequence
    FROM events WHERE ${COMPARED}
    UNION ALL
    SELECT game_id, environment, player_id, ${dayBy('start_time')} AS day, 0, 1, toUInt64(duration_seconds), 0,
      toDecimal128(0, 4), ${SEQUENCE}
    FROM sessions WHERE ${COMPARED}
    UNION ALL
    SELECT game_id, environment, player_id, toDate(received_at, 'UTC') AS day, 0, 0, 0, toInt64(counts),
      toDecimal128(amount, 4), ${SEQUENCE}
    FROM purchases WHERE ${COMPARED}
  )
  GROUP BY ${KEY}
) AS a
FULL OUTER JOIN (
  SELECT ${KEY}, events, sessions, playtime_seconds AS seconds, purchases AS bought, revenue AS paid
  FROM player_days FINAL WHERE ${COMPARED}
) AS d USING (${KEY})
WHERE a.newest <= {built: UInt64} AND (a.events != d.events OR a.sessions != d.sessions OR a.seconds != d.seconds
  OR a.bought != d.bought OR a.paid != d.paid)
LIMIT ${MOST_AGAIN + 1}`;

/** What follows from all days of a player. */
const PLACES_SQL = `
SELECT toString(player_id), toString(day), 'its place among the days of the player', 0
FROM (
  SELECT *, min(day) OVER life AS first_day, minIfOrNull(day, purchases > 0) OVER life AS first_paid_day,
    lagInFrame(toNullable(day)) OVER (PARTITION BY game_id, environment, player_id ORDER BY day
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS day_before
  FROM player_days FINAL
  WHERE ${COMPARED}
  WINDOW life AS (PARTITION BY game_id, environment, player_id)
)
WHERE NOT is_placed OR cohort_day != first_day OR NOT (previous_day <=> day_before)
  OR NOT (first_purchase_day <=> first_paid_day)
LIMIT ${MOST_AGAIN + 1}`;
