import { DAY, NEW_ROWS, RECEIVED, SCOPE, SLICE, VERSION } from './statements.ts';

/*
 * The SQL that makes `player_levels` from `events`. Parameters are those of `player_days` (`statements.ts`).
 */

const LEVEL = "JSONExtractString(properties, 'level')";
const IS_OF_LEVEL = "event_name IN ('level_started', 'level_failed', 'level_completed')";

/** Days of levels and players, from the events that match a condition. */
const daysOf = (condition: string): string => `
SELECT ${LEVEL} AS level, player_id, (
    ${DAY},
    toUInt32(countIf(event_name = 'level_started')),
    toUInt32(countIf(event_name = 'level_failed')),
    toUInt32(countIf(event_name = 'level_completed')),
    max(happened_at)
  ) AS of_day
FROM events
WHERE ${SCOPE} AND ${IS_OF_LEVEL} AND ${condition} AND level != ''
GROUP BY level, player_id, ${DAY}`;

/** What a row says of its `days`. */
const OF_DAYS = `arraySum(one -> one.2, days) AS starts, arraySum(one -> one.3, days) AS fails,
  arraySum(one -> one.4, days) AS completes, arrayMax(one -> one.5, days) AS last_at`;

const INTO_LEVELS = `INSERT INTO player_levels
  (game_id, environment, level, player_id, days, starts, fails, completes, last_at, version)`;

/** Levels and players with events of the day behind `from`, up to `to`. */
const touched = (columns: string): string => `(
  SELECT ${columns} FROM events
  WHERE ${SCOPE} AND ${IS_OF_LEVEL} AND ${NEW_ROWS} AND ${RECEIVED} AND ${DAY} = {day: Date}
)`;

/**
 * Makes the day anew in the rows of touched levels and players. Their other days stay as they are. All versions of a
 * row have the same level and player, so PREWHERE may select by them before FINAL: half of the work.
 */
export const BUILD_LEVELS = `${INTO_LEVELS}
SELECT {game: String}, {environment: String}, level, player_id,
  arrayPushBack(arrayFilter(one -> one.1 != {day: Date}, stored.days), built.of_day) AS days, ${OF_DAYS}, ${VERSION}
FROM (${daysOf(`${RECEIVED} AND ${DAY} = {day: Date} AND player_id IN ${touched('player_id')}
  AND (level, player_id) IN ${touched(`${LEVEL}, player_id`)}`)}
) AS built
LEFT ANY JOIN (
  SELECT level, player_id, days FROM player_levels FINAL
  PREWHERE (level, player_id) IN ${touched(`${LEVEL}, player_id`)}
  WHERE ${SCOPE}
) AS stored USING (level, player_id)`;

const ofAllDays = (players: string): string => `${INTO_LEVELS}
SELECT {game: String}, {environment: String}, level, player_id, groupArray(of_day) AS days, ${OF_DAYS}, ${VERSION}
FROM (${daysOf(players)}
)
GROUP BY level, player_id`;

/** All rows of `players` in one game and environment, from the events that there are. */
export const BUILD_LEVELS_OF_PLAYERS = ofAllDays('player_id IN {players: Array(UUID)}');
/** The same of a slice of all players. */
export const BUILD_LEVELS_OF_SLICE = ofAllDays(SLICE);
