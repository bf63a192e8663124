import { addedSql, sumSql } from '../../metrics/measure-sql.ts';
import { type Bindings, dayOf, ofGame, type Statement } from './bindings.ts';
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
  const { by, limit, days } = question;
  const { bind, parameters } = bindings;
  const ofLargest = `key IN (
    SELECT ${keyOf(question)} AS key FROM player_days FINAL WHERE ${cohorts(question, bindings)} AND day = cohort_day
    GROUP BY key ORDER BY count() DESC, key LIMIT ${bind('UInt32', limit)}
  )`;
  const sql = `
SELECT
  key,
  toString(cohort_day) AS cohort,
  countIf(${IS_PLAYER}) AS players,
  countIf(${IS_PAYER}) AS payers,
  sumForEach(arrayMap(n -> if(day <= cohort_day + n, toFloat64(paid), 0.), ${bind('Array(UInt32)', days)})) AS revenue
FROM (${cohortDays(question, bindings)})
${by === undefined ? '' : `WHERE ${ofLargest}`}
GROUP BY key, cohort_day
ORDER BY key, cohort_day`;
  return { sql, parameters };
}

/** The players of a cohort, or its payers. */
export function ltvPlayers(
  question: LtvQuestion,
  { day, payers, key }: { day: string; payers: boolean; key: string },
  bindings: Bindings,
): string {
  const { bind } = bindings;
  return `
SELECT player_id FROM (${cohortDays(question, bindings)})
WHERE key = ${bind('String', key)} AND cohort_day = toDate(${bind('String', day)}) AND ${payers ? IS_PAYER : IS_PLAYER}`;
}

/** Each holds for one row of a player. */
const IS_PLAYER = 'day = cohort_day AND NOT is_refund';
const IS_PAYER = `${addedSql('first_time_payers')} AND NOT is_refund`;

const keyOf = ({ by }: LtvQuestion): string => (by === undefined ? `''` : COHORT_TEXT[by]);

/** Days of the players of cohorts, and each day on which purchases of one were refunded, with their first day. */
function cohortDays(question: LtvQuestion, bindings: Bindings): string {
  const { fromMs, toMs, zone, days } = question;
  const { bind, moment } = bindings;
  const scope = ofGame(bindings, question);
  return `
SELECT ${keyOf(question)} AS key, player_id, cohort_day, day, first_purchase_day, paid, is_refund
FROM (
  SELECT *, gross_revenue AS paid, false AS is_refund FROM player_days FINAL WHERE ${scope}
  UNION ALL
  SELECT first_days.* REPLACE (refunds.refund_day AS day), refunds.refunded, true
  FROM player_days AS first_days FINAL
  INNER JOIN (
    SELECT player_id AS refund_player, toDate(happened_at, ${bind('String', zone)}) AS refund_day, -${sumSql('refunds')} AS refunded
    FROM purchases
    WHERE ${scope} AND kind = 'refund' AND received_at >= ${moment(fromMs)}
    GROUP BY refund_player, refund_day
  ) AS refunds ON refunds.refund_player = first_days.player_id
  WHERE ${scope} AND first_days.day = first_days.cohort_day
) AS days
WHERE ${cohorts(question, bindings)} AND day <= ${dayOf(bindings, moment(toMs), zone)} + ${bind('UInt32', Math.max(0, ...days))}`;
}

/** First days in the range, and the days after them. */
function cohorts(question: LtvQuestion, bindings: Bindings): string {
  const { moment } = bindings;
  const { zone, fromMs, toMs } = question;
  const from = dayOf(bindings, moment(fromMs), zone);
  return `${ofGame(bindings, question)}
  AND cohort_day >= ${from} AND cohort_day < ${dayOf(bindings, moment(toMs), zone)} AND day >= ${from}
  AND ${IN_COHORT}`;
}
