import type { ClickHouse, Whole } from '../read/clickhouse.ts';
import type { Differences } from './differences.ts';

/*
 * Compares tables with each other: also what the log has trimmed. Each statement reads a slice of the players, so that
 * the memory that ClickHouse needs is bounded.
 */

/** What the checks know of the log. */
export interface TableScope {
  /** The creation of FACTS, epoch milliseconds. Rows from before have sequences of an earlier log. */
  createdMs: number;
  /** Rows of records behind this one may be on their way. */
  last: number;
  /** Players whose rows are being deleted. */
  pending: readonly string[];
}

/** Slices hold the players of about this many events each. */
const EVENTS_OF_SLICE = 2_000_000;

const SLICE = 'cityHash64(player_id) % {slices: UInt64} = {slice: UInt64}';
const SETTLED = 'player_id NOT IN (SELECT arrayJoin({pending: Array(UUID)}))';
const IS_OURS = "received_at >= fromUnixTimestamp64Milli({created: Int64}, 'UTC')";
/** The same for tables with imported rows, whose times are not those of their receipt. */
const IS_OURS_OR_IMPORTED = `if(facts_created = 0, ${IS_OURS}, facts_created = {created: UInt64})`;
/** Creation and sequence in the versions of memberships and snapshots. */
const SEQUENCE_OF_MEMBERSHIP = 'toUInt64(bitAnd(bitShiftRight(version, 32), 281474976710655))';
const CREATION_OF_MEMBERSHIP = 'toUInt64(bitShiftRight(version, 80))';
const CREATION_OF_SNAPSHOT = 'toUInt64(bitShiftRight(version, 64))';
const KEY = 'game_id, environment, player_id';

/** Runs a statement for each slice of the players. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- it names the columns of the statement
async function eachSlice<R extends readonly unknown[]>(
  clickhouse: ClickHouse,
  { createdMs, last, pending }: TableScope,
  sql: string,
  take: (row: R) => void,
): Promise<void> {
  const [found] = await clickhouse.rows<[Whole]>('SELECT count() FROM events');
  const slices = 1 + Math.floor(Number(found?.[0] ?? 0) / EVENTS_OF_SLICE);
  for (let slice = 0; slice < slices; slice++) {
    await clickhouse.each<R>(sql, { created: createdMs, last, pending, slices, slice }, take);
  }
}

/** The members of a segment are exactly the players whose newest transition is an entry, without those of guests. */
export function checkMemberships(clickhouse: ClickHouse, scope: TableScope, differences: Differences): Promise<void> {
  const sql = `
SELECT toString(player_id), segment_id, transition, place.2, is_member, member_sequence
FROM (
  SELECT ${KEY}, segment_id, argMax(transition, (${IS_OURS}, facts_sequence, facts_index)) AS transition,
    max((${IS_OURS}, facts_sequence, facts_index)) AS place
  FROM segment_transitions
  WHERE ${SLICE} AND ${SETTLED} AND empty(merged_from)
  GROUP BY ${KEY}, segment_id
) AS newest
FULL OUTER JOIN (
  SELECT ${KEY}, segment_id, 1 AS is_member, ${SEQUENCE_OF_MEMBERSHIP} AS member_sequence,
    ${CREATION_OF_MEMBERSHIP} AS member_created
  FROM segment_membership_states FINAL
  WHERE ${SLICE} AND ${SETTLED}
) AS members USING (${KEY}, segment_id)
WHERE (transition = 'entered') != (is_member = 1)
  AND NOT (place.1 = 1 AND place.2 > {last: UInt64})
  AND NOT (member_created = {created: UInt64} AND member_sequence > {last: UInt64})`;
  return eachSlice<[string, string, string, Whole, number, Whole]>(
    clickhouse,
    scope,
    sql,
    ([player, segment, transition, sequence, isMember, memberSequence]) => {
      const said = transition === '' ? 'no transition' : `${transition} in the record ${sequence}`;
      const is = isMember === 1 ? `is a member (record ${memberSequence})` : 'is no member';
      differences.add('memberships', `segment ${segment}: the player ${player} ${is}; segment_transitions: ${said}`);
    },
  );
}

/**
 * The purchases, sessions and stage of a player are those of its rows up to its snapshot. One that was merged since is
 * not compared.
 */
export function checkTotals(clickhouse: ClickHouse, scope: TableScope, differences: Differences): Promise<void> {
  const upTo = (columns: string, table: string, isOurs: string) => `
  SELECT ${KEY}, ${columns}
  FROM ${table}
  INNER JOIN snapshots USING (${KEY})
  WHERE ${SLICE} AND (NOT (${isOurs}) OR (snapshot_created = {created: UInt64} AND facts_sequence <= last_seq))
  GROUP BY ${KEY}`;
  const sql = `
WITH snapshots AS (
  SELECT ${KEY}, purchase_count, total_revenue, session_count, total_playtime_seconds, lifecycle_stage,
    lifecycle_changed_at, last_seq, ${CREATION_OF_SNAPSHOT} AS snapshot_created
  FROM player_snapshots FINAL
  LEFT ANY JOIN (
    SELECT arrayJoin([player_id, into_player_id]) AS player_id, max(facts_sequence) AS merged_to
    FROM player_merges FINAL
    WHERE facts_created = {created: UInt64}
    GROUP BY player_id
  ) AS merged USING (player_id)
  WHERE kind = 'player' AND ${SLICE} AND ${SETTLED} AND merged_to <= last_seq
)
SELECT toString(player_id), last_seq, purchase_count, bought, toString(total_revenue), toString(paid), session_count,
  played, total_playtime_seconds, seconds, lifecycle_stage, stage
FROM snapshots
LEFT JOIN (${upTo('sum(counts) AS bought, sum(amount) AS paid', 'purchases', IS_OURS_OR_IMPORTED)}) AS a USING (${KEY})
LEFT JOIN (${upTo('count() AS played, sum(duration_seconds) AS seconds', 'sessions', IS_OURS_OR_IMPORTED)}) AS b USING (${KEY})
LEFT JOIN (${upTo(
    `argMax((to_stage, changed_at), (${IS_OURS}, facts_sequence, facts_index)) AS newest, newest.1 AS stage,
      newest.2 AS stage_at`,
    'lifecycle_transitions',
    IS_OURS,
  )}) AS c USING (${KEY})
WHERE purchase_count != bought OR total_revenue != paid OR session_count < played
  OR abs(toInt64(total_playtime_seconds) - toInt64(seconds)) > 1 + played / 2
  OR (stage_at = lifecycle_changed_at AND stage != lifecycle_stage)`;
  return eachSlice<[string, Whole, ...Whole[]]>(clickhouse, scope, sql, ([player, sequence, ...figures]) => {
    const names = ['purchases', 'revenue', 'sessions', 'playtime', 'stage'];
    const pairs = names.map((name, at) => `${name} ${figures[2 * at]}, of rows ${figures[2 * at + 1]}`);
    differences.add('totals', `players: ${player} at the record ${sequence}: ${pairs.join('; ')}`);
  });
}

/** An event of an enforced schema is released once, and was in quarantine before. */
export function checkReleases(clickhouse: ClickHouse, scope: TableScope, differences: Differences): Promise<void> {
  const sql = `
SELECT toString(of_player), released_id, record, times, quarantined
FROM (
  SELECT game_id, environment, any(player_id) AS of_player, quarantined_as AS first_id, quarantine_number,
    any(event_id) AS released_id, max(facts_sequence) AS record, count() AS times
  FROM quarantine_releases
  WHERE cityHash64(quarantined_as) % {slices: UInt64} = {slice: UInt64} AND ${SETTLED} AND facts_sequence <= {last: UInt64}
  GROUP BY game_id, environment, quarantined_as, quarantine_number
) AS released
LEFT ANY JOIN (
  SELECT game_id, environment, if(empty(merged_from), player_id, merged_from[1]) AS first_id, quarantine_number,
    1 AS quarantined
  FROM quarantined_events WHERE cityHash64(first_id) % {slices: UInt64} = {slice: UInt64}
) AS held USING (game_id, environment, first_id, quarantine_number)
WHERE times > 1 OR quarantined = 0`;
  return eachSlice<[string, string, Whole, Whole, number]>(
    clickhouse,
    scope,
    sql,
    ([player, event, sequence, times, quarantined]) => {
      const fault = quarantined === 0 ? 'was never in quarantine' : `was released ${times} times`;
      differences.add('quarantine', `${event} of ${player}, released in the record ${sequence}, ${fault}`);
    },
  );
}

/** A score is stored once, and lies between 0 and 1. */
export async function checkScores(clickhouse: ClickHouse, differences: Differences): Promise<void> {
  for (const table of ['scores', 'challenger_scores']) {
    const [found] = await clickhouse.rows<[Whole]>(`SELECT count() FROM ${table}`);
    const slices = 1 + Math.floor(Number(found?.[0] ?? 0) / EVENTS_OF_SLICE);
    for (let slice = 0; slice < slices; slice++) {
      await clickhouse.each<[string, Whole, number]>(
        `SELECT toString(record_id), count(), any(score) FROM ${table}
          WHERE cityHash64(record_id) % {slices: UInt64} = {slice: UInt64}
          GROUP BY record_id HAVING count() > 1 OR NOT (any(score) >= 0 AND any(score) <= 1)`,
        { slices, slice },
        ([record, times, score]) =>
          differences.add('scores', `${table}: ${record} is there ${times} times; its score is ${score}`),
      );
    }
  }
}
