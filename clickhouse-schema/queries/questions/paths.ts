import { type Bindings, inScope, type Statement } from './bindings.ts';
import { passing } from './filters.ts';
import type { PathsQuestion } from './question.ts';

/**
 * Rows `{first, second, times, players, paths, total}`: the events that followed a start event, '' where none came in
 * time; the last two over all paths. Events follow each other by when they happened, and within a millisecond by the
 * log.
 */
export function pathsStatement(question: PathsQuestion, bindings: Bindings): Statement {
  const { bind } = bindings;
  const within = bind('UInt32', question.withinSeconds);
  const start = `event_name = ${bind('String', question.eventName)}${passing(bindings, question.where, question)}`;
  const scope = inScope(bindings, question);
  const sql = `
SELECT first, second, times, players, count() OVER () AS paths, sum(times) OVER () AS total
FROM (
  SELECT first, second, count() AS times, uniq(player_id) AS players
  FROM (
    SELECT
      player_id,
      if(name_1 != '' AND dateDiff('millisecond', happened_at, time_1) <= ${within} * 1000, name_1, '') AS first,
      if(first != '' AND name_2 != '' AND dateDiff('millisecond', time_1, time_2) <= ${within} * 1000, name_2, '') AS second
    FROM (
      SELECT
        player_id,
        happened_at,
        is_start,
        leadInFrame(name, 1, '') OVER next AS name_1,
        leadInFrame(happened_at, 1) OVER next AS time_1,
        leadInFrame(name, 2, '') OVER next AS name_2,
        leadInFrame(happened_at, 2) OVER next AS time_2
      FROM (
        SELECT player_id, happened_at, facts_sequence, facts_index, toString(event_name) AS name, ${start} AS is_start
        FROM events
        WHERE ${scope} AND player_id IN (SELECT player_id FROM events WHERE ${scope} AND ${start})
      )
      WINDOW next AS (
        PARTITION BY player_id ORDER BY happened_at, facts_sequence, facts_index
        ROWS BETWEEN CURRENT ROW AND 2 FOLLOWING
      )
    )
    WHERE is_start
  )
  GROUP BY first, second
)
ORDER BY times DESC, first, second
LIMIT ${bind('UInt32', question.limit)}`;
  return { sql, parameters: bindings.parameters };
}
