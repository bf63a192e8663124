import { measureOf } from '../../../../core/vocabulary/metrics/metrics.ts';
import { PASSIVE_EVENTS } from '../../../../core/vocabulary/service-events.ts';
import { sumSql } from '../../../../clickhouse-schema/metrics/measure-sql.ts';
import { LATE_DAYS } from '../../../../clickhouse-schema/event-time.ts';

/*
 * The SQL that makes `player_days` from `events`, `sessions` and `purchases`.
 *
 * Parameters: `game`, `environment`, `day` name what is built, `zone` the time zone of its days; `from` and `to` bound
 * the sequences of the rows whose players are built again, `from` 0: all rows; `slice` of `slices` bounds the players;
 * `version` is the version of the rows to write.
 */

const dayOf = (time: string): string => `toDate(${time}, {zone: String})`;
/** The day of a row of each source. */
export const DAY = dayOf('happened_at');

/** What one table contributes to a player's day. */
interface Source {
  table: string;
  /** Whether a row is something that the player did. */
  isActivity: string;
  /** In the order of `DETAILS`. */
  details: readonly [country: string, platform: string, appVersion: string];
}

/** The measures of a day. */
const FIGURES = ['events', 'sessions', 'playtime_seconds', 'purchases', 'gross_revenue'] as const;
const NOTHING = {
  events: '0',
  sessions: '0',
  playtime_seconds: '0',
  purchases: '0',
  gross_revenue: 'toDecimal64(0, 4)',
};
const DETAILS = ['country', 'platform', 'app_version'] as const;

const NO_DETAILS = ["''", "''", "''"] as const;
/** The last of a day that is known. Rows of the same time count by their place in the log. */
const lastOf = (column: string): string =>
  `argMaxIf(${column}, (received_at, facts_sequence, facts_index), ${column} != '')`;

const SOURCES: readonly Source[] = [
  {
    table: 'events',
    isActivity: `NOT (event_name IN (${PASSIVE_EVENTS.map((name) => `'${name}'`).join(', ')}) AND source != 'caller')`,
    details: [lastOf('country'), lastOf('platform'), lastOf('app_version')],
  },
  {
    table: 'sessions',
    isActivity: 'true',
    details: [lastOf('country'), lastOf('platform'), lastOf('app_version')],
  },
  {
    table: 'purchases',
    isActivity: "kind != 'refund'",
    details: NO_DETAILS,
  },
];

export const SCOPE = 'game_id = {game: String} AND environment = {environment: String}';
/** Sequences of an earlier FACTS may be higher than `to`. */
export const NEW_ROWS = '({from: UInt64} = 0 OR (facts_sequence > {from: UInt64} AND facts_sequence <= {to: UInt64}))';
/** The rows of a day are received on that day or up to `LATE_DAYS` later; in UTC it may begin a day apart. */
export const RECEIVED = `received_at >= toDateTime64({day: Date} - 1, 3, 'UTC')
  AND received_at < toDateTime64({day: Date} + ${LATE_DAYS + 2}, 3, 'UTC')`;
/** A part of the players: the end of a large build takes them in turn. */
export const SLICE = 'cityHash64(player_id) % {slices: UInt64} = {slice: UInt64}';

const TABLES = [...SOURCES, { table: 'player_beginnings', isActivity: 'true' }];

/** Games and environments with rows behind `from`, up to `to`. */
export const TOUCHED = `
SELECT game_id, environment
FROM (
${TABLES.map(({ table, isActivity }) => `SELECT game_id, environment FROM ${table} WHERE ${NEW_ROWS} AND ${isActivity} GROUP BY ALL`).join('\nUNION ALL\n')}
)
GROUP BY game_id, environment
ORDER BY game_id, environment`;

/** The days of a game and environment with rows behind `from`, up to `to`; oldest first. */
export const TOUCHED_DAYS = `
SELECT toString(day) AS day
FROM (
${SOURCES.map(({ table, isActivity }) => `SELECT ${DAY} AS day FROM ${table} WHERE ${SCOPE} AND ${NEW_ROWS} AND ${isActivity} GROUP BY ALL`).join('\nUNION ALL\n')}
)
GROUP BY day
ORDER BY day`;

/** Players with rows of the day behind `from`, up to `to`. */
const TOUCHED_PLAYERS = SOURCES.map(
  ({ table, isActivity }) =>
    `SELECT player_id FROM ${table} WHERE ${SCOPE} AND ${NEW_ROWS} AND ${RECEIVED} AND ${DAY} = {day: Date} AND ${isActivity}`,
).join('\nUNION DISTINCT\n');

/** @param players a list or a subquery */
function daysOf(players: string, days: { received: string; isDay: (day: string) => string }): string {
  const parts = SOURCES.map(({ table, isActivity, details }, rank) => {
    const columns = [
      `${rank} AS rank`,
      ...FIGURES.map(
        (figure) => `${measureOf(figure).source === table ? sumSql(figure) : NOTHING[figure]} AS ${figure}`,
      ),
      ...details.map((detail, at) => `${detail} AS ${DETAILS[at]}`),
      'min(happened_at) AS first_at',
      'max(happened_at) AS last_at',
    ];
    return `SELECT player_id, ${DAY} AS day, ${columns.join(', ')}
FROM ${table}
WHERE ${SCOPE} AND ${days.received} AND ${days.isDay(DAY)} AND player_id IN ${players} AND ${isActivity}
GROUP BY player_id, day`;
  });
  const columns = [
    ...FIGURES.map((figure) => `sum(${figure}) AS ${figure}`),
    // Events come first: a session has its row when it is over.
    ...DETAILS.map((detail) => `argMinIf(${detail}, rank, ${detail} != '') AS ${detail}`),
    'min(first_at) AS first_at',
    'max(last_at) AS last_at',
  ];
  return `SELECT player_id, day, ${columns.join(', ')}
FROM (
${parts.join('\nUNION ALL\n')}
)
GROUP BY player_id, day`;
}

/** What follows from the rows of one day. */
const OF_DAY = [...FIGURES, ...DETAILS, 'first_at', 'last_at'] as const;
/** What the first day says of itself, with its name in the rows of all days. */
const OF_FIRST_DAY = {
  cohort_at: 'first_at',
  cohort_country: 'country',
  cohort_platform: 'platform',
  cohort_app_version: 'app_version',
} as const;
/** What follows from all days of a player. */
const HISTORY = ['cohort_day', 'first_day', ...Object.keys(OF_FIRST_DAY), 'previous_day', 'first_purchase_day'];

const VALUES = [...OF_DAY, ...HISTORY];
const INTO_DAYS = `INSERT INTO player_days
  (game_id, environment, player_id, day, ${VALUES.join(', ')}, removed, version)`;
export const VERSION = '{version: UInt128}';

/** Whether a day says of itself what the rows of all days of its player hold of the first day. */
const IS_AS_BEFORE = Object.entries(OF_FIRST_DAY)
  .filter(([, column]) => column !== 'country')
  .map(([ofFirst, column]) => `built.${column} = stored.${ofFirst}`)
  .join(' AND ');

/**
 * Makes the day's rows of touched players anew, beside `player_days`. A row that stood there keeps its place in the
 * player's history. The end of the build gives one to each new row, to one that becomes or ceases to be a day with
 * purchases, and to a first day that says something new of itself.
 */
export const STAGE_DAY = `INSERT INTO player_days_staged
  (game_id, environment, player_id, day, ${VALUES.join(', ')}, is_placed)
SELECT {game: String}, {environment: String}, built.player_id, built.day,
  ${OF_DAY.map((column) => `built.${column}`).join(', ')},
  ${HISTORY.map((column) => `stored.${column}`).join(', ')},
  {from: UInt64} > 0 AND stored.first_day > toDate(0) AND (stored.purchases > 0) = (built.purchases > 0)
    AND (stored.first_day != built.day OR (${IS_AS_BEFORE})) AND stored.country = built.country
FROM (${daysOf(`(${TOUCHED_PLAYERS})`, { received: RECEIVED, isDay: (day) => `${day} = {day: Date}` })}) AS built
LEFT ANY JOIN (
  SELECT player_id, ${HISTORY.join(', ')}, country, purchases FROM player_days FINAL
  WHERE ${SCOPE} AND day = {day: Date} AND player_id IN (${TOUCHED_PLAYERS})
) AS stored ON stored.player_id = built.player_id`;

const STAGED = `player_days_staged WHERE ${SCOPE} AND ${SLICE}`;

/** Players of whom a day has no place, or whose beginning became known. */
const UNPLACED = `(
    SELECT player_id FROM ${STAGED} AND NOT is_placed
    UNION DISTINCT SELECT player_id FROM player_beginnings WHERE ${SCOPE} AND ${SLICE} AND ${NEW_ROWS}
  )`;

/** The days of players without a place: the staged ones, and the stored ones that these do not replace. */
const OF_UNPLACED = `SELECT player_id, day, ${VALUES.join(', ')}, true AS is_new
  FROM ${STAGED} AND player_id IN ${UNPLACED}
  UNION ALL
  SELECT player_id, day, ${VALUES.join(', ')}, false
  FROM player_days FINAL
  WHERE {from: UInt64} > 0 AND ${SCOPE} AND player_id IN ${UNPLACED}
    AND (player_id, day) NOT IN (SELECT player_id, day FROM ${STAGED})`;

/**
 * Ends a build: writes the staged days, with the other days of players whose place changes, in one insert. Days that a
 * build of all rows did not find are no days any more.
 */
export const FINISH_DAYS = `${INTO_DAYS}
SELECT {game: String}, {environment: String}, player_id, day, ${VALUES.join(', ')}, 0, ${VERSION}
FROM ${STAGED} AND player_id NOT IN ${UNPLACED}
UNION ALL
SELECT {game: String}, {environment: String}, player_id, day, ${OF_DAY.join(', ')},
  ${HISTORY.map((column) => `new_${column}`).join(', ')}, 0, ${VERSION}
FROM (
  ${placed(OF_UNPLACED)}
)
WHERE is_new OR ${HISTORY.map((column) => `NOT (${column} <=> new_${column})`).join(' OR ')}
UNION ALL
SELECT {game: String}, {environment: String}, player_id, day, ${VALUES.join(', ')}, 1, ${VERSION}
FROM player_days FINAL
WHERE {from: UInt64} = 0 AND ${SCOPE} AND ${SLICE}
  AND (player_id, day) NOT IN (SELECT player_id, day FROM ${STAGED})`;

/** Adds the place in the player's history to each day: `new_cohort_day` and so on. */
function placed(days: string): string {
  const ofFirst = Object.entries(OF_FIRST_DAY).map(([name, column]) =>
    // A day with no event but a session or a purchase names no country.
    column === 'country'
      ? `argMinIf(country, day, country != '') OVER life AS new_${name}`
      : `argMin(${column}, day) OVER life AS new_${name}`,
  );
  return `SELECT *, min(day) OVER life AS new_first_day,
    if(begun_day > toDate(0), least(begun_day, new_first_day), new_first_day) AS new_cohort_day,
    ${ofFirst.join(', ')},
    lagInFrame(toNullable(day)) OVER (PARTITION BY player_id ORDER BY day ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)
      AS new_previous_day,
    minIfOrNull(day, purchases > 0) OVER life AS new_first_purchase_day
  FROM (${days}) AS days
  LEFT ANY JOIN (
    SELECT player_id, ${dayOf('min(first_seen_at)')} AS begun_day FROM player_beginnings WHERE ${SCOPE} GROUP BY player_id
  ) AS begun USING (player_id)
  WINDOW life AS (PARTITION BY player_id)`;
}

/** The rows of `players` in one game and environment. A list lets the engine look them up; a subquery would not. */
export const OF_PLAYERS = `${SCOPE} AND player_id IN {players: Array(UUID)}`;

/** All days of `players` in one game and environment, from the rows that there are. */
export const BUILD_PLAYERS = `${INTO_DAYS}
SELECT {game: String}, {environment: String}, player_id, day, ${OF_DAY.join(', ')},
  ${HISTORY.map((column) => `new_${column}`).join(', ')}, 0, ${VERSION}
FROM (
  ${placed(daysOf('{players: Array(UUID)}', { received: '1', isDay: () => '1' }))}
)`;
