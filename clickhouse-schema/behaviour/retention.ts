import { countedPlayers } from '../counted-players.ts';
import { INTERVAL_SQL } from './intervals.ts';

/* Retention in SQL, which the views and the queries share. */

/** Rows of `player_days` whose player counts and is in a cohort: see `first_day` there. */
export const IN_COHORT = `first_day = cohort_day AND ${countedPlayers()}`;

/** The days that views have as columns. */
const VIEW_DAYS = [1, 3, 7, 14, 30];

/** The share of `players` for which a condition holds, while the cohort's day `over` is over. */
function shareColumn(name: string, counted: string, over: string, today: string): string {
  return `if(${over} < ${today}, round(${counted} / players, 4), NULL) AS ${name}`;
}

/** The columns `d1` to `d30` of a view that counts players on exactly the Nth day after the first. */
export function retainedDays(cohort: string, day: string, today: string): string {
  const { between, later } = INTERVAL_SQL.day;
  return VIEW_DAYS.map((n) =>
    shareColumn(`d${n}`, `countIf(${between(cohort, day)} = ${n})`, later(cohort, String(n)), today),
  ).join(',\n    ');
}

/** The same of windows of 24 hours after the first event: two days have hours of the Nth window. */
export function retainedWindows(today: string): string {
  const { between, later } = INTERVAL_SQL.day;
  const sinceFirst = between('cohort_day', 'day');
  return VIEW_DAYS.map((n) => {
    const inWindow =
      `(${sinceFirst} = ${n} AND last_at >= cohort_at + INTERVAL ${24 * n} HOUR) OR ` +
      `(${sinceFirst} = ${n + 1} AND first_at < cohort_at + INTERVAL ${24 * (n + 1)} HOUR)`;
    return shareColumn(`d${n}`, `uniqExactIf(player_id, ${inWindow})`, later('cohort_day', String(n + 1)), today);
  }).join(',\n    ');
}

/** A view of first days. @param part a column of the first day by which there is a row, with its name; '': none */
export function cohortView(part: string, figures: string): string {
  const [column = ''] = part.split(' AS ');
  return `SELECT
    cohort_day,
    game_id,${part === '' ? '' : `\n    ${part},`}
    countIf(day = cohort_day) AS players,
    ${figures}
FROM player_days FINAL
WHERE environment = 'live' AND ${IN_COHORT}
GROUP BY game_id, cohort_day${column === '' ? '' : `, ${column}`}`;
}
