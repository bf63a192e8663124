import { measureOf } from '../../../core/vocabulary/metrics/metrics.ts';
import { measureSql, sumSql } from '../../metrics/measure-sql.ts';
import type { Bindings, Statement } from './bindings.ts';
import { numberOf } from './dimensions.ts';
import type { BreakdownQuestion, Dimension, Interval, Part, Scope, TrendQuestion } from './question.ts';
import { type Rows, rowsOf, startOf, startOfDay, windowRows } from './rows-of.ts';

/*
 * Trends and breakdowns: one measure, or one divided by another, grouped by time, by a dimension, or by both.
 *
 * Distinct players are counted in sets. If these need more memory than a statement may have, the question is asked
 * again with `spills`: groups spill to disk.
 */

type Measured = TrendQuestion | BreakdownQuestion;

/**
 * Rows `{at, key, value}`: the start of the interval in seconds since 1970, the value of the dimension. With one also
 * `size`.
 */
export function trendStatement(question: TrendQuestion, bindings: Bindings): Statement {
  const { by, limit, interval, beforeMs, fromMs } = question;
  const largest =
    by === undefined
      ? undefined
      : `SELECT key FROM (
${grouped(bindings, { ...question, parts: ranking(question.parts) }, question, { by })}
) ORDER BY size DESC, key LIMIT ${bindings.bind('UInt32', limit)}`;
  const scope = { ...question, fromMs: beforeMs ?? fromMs };
  return {
    sql: `${grouped(bindings, question, scope, { by, interval }, largest)}\nORDER BY at, key`,
    parameters: bindings.parameters,
  };
}

/**
 * The same as rows `{key, points, size}`: a value of the dimension, pairs of start and metric. So the value, which may
 * be long, is there once and not once for each interval.
 */
export function seriesStatement(question: TrendQuestion, bindings: Bindings): Statement {
  const { sql, parameters } = trendStatement(question, bindings);
  const size = question.by === undefined ? '0.' : 'sum(size)';
  const series = `SELECT key, groupArray((at, value)) AS points, ${size} AS size`;
  return { sql: `${series}\nFROM (${sql})\nGROUP BY key`, parameters };
}

/** Rows `{key, value, size, keys, total}`: the last two over all values, not only those that are shown. */
export function breakdownStatement(question: BreakdownQuestion, bindings: Bindings): Statement {
  const { by, limit } = question;
  return {
    sql: `SELECT key, value, size, count() OVER () AS keys, sum(value) OVER () AS total
FROM (
${grouped(bindings, question, question, { by })}
)
ORDER BY size DESC, key
LIMIT ${bindings.bind('UInt32', limit)}`,
    parameters: bindings.parameters,
  };
}

/** What rows are grouped by. */
interface Groups {
  by?: Dimension | undefined;
  interval?: Interval;
}

/**
 * Rows with a value and a size for each group. The size orders groups: it is the value of what can be added up, else
 * how much the value is of.
 */
function grouped(bindings: Bindings, { parts, spills }: Measured, scope: Scope, groups: Groups, keys?: string): string {
  const [first, second] = parts;
  if (second === undefined) return part(bindings, { ...first, spills }, scope, groups, keys);
  const columns = groups.interval === undefined ? 'key' : 'at, key';
  const read = [first, second].map((one, place) => {
    const of = place === 0 ? 'value AS numerator, 0. AS denominator' : '0. AS numerator, value AS denominator';
    return `SELECT ${columns}, ${of} FROM (\n${part(bindings, { ...one, spills }, scope, groups, keys)}\n)`;
  });
  return `SELECT ${columns}, sum(numerator) / nullIf(sum(denominator), 0) AS value${groups.by === undefined ? '' : ', sum(denominator) AS size'}
FROM (
${read.join('\nUNION ALL\n')}
)
GROUP BY ${columns}`;
}

interface Read extends Part {
  spills?: boolean | undefined;
}

function part(bindings: Bindings, read: Read, scope: Scope, { by, interval }: Groups, keys?: string): string {
  const { source, windowDays } = measureOf(read.measure);
  const rows = readOf(bindings, read, scope, by);
  const start = (each: Interval): string =>
    windowDays === undefined
      ? startOf(bindings, source, each, scope.zone)
      : startOfDay(bindings, 'on_day', each, scope.zone);
  const columns = { ...(interval === undefined ? {} : { at: start(interval) }), key: rows.key };
  const { size = 'value', ...figure } = figureOf(bindings, read, scope);
  return ofRows({ ...figure, size: by === undefined ? undefined : size }, rows, columns, keys);
}

/** The rows of a measure in a range. */
function readOf(bindings: Bindings, read: Part, scope: Scope, by: Dimension | undefined): Rows {
  const { source, windowDays } = measureOf(read.measure);
  return windowDays === undefined
    ? rowsOf(bindings, { ...read, source }, scope, by)
    : windowRows(bindings, { ...read, windowDays }, scope, by);
}

/**
 * The players whom a measure counts in a range, for one value of the dimension. If it counts something else: those
 * whose rows it counts or adds up, of a property those with a number there.
 */
export function measuredPlayers(
  bindings: Bindings,
  read: Part,
  scope: Scope,
  by: Dimension | undefined,
  value: string,
): string {
  const { from, key } = readOf(bindings, read, scope, by);
  const { only, perPlayer, having } = figureOf(bindings, read, scope);
  const number = read.property === undefined ? '' : ` AND isNotNull(${numberOf(bindings, read.property, scope)})`;
  const isOfKey = by === undefined ? '' : ` AND ${key} = ${bindings.bind('String', value)}`;
  const rows = `${from}${only === undefined ? '' : ` AND ${only}`}${number}${isOfKey}`;
  if (having === undefined) return `SELECT DISTINCT player_id ${rows}`;
  return `SELECT player_id FROM (SELECT player_id, ${perPlayer ?? '1'} AS times ${rows} GROUP BY player_id) WHERE ${having}`;
}

/** @param keys a statement of the values of the dimension to which rows are restricted */
function ofRows(figure: Figure, { from, key }: Rows, columns: Readonly<Record<string, string>>, keys?: string): string {
  const names = Object.keys(columns).join(', ');
  const expressions = Object.entries(columns).map(([name, expression]) => `${expression} AS ${name}`);
  const { only, perPlayer, value, size } = figure;
  const more = (only === undefined ? '' : ` AND ${only}`) + (keys === undefined ? '' : ` AND ${key} IN (${keys})`);
  const figures = `${value} AS value${size === undefined ? '' : `, ${size} AS size`}`;
  if (perPlayer === undefined) return `SELECT ${expressions.join(', ')}, ${figures}\n${from}${more} GROUP BY ${names}`;
  const players = `SELECT ${expressions.join(', ')}, ${perPlayer} AS times\n${from}${more} GROUP BY ${names}, player_id`;
  return `SELECT ${names}, ${figures} FROM (${players}) GROUP BY ${names}`;
}

interface Figure {
  /** Rows that count. */
  only?: string | undefined;
  /** The figure of one player, if players are counted; `value` then counts them by `times`. */
  perPlayer?: string;
  /** Which players count by `times`; undefined: all who have rows. */
  having?: string;
  value: string;
  /** How much the value is of; undefined: it is one itself, or groups need no order. */
  size?: string | undefined;
}

function figureOf(bindings: Bindings, { measure, property = '', percentile = 50, spills }: Read, scope: Scope): Figure {
  const sql = measureSql(measure);
  switch (sql.kind) {
    case 'window':
      return { value: 'toFloat64(count())' };
    case 'sum':
      return { only: sql.only, value: `toFloat64(${sql.of === undefined ? 'count()' : `sum(${sql.of})`})` };
    case 'players': {
      const { only, having } = sql;
      if (having !== undefined)
        return { only, perPlayer: sumSql(having), having: 'times > 0', value: 'toFloat64(countIf(times > 0))' };
      return spills === true
        ? { only, perPlayer: '1', value: 'toFloat64(count())' }
        : { only, value: 'toFloat64(uniqExact(player_id))' };
    }
    case 'property': {
      const number = numberOf(bindings, property, scope);
      if (sql.aggregate === 'sum') return { value: `sum(coalesce(${number}, 0.))` };
      const size = `toFloat64(count(${number}))`;
      if (sql.aggregate === 'average') return { value: `avg(${number})`, size };
      return { value: `quantileExactOrNull(${percentile / 100})(${number})`, size };
    }
  }
}

/** The largest values of a measure of days that end with a day are those with the most players in the range. */
function ranking(parts: Measured['parts']): Measured['parts'] {
  const ranked = (one: Part): Part =>
    measureOf(one.measure).windowDays === undefined ? one : { ...one, measure: 'active_players' };
  const [first, second] = parts;
  return second === undefined ? [ranked(first)] : [ranked(first), ranked(second)];
}
