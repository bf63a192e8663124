import type { Bindings, Statement } from './bindings.ts';
import { IN_COHORT } from '../../behaviour/retention.ts';
import type { CohortColumn, LtvQuestion } from './question.ts';

/** What a player's first day says of it, which each of its days repeats. */
export const COHORT_TEXT: Readonly<Record<CohortColumn, string>> = {
  country: 'toString(cohort_country)',
  platform: 'toString(cohort_platform)',
  app_version: 'toString(cohort_app_version)',
};

/**
 * Rows `{key, cohort, players, payers, revenue}`: a first day, its players, those of them who bought in the days that
 * are read, and for each of `days` the revenue of all up to and including that day, less what was refunded by then.
 * Read from `player_days` and the refunds, as the view `ltv_by_cohort` is.
 */
export function ltvStatement(question: LtvQuestion, bindings: Bindings): Statement {
  const days = bindings.bind('Array(UInt32)', question.days);
  const figures = [
    'countIf(day = cohort_day AND NOT is_refund) AS players',
    'countIf(first_purchase_day = day AND NOT is_refund) AS payers',
    `sumForEach(arrayMap(n -> if(day <= cohort_day + n, toFloat64(paid), 0.), ${days})) AS revenue`,
  ];
  return cohortStatement(bindings, question, daysAndRefunds(bindings, question), figures);
}

/** Days of players, and each day on which purchases of a player were refunded, with the columns of its first day. */
function daysAndRefunds(bindings: Bindings, { game, environment, fromMs, zone }: LtvQuestion): string {
  const scope = `game_id = ${bindings.bind('String', game)} AND environment = ${bindings.bind('String', environment)}`;
  return `(
  SELECT *, gross_revenue AS paid, false AS is_refund FROM player_days FINAL WHERE ${scope}
  UNION ALL
  SELECT first_days.* REPLACE (refunds.refund_day AS day), refunds.refunded, true
  FROM player_days AS first_days FINAL
  INNER JOIN (
    SELECT player_id AS refund_player, toDate(happened_at, ${bindings.bind('String', zone)}) AS refund_day, sum(amount) AS refunded
    FROM purchases
    WHERE ${scope} AND kind = 'refund' AND received_at >= ${bindings.moment(fromMs)}
    GROUP BY refund_player, refund_day
  ) AS refunds ON refunds.refund_player = first_days.player_id
  WHERE ${scope} AND first_days.day = first_days.cohort_day
) AS days`;
}

function cohortStatement(
  bindings: Bindings,
  question: LtvQuestion,
  source: string,
  figures: readonly string[],
): Statement {
  const { game, environment, fromMs, toMs, zone, days, by, limit } = question;
  const { bind, parameters } = bindings;
  const from = dayOf(bindings, zone, fromMs);
  const cohorts = `game_id = ${bind('String', game)} AND environment = ${bind('String', environment)}
  AND cohort_day >= ${from} AND cohort_day < ${dayOf(bindings, zone, toMs)} AND day >= ${from}
  AND ${IN_COHORT}`;
  const key = by === undefined ? `''` : COHORT_TEXT[by];
  const ofLargest = `${key} IN (
    SELECT ${key} AS key FROM player_days FINAL WHERE ${cohorts} AND day = cohort_day
    GROUP BY key ORDER BY count() DESC, key LIMIT ${bind('UInt32', limit)}
  )`;
  const sql = `
SELECT
  ${key} AS key,
  toString(cohort_day) AS cohort,
  ${figures.join(',\n  ')}
FROM ${source}
WHERE ${cohorts} AND day <= ${dayOf(bindings, zone, toMs)} + ${bind('UInt32', Math.max(0, ...days))}
  AND ${by === undefined ? '1' : ofLargest}
GROUP BY key, cohort_day
ORDER BY key, cohort_day`;
  return { sql, parameters };
}

function dayOf({ bind, moment }: Bindings, zone: string, ms: number): string {
  return `toDate(${moment(ms)}, ${bind('String', zone)})`;
}
