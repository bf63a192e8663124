import { INTERVAL_SQL } from '../../../behaviour/intervals.ts';
import { IN_COHORT } from '../../../behaviour/retention.ts';
import { LATE_MS } from '../../../event-time.ts';
import { columnSql } from '../../../metrics/dimension-sql.ts';
import { type Bindings, dayOf, inScope, ofGame, type Statement } from '../bindings.ts';
import { COHORT_TEXT } from '../cohorts.ts';
import { eventsOf } from '../dimensions.ts';
import { passing } from '../filters.ts';
import type { FunnelStep, RetentionQuestion, Scope } from '../question.ts';

/**
 * Rows `{key, cohort, players, retained}`: the first day of an interval, the players who began in it, and for each of
 * `periods` how many of them returned that many intervals later.
 */
export function retentionStatement(question: RetentionQuestion, bindings: Bindings): Statement {
  const { by, limit, periods } = question;
  const numbers = bindings.bind('Array(UInt32)', periods);
  const largest = `key IN (
  SELECT key FROM (${begun(question, bindings)}) GROUP BY key ORDER BY count() DESC, key LIMIT ${bindings.bind('UInt32', limit)}
)`;
  const sql = `
SELECT
  key,
  toString(cohort) AS cohort,
  countIf(is_first) AS players,
  sumForEach(arrayMap(n -> toUInt64(${returnedIn(question, 'n')}), ${numbers})) AS retained
FROM (${returnsOf(question, bindings)})
${by === undefined ? '' : `WHERE ${largest}`}
GROUP BY key, cohort
ORDER BY key, cohort`;
  return { sql, parameters: bindings.parameters };
}

/** The players of a cohort, or those of them who returned `after` intervals later. */
export function retentionPlayers(
  question: RetentionQuestion,
  { day, after, key }: { day: string; after: number | undefined; key: string },
  bindings: Bindings,
): string {
  const { bind } = bindings;
  const counts = after === undefined ? 'is_first' : returnedIn(question, bind('UInt32', after));
  return `
SELECT player_id FROM (${returnsOf(question, bindings)})
WHERE key = ${bind('String', key)} AND cohort = toDate(${bind('String', day)}) AND ${counts}`;
}

/** Whether a row of `returnsOf` counts in an interval after the first. */
const returnedIn = ({ method }: RetentionQuestion, period: string): string =>
  `period ${method === 'classic' ? '=' : '>='} ${period}`;

/** Rows `{key, cohort, player_id, period, is_first}`, one of a player and interval; rolling: one of a player. */
function returnsOf(question: RetentionQuestion, bindings: Bindings): string {
  const isOfDays = question.firstEvent === undefined && question.returnEvent === undefined;
  const returns = isOfDays ? returnsOfDays(question, bindings) : returnsOfEvents(question, bindings);
  // Rolling: the last return of a player is one to all intervals before it.
  return question.method === 'classic' ? returns : lastReturn(returns);
}

const lastReturn = (returns: string): string => `
  SELECT key, cohort, player_id, max(period) AS period, true AS is_first FROM (${returns})
  GROUP BY key, cohort, player_id`;

/** Days of players, one of each interval: `{key, cohort, player_id, period, is_first}`. */
function returnsOfDays(question: RetentionQuestion, bindings: Bindings): string {
  const { interval, by } = question;
  const { startOf, between } = INTERVAL_SQL[interval];
  const isNew = interval === 'day' ? '' : ` AND ifNull(${startOf('previous_day')} < ${startOf('day')}, true)`;
  return `
  SELECT ${by === undefined ? `''` : COHORT_TEXT[by]} AS key, ${startOf('cohort_day')} AS cohort, player_id,
    ${between('cohort_day', 'day')} AS period, day = cohort_day AS is_first
  FROM player_days FINAL
  WHERE ${cohorts(question, bindings)}${before(question, bindings, 'day')}${isNew}`;
}

/** The same of players who begin or return with an event: a row of the period -1, and one of each interval. */
function returnsOfEvents(question: RetentionQuestion, bindings: Bindings): string {
  const { startOf, between } = INTERVAL_SQL[question.interval];
  const starts = `groupUniqArray(${startOf('returned')})`;
  return `
  SELECT key, cohort, player_id,
    arrayJoin(arrayPushFront(arrayMap(start -> ${between('cohort', 'start')}, arrayFilter(start -> start >= cohort, starts)), toInt64(-1))) AS period,
    period = -1 AS is_first
  FROM (${begun(question, bindings)}) AS begun
  LEFT ANY JOIN (
    SELECT player_id, ${starts} AS starts FROM (${returned(question, bindings)}) GROUP BY player_id
  ) AS returns USING (player_id)`;
}

/** Players and the interval in which they began: `{player_id, key, cohort}`. */
function begun(question: RetentionQuestion, bindings: Bindings): string {
  const { firstEvent, interval, zone, by } = question;
  const { startOf } = INTERVAL_SQL[interval];
  if (firstEvent === undefined) {
    return `
    SELECT player_id, ${by === undefined ? `''` : COHORT_TEXT[by]} AS key, ${startOf('cohort_day')} AS cohort
    FROM player_days FINAL
    WHERE ${cohorts(question, bindings)} AND day = cohort_day`;
  }
  const text = by === undefined ? undefined : columnSql(by, 'events')?.text;
  const key = text === undefined ? `''` : `argMin(${text}, (happened_at, facts_sequence, facts_index))`;
  return `
    SELECT player_id, ${key} AS key, ${startOf(dayOf(bindings, 'min(happened_at)', zone))} AS cohort
    FROM ${eventsOf(bindings, question)}
    WHERE ${inScope(bindings, question)} AND ${isEvent(bindings, firstEvent, question)}
    GROUP BY player_id`;
}

/** Players and the days on which they returned: `{player_id, returned}`. */
function returned(question: RetentionQuestion, bindings: Bindings): string {
  const { returnEvent, zone } = question;
  if (returnEvent === undefined) {
    return `
      SELECT player_id, day AS returned FROM player_days FINAL
      WHERE ${ofGame(bindings, question)} AND day >= ${dayAt(question, bindings, question.fromMs)}${before(question, bindings, 'day')}`;
  }
  const scope = { ...question, toMs: lastMs(question) };
  const day = dayOf(bindings, 'happened_at', zone);
  return `
      SELECT player_id, ${day} AS returned FROM ${eventsOf(bindings, question)}
      WHERE ${inScope(bindings, scope)} AND ${isEvent(bindings, returnEvent, scope)}${before(question, bindings, day)}`;
}

/** First days in the range, and the days after them. */
function cohorts(question: RetentionQuestion, bindings: Bindings): string {
  const from = dayAt(question, bindings, question.fromMs);
  return `${ofGame(bindings, question)}
    AND cohort_day >= ${from} AND cohort_day < ${dayAt(question, bindings, question.toMs)} AND day >= ${from}
    AND ${IN_COHORT}`;
}

/** Days up to the last interval that is asked for; rolling asks for all. A condition that begins with AND. */
function before(question: RetentionQuestion, bindings: Bindings, day: string): string {
  if (question.method === 'rolling') return '';
  const { later } = INTERVAL_SQL[question.interval];
  const most = bindings.bind('UInt32', Math.max(0, ...question.periods));
  return ` AND ${day} < ${later(dayAt(question, bindings, question.toMs), most)}`;
}

/** A moment by which the last interval that is asked for is over. */
function lastMs({ method, interval, periods, toMs }: RetentionQuestion): number {
  if (method === 'rolling') return LAST_MS;
  return Math.min(LAST_MS, toMs + (1 + LONGEST_DAYS[interval] * Math.max(0, ...periods)) * DAY_MS);
}

const DAY_MS = 86_400_000;
const LONGEST_DAYS = { day: 1, week: 7, month: 31 } as const;
/** Near the last moment of the columns, with room for rows that come late. */
const LAST_MS = Date.UTC(2299, 0, 1) - LATE_MS;

const dayAt = ({ zone }: Scope, bindings: Bindings, ms: number): string => dayOf(bindings, bindings.moment(ms), zone);

const isEvent = (bindings: Bindings, { eventName, where }: FunnelStep, scope: Scope): string =>
  `event_name = ${bindings.bind('String', eventName)}${passing(bindings, where, scope)}`;
