import { createBindings, type Statement } from './bindings.ts';
import type { CohortColumn, RetentionQuestion } from './question.ts';

/** What a player's first day says of it, which each of its days repeats. */
const COHORT_TEXT: Readonly<Record<CohortColumn, string>> = {
  country: 'toString(cohort_country)',
  platform: 'toString(cohort_platform)',
  app_version: 'toString(cohort_app_version)',
};

/**
 * Rows `{key, cohort, players, retained}`: a first day, its players, and for each of `days` how many were active that
 * many UTC days later. Read from `player_days`, as the view `retention_by_cohort` is.
 */
export function retentionStatement(question: RetentionQuestion): Statement {
  const { game, environment, fromMs, toMs, days, by, limit } = question;
  const { bind, parameters } = createBindings();
  const dayOf = (ms: number): string => `toDate(fromUnixTimestamp64Milli(${bind('Int64', ms)}, 'UTC'), 'UTC')`;
  const cohorts = `game_id = ${bind('String', game)} AND environment = ${bind('String', environment)}
  AND cohort_day >= ${dayOf(fromMs)} AND cohort_day < ${dayOf(toMs)} AND day >= ${dayOf(fromMs)}`;
  const key = by === undefined ? `''` : COHORT_TEXT[by];
  const ofLargest = `${key} IN (
    SELECT ${key} AS key FROM player_days FINAL WHERE ${cohorts} AND day = cohort_day
    GROUP BY key ORDER BY count() DESC, key LIMIT ${bind('UInt32', limit)}
  )`;
  const sql = `
SELECT
  ${key} AS key,
  toString(cohort_day) AS cohort,
  countIf(day = cohort_day) AS players,
  sumForEach(arrayMap(n -> toUInt64(day = cohort_day + n), ${bind('Array(UInt32)', days)})) AS retained
FROM player_days FINAL
WHERE ${cohorts} AND day < ${dayOf(toMs)} + ${bind('UInt32', Math.max(0, ...days))}
  AND ${by === undefined ? '1' : ofLargest}
GROUP BY key, cohort_day
ORDER BY key, cohort_day`;
  return { sql, parameters };
}
