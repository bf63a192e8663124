import { INTERVAL_SQL } from '../../../behaviour/intervals.ts';
import { type Bindings, dayOf, type Statement } from '../bindings.ts';
import { daysInScope, passing } from '../filters.ts';
import type { LifecycleQuestion, StickinessQuestion } from '../question.ts';

/* Players by the days on which they were active, from the rows of `player_days` alone. */

/** Rows `{day, state, players}`: the first day of an interval. */
export function lifecycleStatement(question: LifecycleQuestion, bindings: Bindings): Statement {
  const sql = `
SELECT toString(start) AS day, state, sum(weight) AS players
FROM (${lifecycleMoves(question, bindings)})
GROUP BY start, state
ORDER BY start, state`;
  return { sql, parameters: bindings.parameters };
}

/**
 * Rows `{player_id, start, state, weight}`. Whoever is active in an interval is in one state there, and is dormant in
 * the next one unless it is current then: the weights of a player, interval and state sum up to 1 or 0.
 */
export function lifecycleMoves(question: LifecycleQuestion, bindings: Bindings): string {
  const { interval, beforeMs, fromMs, toMs, where, zone } = question;
  const { startOf, later } = INTERVAL_SQL[interval];
  const day = (ms: number): string => dayOf(bindings, bindings.moment(ms), zone);
  return `
  SELECT player_id, move.1 AS start, move.2 AS state, move.3 AS weight
  FROM (
    SELECT player_id, ${startOf('day')} AS own, ${ownState(question)} AS own_state
    FROM player_days FINAL
    WHERE ${daysInScope(bindings, { ...question, fromMs: beforeMs })}
      AND ifNull(${startOf('previous_day')} < own, true)${passing(bindings, where, question, 'player_days')}
  )
  ARRAY JOIN [(own, own_state, 1), (${later('own', '1')}, 'dormant', 1), (own, 'dormant', if(own_state = 'current', -1, 0))] AS move
  WHERE start >= ${day(fromMs)} AND start < ${day(toMs)}`;
}

/** The state of a player by its first day in the interval `own`. Without a row of its first day it was seen earlier. */
function ownState({ interval }: LifecycleQuestion): string {
  const { startOf, later } = INTERVAL_SQL[interval];
  return `multiIf(day = cohort_day, 'new', ifNull(${startOf('previous_day')} = ${later('own', '-1')}, false), 'current', 'resurrected')`;
}

/** Rows `{day, days, players}`: players by the number of days of an interval on which they were active. */
export function stickinessStatement(question: StickinessQuestion, bindings: Bindings): Statement {
  const sql = `
SELECT toString(start) AS day, days, count() AS players
FROM (${activeDays(question, bindings)})
GROUP BY start, days
ORDER BY start, days`;
  return { sql, parameters: bindings.parameters };
}

/** Rows `{player_id, start, days}`. */
export function activeDays(question: StickinessQuestion, bindings: Bindings): string {
  const { startOf } = INTERVAL_SQL[question.interval];
  return `
  SELECT player_id, ${startOf('day')} AS start, count() AS days
  FROM player_days FINAL
  WHERE ${daysInScope(bindings, question)}${passing(bindings, question.where, question, 'player_days')}
  GROUP BY player_id, start`;
}
