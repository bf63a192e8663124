import { activeDays, lifecycleMoves } from './behaviour/activity.ts';
import { type Bindings, ofGame, type Statement } from './bindings.ts';
import { ltvPlayers } from './cohorts.ts';
import { funnelPlayers } from './behaviour/funnel.ts';
import { measuredPlayers } from './measures.ts';
import { pathPlayers } from './behaviour/paths.ts';
import type { Behind, PlayersQuestion } from './asked.ts';
import { retentionPlayers } from './behaviour/retention.ts';

/*
 * The players behind a figure, from the statement that gives the figure. `key` is the value of `by`, '' without.
 */

/**
 * Rows `{total, ids, players}`: one row with the number of all players, and with the ids, or what is known of the
 * players of the page, of at most `limit` of them.
 */
export function playersStatement(question: PlayersQuestion, bindings: Bindings): Statement {
  const { of, shows, afterPlayerId, limit } = question;
  const { bind, parameters } = bindings;
  const page = `
  SELECT groupArray(player_id) AS ids, any(of_all) AS total
  FROM (
    SELECT player_id, of_all FROM (SELECT player_id, count() OVER () AS of_all FROM (${playersOf(of, bindings)}))
    WHERE player_id > toUUID(${bind('String', afterPlayerId)})
    ORDER BY player_id LIMIT ${bind('UInt32', limit)}
  )`;
  if (shows === 'ids') return { sql: `SELECT total, ids FROM (${page})`, parameters };
  const known = ['external_id', 'lifecycle_stage', 'country', 'toFloat64(total_revenue) AS revenue', 'is_payer'];
  const sql = `
WITH (SELECT (ids, total) FROM (${page})) AS page
SELECT toString(player_id) AS player_id, page.2 AS total, ${known.join(', ')},
  toUnixTimestamp64Milli(last_seen_at) AS last_ms
FROM (SELECT arrayJoin(page.1) AS player_id) AS found
LEFT ANY JOIN (
  SELECT * FROM players
  WHERE ${ofGame(bindings, question)}
    AND player_id IN (SELECT arrayJoin(page.1))
) AS players USING (player_id)
ORDER BY found.player_id`;
  return { sql, parameters };
}

/** Rows `{player_id}`, each player once. */
function playersOf(of: Behind, bindings: Bindings): string {
  const { bind } = bindings;
  switch (of.kind) {
    case 'measured': {
      const { part, question, range, key } = of;
      return measuredPlayers(bindings, part, { ...question, ...range }, question.by, key);
    }
    case 'retention':
      return retentionPlayers(of.question, of, bindings);
    case 'ltv':
      return ltvPlayers(of.question, of, bindings);
    case 'funnel': {
      const step = bind('UInt32', of.step);
      const reached = {
        reached: `level >= ${step}`,
        converted: `level > ${step}`,
        dropped: `level = ${step} AND NOT inside`,
        inside: `level = ${step} AND inside`,
      }[of.outcome];
      const players = funnelPlayers(of.question, bindings);
      return `SELECT player_id FROM (${players}) WHERE key = ${bind('String', of.key)} AND ${reached}`;
    }
    case 'paths':
      return pathPlayers(of.question, of, bindings);
    case 'lifecycle':
    case 'stickiness': {
      const start = `start = toDate(${bind('String', of.day)})`;
      if (of.kind === 'stickiness') {
        const days = bind('UInt32', of.days);
        return `SELECT player_id FROM (${activeDays(of.question, bindings)}) WHERE ${start} AND days = ${days}`;
      }
      return `SELECT player_id FROM (${lifecycleMoves(of.question, bindings)})
WHERE ${start} AND state = ${bind('String', of.state)} GROUP BY player_id HAVING sum(weight) > 0`;
    }
  }
}
