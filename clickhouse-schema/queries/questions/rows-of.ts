import type { Source } from '../../../core/vocabulary/metrics/metric.ts';
import { INTERVAL_SQL } from '../../behaviour/intervals.ts';
import { type Bindings, dayOf, inScope, ofGame } from './bindings.ts';
import { daysInScope, passing } from './filters.ts';
import { eventsOf, named, valueOf } from './dimensions.ts';
import type { Dimension, Interval, Part, Scope } from './question.ts';

/** Rows of a source to group: `from` ends with a WHERE that takes further conditions. */
export interface Rows {
  from: string;
  /** The value of the dimension that rows are grouped by, as text. */
  key: string;
}

interface SourceSql {
  /** What a statement reads, with all that its expressions name. */
  table: string;
  columns: string;
  /** The time of a row, or its day. */
  time: { at: string } | { day: string };
  inScope: (bindings: Bindings, scope: Scope) => string;
}

const OWN_COLUMNS = '*, happened_at';

const SOURCES: Readonly<Record<Source, SourceSql>> = {
  events: { table: 'events', columns: OWN_COLUMNS, time: { at: 'happened_at' }, inScope },
  sessions: { table: 'sessions', columns: OWN_COLUMNS, time: { at: 'happened_at' }, inScope },
  purchases: { table: 'purchases', columns: OWN_COLUMNS, time: { at: 'happened_at' }, inScope },
  player_days: { table: 'player_days FINAL', columns: '*', time: { day: 'day' }, inScope: daysInScope },
  first_days: {
    table: 'player_days FINAL',
    columns: '*',
    time: { at: 'cohort_at' },
    inScope: (bindings, scope) => `${daysInScope(bindings, scope)} AND day = cohort_day
    AND cohort_at >= ${bindings.moment(scope.fromMs)} AND cohort_at < ${bindings.moment(scope.toMs)}`,
  },
};

/** The rows of a part of a question in a range, with the value that they are split by. */
export function rowsOf(
  bindings: Bindings,
  part: Part & { source: Source },
  scope: Scope,
  by: Dimension | undefined,
): Rows {
  const { source } = part;
  const { columns, time, inScope: within, ...read } = SOURCES[source];
  const table = source === 'events' ? eventsOf(bindings, scope) : read.table;
  const where = `${within(bindings, scope)}${named(bindings, part.eventNames)}${passing(bindings, part.where, scope, source)}`;
  const value = by && valueOf(bindings, source, by, scope);
  if (value === undefined) return { key: `''`, from: `FROM ${table} WHERE ${where}` };
  switch (value.from) {
    case 'row':
      return { key: value.text, from: `FROM ${table} WHERE ${where}` };
    case 'day': {
      const day = 'at' in time ? dayOf(bindings, time.at, scope.zone) : time.day;
      const own = `SELECT ${columns}, ${day} AS on_day FROM ${table} WHERE ${where}`;
      const days = `SELECT player_id, day AS on_day, ${value.text} AS key_of_day FROM player_days FINAL
    WHERE ${daysInScope(bindings, scope)}`;
      return {
        key: 'key_of_day',
        from: `FROM (${own}) AS own LEFT ANY JOIN (${days}) AS days USING (player_id, on_day) WHERE 1`,
      };
    }
    case 'player':
      return {
        key: 'key_now',
        from: `FROM (SELECT ${columns} FROM ${table} WHERE ${where}) AS own
LEFT ANY JOIN (${playersNow(bindings, scope, value.text)}) AS now USING (player_id) WHERE 1`,
      };
  }
}

/**
 * A row for each player and day of a range on which it was active in the last `windowDays` days. A day of activity
 * counts from when the one before it no longer does, so that a player is there once.
 */
export function windowRows(
  bindings: Bindings,
  part: Part & { windowDays: number },
  scope: Scope,
  by: Dimension | undefined,
): Rows {
  const { bind, moment } = bindings;
  const length = bind('UInt32', part.windowDays);
  const gap = `least(toUInt32(ifNull(day - previous_day, ${length})), ${length})`;
  const days = `arrayMap(n -> day + n, range(toUInt32(${length} - ${gap}), toUInt32(${length})))`;
  const value = by && valueOf(bindings, 'player_days', by, scope);
  const read = { ...scope, fromMs: scope.fromMs - (part.windowDays - 1) * DAY_MS };
  const own = `SELECT player_id, arrayJoin(${days}) AS on_day FROM player_days FINAL
    WHERE ${daysInScope(bindings, read)}${passing(bindings, part.where, scope, 'player_days')}`;
  const day = (ms: number): string => dayOf(bindings, moment(ms), scope.zone);
  const within = `on_day >= ${day(scope.fromMs)} AND on_day <= ${day(scope.toMs - 1)}`;
  if (value?.from !== 'player') return { key: value?.text ?? `''`, from: `FROM (${own}) WHERE ${within}` };
  const now = playersNow(bindings, scope, value.text);
  return {
    key: 'key_now',
    from: `FROM (${own}) AS own LEFT ANY JOIN (${now}) AS now USING (player_id) WHERE ${within}`,
  };
}

const DAY_MS = 86_400_000;

function playersNow(bindings: Bindings, scope: Scope, text: string): string {
  return `SELECT player_id, ${text} AS key_now FROM players WHERE ${ofGame(bindings, scope)}`;
}

/** The start of a row's interval by a zone's clock, in seconds since 1970. */
export function startOf(bindings: Bindings, source: Source, interval: Interval, zone: string): string {
  const { time } = SOURCES[source];
  if (interval === 'hour' && 'at' in time) {
    return `toUnixTimestamp(toStartOfHour(${time.at}, ${bindings.bind('String', zone)}))`;
  }
  return startOfDay(bindings, 'at' in time ? dayOf(bindings, time.at, zone) : time.day, interval, zone);
}

/** The same of a day. */
export function startOfDay({ bind }: Bindings, day: string, interval: Interval, zone: string): string {
  const start = interval === 'hour' ? day : INTERVAL_SQL[interval].startOf(day);
  return `toUnixTimestamp(toDateTime(${start}, ${bind('String', zone)}))`;
}
