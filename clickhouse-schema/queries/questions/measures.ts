import { type Bindings, inScope, type Statement } from './bindings.ts';
import { named, numberOf, passing, textOf } from './dimensions.ts';
import { type BreakdownQuestion, type Interval, METRIC_TABLES, type TrendQuestion } from './question.ts';
import { firstDays } from './cohorts.ts';

/*
 * Trends and breakdowns: a metric grouped by time, by a dimension, or by both.
 *
 * Distinct players are counted in sets. If these need more memory than a statement may have, the question is asked
 * again with `spills`: groups spill to disk.
 */

type Measured = TrendQuestion | BreakdownQuestion;

const START: Readonly<Record<Interval, string>> = {
  hour: `toStartOfHour(happened_at, 'UTC')`,
  day: `toStartOfDay(happened_at, 'UTC')`,
  week: `toDateTime(toMonday(happened_at, 'UTC'), 'UTC')`,
  month: `toDateTime(toStartOfMonth(happened_at, 'UTC'), 'UTC')`,
};

/** Rows `{at, key, value}`: seconds since 1970 of the interval's start, the value of the dimension, the metric. */
export function trendStatement(question: TrendQuestion, bindings: Bindings): Statement {
  const { by, limit } = question;
  const ofLargest =
    by === undefined
      ? ''
      : ` AND ${textOf(bindings, by)} IN (
  SELECT key FROM (${grouped(bindings, question, { key: textOf(bindings, by) })})
  ORDER BY value DESC, key LIMIT ${bindings.bind('UInt32', limit)}
)`;
  const columns = { at: `toUnixTimestamp(${START[question.interval]})`, key: by ? textOf(bindings, by) : `''` };
  return {
    sql: `${grouped(bindings, question, columns, ofLargest)}\nORDER BY at, key`,
    parameters: bindings.parameters,
  };
}

/**
 * The same as rows `{key, starts, figures}`: a value of the dimension, the starts of intervals, the metric in each.
 * So the value, which may be long, is there once and not once for each interval.
 */
export function seriesStatement(question: TrendQuestion, bindings: Bindings): Statement {
  const { sql, parameters } = trendStatement(question, bindings);
  const series = 'SELECT key, groupArray(at) AS starts, groupArray(ifNull(value, 0)) AS figures';
  return { sql: `${series}\nFROM (${sql})\nGROUP BY key`, parameters };
}

/** Rows `{key, value, keys, total}`: the last two over all values, not only those that are shown. */
export function breakdownStatement(question: BreakdownQuestion, bindings: Bindings): Statement {
  const rows = grouped(bindings, question, { key: textOf(bindings, question.by) });
  return {
    sql: `SELECT key, value, count() OVER () AS keys, sum(value) OVER () AS total
FROM (${rows})
ORDER BY value DESC, key
LIMIT ${bindings.bind('UInt32', question.limit)}`,
    parameters: bindings.parameters,
  };
}

/** The metric grouped by expressions. @param more further conditions, each beginning with AND */
function grouped(bindings: Bindings, question: Measured, columns: Readonly<Record<string, string>>, more = ''): string {
  const names = Object.keys(columns).join(', ');
  const expressions = Object.entries(columns).map(([name, expression]) => `${expression} AS ${name}`);
  const from = `FROM ${sourceOf(bindings, question)} WHERE ${inScope(bindings, question)}${conditionsOf(bindings, question)}${more}`;
  const { perPlayer, value } = measureOf(bindings, question);
  if (perPlayer === undefined) return `SELECT ${expressions.join(', ')}, ${value} AS value ${from} GROUP BY ${names}`;
  const players = `SELECT ${expressions.join(', ')}, ${perPlayer} AS times ${from} GROUP BY ${names}, player_id`;
  return `SELECT ${names}, ${value} AS value FROM (${players}) GROUP BY ${names}`;
}

function sourceOf(bindings: Bindings, question: Measured): string {
  const table = METRIC_TABLES[question.metric];
  return table === 'player_days' ? firstDays(bindings, question) : table;
}

function conditionsOf(bindings: Bindings, { eventNames, where }: Measured): string {
  return named(bindings, eventNames) + passing(bindings, where);
}

interface Measure {
  /** The figure of one player, if players are counted; `value` then counts them by `times`. */
  perPlayer?: string;
  value: string;
}

function measureOf(bindings: Bindings, { metric, property = '', spills = false }: Measured): Measure {
  switch (metric) {
    case 'events':
    case 'sessions':
    case 'new_players':
      return { value: 'toFloat64(count())' };
    case 'players':
      return spills ? { perPlayer: '1', value: 'toFloat64(count())' } : { value: 'toFloat64(uniqExact(player_id))' };
    case 'sum':
      return { value: `sum(${numberOf(bindings, property)})` };
    case 'playtime_seconds':
      return { value: 'toFloat64(sum(duration_seconds))' };
    // A purchase that was taken back has a row with -1.
    case 'purchases':
      return { value: 'toFloat64(sum(counts))' };
    case 'payers':
      return { perPlayer: 'sum(counts)', value: 'toFloat64(countIf(times > 0))' };
    case 'revenue':
      return { value: 'toFloat64(sum(amount))' };
  }
}
