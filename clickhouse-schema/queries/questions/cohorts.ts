import type { Bindings, Statement } from './bindings.ts';
import type { CohortColumn, LtvQuestion, RetentionQuestion } from './question.ts';

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
export function retentionStatement(question: RetentionQuestion, bindings: Bindings): Statement {
  const days = bindings.bind('Array(UInt32)', question.days);
  const retained = `sumForEach(arrayMap(n -> toUInt64(day = cohort_day + n), ${days})) AS retained`;
  return cohortStatement(bindings, question, [retained]);
}

/**
 * Rows `{key, cohort, players, payers, revenue}`: a first day, its players, those of them who bought in the days that
 * are read, and for each of `days` the revenue of all up to and including that day. Read from `player_days`, as the
 * view `ltv_by_cohort` is.
 */
export function ltvStatement(question: LtvQuestion, bindings: Bindings): Statement {
  const days = bindings.bind('Array(UInt32)', question.days);
  return cohortStatement(bindings, question, [
    'countIf(first_purchase_day = day) AS payers',
    `sumForEach(arrayMap(n -> if(day <= cohort_day + n, toFloat64(days.revenue), 0.), ${days})) AS revenue`,
  ]);
}

type CohortQuestion = RetentionQuestion | LtvQuestion;

function cohortStatement(bindings: Bindings, question: CohortQuestion, figures: readonly string[]): Statement {
  const { game, environment, fromMs, toMs, days, by, limit } = question;
  const { bind, parameters } = bindings;
  const from = dayOf(bindings, fromMs);
  const cohorts = `game_id = ${bind('String', game)} AND environment = ${bind('String', environment)}
  AND cohort_day >= ${from} AND cohort_day < ${dayOf(bindings, toMs)} AND day >= ${from}
  AND first_day = cohort_day`;
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
  ${figures.join(',\n  ')}
FROM player_days AS days FINAL
WHERE ${cohorts} AND day <= ${dayOf(bindings, toMs)} + ${bind('UInt32', Math.max(0, ...days))}
  AND ${by === undefined ? '1' : ofLargest}
GROUP BY key, cohort_day
ORDER BY key, cohort_day`;
  return { sql, parameters };
}

/**
 * The first days of players as a source of measures: `happened_at` is then when a player was first seen, and the other
 * columns are those of the first day.
 */
export function firstDays(bindings: Bindings, { fromMs, toMs }: { fromMs: number; toMs: number }): string {
  // By month of `day` the table is partitioned; `cohort_at` lies on that day.
  return `(
    SELECT game_id, environment, player_id, cohort_at AS happened_at, cohort_at AS received_at, country, platform, app_version
    FROM player_days FINAL
    WHERE day = cohort_day AND day >= ${dayOf(bindings, fromMs)} AND day <= ${dayOf(bindings, toMs)}
  )`;
}

function dayOf({ moment }: Bindings, ms: number): string {
  return `toDate(${moment(ms)}, 'UTC')`;
}
