/* Intervals of whole days in SQL. */

export const DAY_INTERVALS = ['day', 'week', 'month'] as const;
export type DayInterval = (typeof DAY_INTERVALS)[number];

interface IntervalSql {
  /** The first day of the interval in which a day lies. */
  startOf: (day: string) => string;
  /** The number of intervals from that of one day to that of another. */
  between: (one: string, other: string) => string;
  /** A day some intervals later. */
  later: (day: string, count: string) => string;
}

export const INTERVAL_SQL: Readonly<Record<DayInterval, IntervalSql>> = {
  day: {
    startOf: (day) => day,
    between: (one, other) => `toInt64(${other} - ${one})`,
    later: (day, count) => `addDays(${day}, ${count})`,
  },
  week: {
    startOf: (day) => `toMonday(${day})`,
    between: (one, other) => `toInt64(intDiv(toMonday(${other}) - toMonday(${one}), 7))`,
    later: (day, count) => `addWeeks(${day}, ${count})`,
  },
  month: {
    startOf: (day) => `toStartOfMonth(${day})`,
    between: (one, other) => `toInt64(dateDiff('month', ${one}, ${other}))`,
    later: (day, count) => `addMonths(${day}, ${count})`,
  },
};
