import type { ClickHouse, Whole } from '../read/clickhouse.ts';
import type { Differences } from './differences.ts';
import type { TableScope } from './table-checks.ts';
import { untilTrue } from '../until-true.ts';

/**
 * Compares `player_days` and `player_levels` with the activity that they are made from. They are built behind the
 * tables, so rows that differ are read again behind the next build, and only those that still differ count.
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
  for (const [player, place, fault, sequence] of await differingDays(clickhouse, scope, players)) {
    differences.add('days', `${player} ${place}: ${fault}; the newest row is of the record ${sequence}`);
  }
  if (differing.length > MOST_AGAIN) differences.add('days', `and days of more than ${MOST_AGAIN} players`);
  return undefined;
}

/** Players whose days are read twice. */
const MOST_AGAIN = 1_000;
const EVENTS_OF_SLICE = 2_000_000;

async function builtTo(clickhouse: ClickHouse, { createdMs }: TableScope): Promise<number> {
  const [row] = await clickhouse.rows<[sequence: Whole | null]>(
    // What waits is built up to its own sequence, all else up to where the builder has looked.
    `SELECT minOrNull(sequence) FROM player_days_builds FINAL
      WHERE stream_created = {created: UInt64} AND (game_id = '' OR waits_to > 0)`,
    { created: createdMs },
  );
  return Number(row?.[0] ?? 0);
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

type DifferingDay = [player: string, place: string, fault: string, sequence: Whole];

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
  const used = await clickhouse.rows<[zone: string]>(
    "SELECT DISTINCT zone FROM player_days_builds FINAL WHERE match(zone, '^[A-Za-z0-9_+/-]+$') AND zone != 'UTC' ORDER BY zone",
  );
  const zones = used.map(([zone]) => zone);
  for (let slice = 0; slice < slices; slice++) {
    const parameters = { created: scope.createdMs, built, pending: scope.pending, slices, slice, players };
    for (const sql of [figuresSql(zones), PLACES_SQL, levelsSql(zones)]) {
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

/** The device's time counts if it lies in the seven days before the receipt. */
const timeBy = (time: string): string =>
  `if(ifNull(${time} > received_at - INTERVAL 7 DAY AND ${time} <= received_at, 0), assumeNotNull(${time}), received_at)`;

/** The day of a time by the zone in which the game's days are built. */
const dayBy = (time: string, zones: readonly string[]): string => {
  const ofZones = zones.map((zone) => {
    const games = `SELECT game_id, environment FROM player_days_builds FINAL WHERE zone = '${zone}'`;
    return `(game_id, environment) IN (${games}), toDate(${time}, '${zone}')`;
  });
  return ofZones.length === 0 ? `toDate(${time}, 'UTC')` : `multiIf(${ofZones.join(', ')}, toDate(${time}, 'UTC'))`;
};

/** Rows of an earlier log are older than any build. */
const SEQUENCE = `if(if(facts_created = 0, received_at >= fromUnixTimestamp64Milli({created: Int64}, 'UTC'),
      facts_created = {created: UInt64}), facts_sequence, 0)`;
const KEY = 'game_id, environment, player_id, day';

const NO_ACTIVITY = `'purchase_refunded', 'purchase_corrected', 'purchase_verified', 'purchase_rejected'`;

const figuresSql = (zones: readonly string[]): string => `
SELECT toString(player_id), concat('on ', toString(day)), concat('events ', toString(d.events), '/', toString(a.events),
  ', sessions ', toString(d.sessions), '/', toString(a.sessions), ', playtime ', toString(d.seconds), '/',
  toString(a.seconds), ', purchases ', toString(d.bought), '/', toString(a.bought), ', revenue ', toString(d.paid), '/',
  toString(a.paid), ' (player_days/rows)'), a.newest
FROM (
  SELECT ${KEY}, sum(n) AS events, sum(played) AS sessions, sum(played_seconds) AS seconds, sum(times) AS bought,
    sum(spent) AS paid, max(sequence) AS newest
  FROM (
    SELECT game_id, environment, player_id, ${dayBy(timeBy('timestamp'), zones)} AS day, 1 AS n, 0 AS played,
      toUInt64(0) AS played_seconds, toInt64(0) AS times, toDecimal128(0, 4) AS spent, ${SEQUENCE} AS sequence
    FROM events WHERE ${COMPARED} AND (event_name NOT IN (${NO_ACTIVITY}) OR source = 'caller')
    UNION ALL
    SELECT game_id, environment, player_id, ${dayBy(timeBy('start_time'), zones)} AS day, 0, 1, toUInt64(duration_seconds), 0,
      toDecimal128(0, 4), ${SEQUENCE}
    FROM sessions WHERE ${COMPARED}
    UNION ALL
    SELECT game_id, environment, player_id, ${dayBy('received_at', zones)} AS day, 0, 0, 0, toInt64(counts),
      toDecimal128(amount, 4), ${SEQUENCE}
    FROM purchases WHERE ${COMPARED} AND kind != 'refund'
  )
  GROUP BY ${KEY}
) AS a
FULL OUTER JOIN (
  SELECT ${KEY}, events, sessions, playtime_seconds AS seconds, purchases AS bought, gross_revenue AS paid
  FROM player_days FINAL WHERE ${COMPARED}
) AS d USING (${KEY})
WHERE a.newest <= {built: UInt64} AND (a.events != d.events OR a.sessions != d.sessions OR a.seconds != d.seconds
  OR a.bought != d.bought OR a.paid != d.paid)
LIMIT ${MOST_AGAIN + 1}`;

/** What follows from all days of a player. */
const PLACES_SQL = `
SELECT toString(player_id), concat('on ', toString(day)), 'its place among the days of the player', 0
FROM (
  SELECT *, min(day) OVER life AS least_day, minIfOrNull(day, purchases > 0) OVER life AS first_paid_day,
    lagInFrame(toNullable(day)) OVER (PARTITION BY game_id, environment, player_id ORDER BY day
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS day_before
  FROM player_days FINAL
  WHERE ${COMPARED}
  WINDOW life AS (PARTITION BY game_id, environment, player_id)
)
WHERE first_day != least_day OR cohort_day > first_day OR NOT (previous_day <=> day_before)
  OR NOT (first_purchase_day <=> first_paid_day)
LIMIT ${MOST_AGAIN + 1}`;

const LEVEL_KEY = 'game_id, environment, level, player_id';

/** The figures of a level and player, and their days. */
const levelsSql = (zones: readonly string[]): string => `
SELECT toString(player_id), concat('in player_levels, level ', level), concat('starts ', toString(d.starts), '/',
  toString(a.starts), ', fails ', toString(d.fails), '/', toString(a.fails), ', completes ', toString(d.completes), '/',
  toString(a.completes), if(last_at = at, '', ', another last time'), if(days = recounted, '', ', other days'),
  ' (player_levels/rows)'), a.newest
FROM (
  SELECT ${LEVEL_KEY}, sum(of_day.2) AS starts, sum(of_day.3) AS fails, sum(of_day.4) AS completes,
    max(of_day.5) AS at, arraySort(groupArray(of_day)) AS recounted, max(sequence) AS newest
  FROM (
    SELECT ${LEVEL_KEY}, (day, toUInt32(countIf(event_name = 'level_started')),
      toUInt32(countIf(event_name = 'level_failed')), toUInt32(countIf(event_name = 'level_completed')),
      max(of_event)) AS of_day, max(of_record) AS sequence
    FROM (
      SELECT game_id, environment, JSONExtractString(properties, 'level') AS level, player_id, event_name,
        ${timeBy('timestamp')} AS of_event, ${dayBy('of_event', zones)} AS day, ${SEQUENCE} AS of_record
      FROM events
      WHERE ${COMPARED} AND event_name IN ('level_started', 'level_failed', 'level_completed') AND level != ''
    )
    GROUP BY ${LEVEL_KEY}, day
  )
  GROUP BY ${LEVEL_KEY}
) AS a
FULL OUTER JOIN (
  SELECT game_id, environment, CAST(level, 'String') AS level, player_id, starts, fails, completes, last_at,
    arraySort(days) AS days
  FROM player_levels FINAL WHERE ${COMPARED}
) AS d USING (${LEVEL_KEY})
WHERE a.newest <= {built: UInt64} AND (a.starts != d.starts OR a.fails != d.fails OR a.completes != d.completes
  OR last_at != at OR days != recounted)
LIMIT ${MOST_AGAIN + 1}`;
