import { QUERY_LIMITS } from '../limits.ts';

/* The groups of players by which results of an experiment are broken down, as SQL. Values are those of each player's
 * first exposure: what a variant changes later, such as a segment, moves no player between groups. */

export const GROUPINGS = ['segment', 'country', 'platform', 'app_version'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/**
 * Rows `{member, value}` of the players of `exposed`. Country, platform and version are the last known ones up to the
 * day of the exposure, from `player_days`; a player without one has no row. Days long before the period are not
 * read. A player has a row for each segment that it was in.
 */
export function membersOf(by: Grouping): string {
  if (by === 'segment') {
    return `
  SELECT moves.player_id AS member, argMax(toString(moves.segment_key), ${MOVED_AT}) AS value
  FROM segment_transitions AS moves INNER JOIN exposed ON exposed.player_id = moves.player_id
  WHERE moves.game_id = {game:String} AND moves.environment = {environment:String} AND ${MOVED_AT} <= exposed.first_place
  GROUP BY member, moves.segment_id
  HAVING argMax(moves.transition, ${MOVED_AT}) = 'entered'
`;
  }
  return `
  SELECT days.player_id AS member, argMax(toString(days.${by}), days.day) AS value
  FROM (
    SELECT player_id, day, ${by} FROM player_days FINAL
    WHERE game_id = {game:String} AND environment = {environment:String}
      AND day >= toDate(fromUnixTimestamp64Milli({since:Int64}), {zone:String}) - ${QUERY_LIMITS.resultsKnownDays}
      AND day <= toDate(fromUnixTimestamp64Milli({until:Int64}), {zone:String})
  ) AS days INNER JOIN exposed ON exposed.player_id = days.player_id
  WHERE days.${by} != '' AND days.day <= toDate(exposed.first_place.1, {zone:String})
  GROUP BY member
`;
}

const MOVED_AT = '(moves.received_at, moves.facts_sequence, moves.facts_index)';

/** The rows of the largest groups, each with the number of all groups. */
export function largestGroups(by: Grouping | undefined, rows: string): string {
  if (by === undefined) return `SELECT *, 1 AS found FROM (${rows})`;
  return `SELECT * EXCEPT (size, rank) FROM (
  SELECT *, dense_rank() OVER (ORDER BY size DESC, value) AS rank FROM (
    SELECT *, sum(players) OVER (PARTITION BY value) AS size, uniqExact(value) OVER () AS found FROM (${rows})
  )
)
WHERE rank <= {groups:UInt32}
ORDER BY size DESC, value`;
}
