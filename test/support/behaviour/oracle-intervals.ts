/* Days, weeks and months by the calendar of `Intl`, and by walking from one to the next. */

export type OracleInterval = 'day' | 'week' | 'month';

const DAY_MS = 86_400_000;

const dates = new Map<string, string>();

/** The date of a moment. Asked again it is remembered: `Intl` is slow. */
function dateAt(zone: string, ms: number): string {
  const key = `${zone} ${ms}`;
  const date = dates.get(key) ?? new Date(ms).toLocaleDateString('sv', { timeZone: zone });
  dates.set(key, date);
  return date;
}

/** The first date of the interval in which a moment lies. */
export function intervalOf(interval: OracleInterval, zone: string, ms: number): string {
  const date = dateAt(zone, ms);
  if (interval === 'month') return `${date.slice(0, 7)}-01`;
  const day = Date.parse(date);
  const back = interval === 'week' ? (new Date(day).getUTCDay() + 6) % 7 : 0;
  return new Date(day - back * DAY_MS).toISOString().slice(0, 10);
}

/** The first date of the interval `n` later. */
export function laterInterval(interval: OracleInterval, start: string, n: number): string {
  let at = start;
  for (let count = 0; count < n; count += 1) {
    const length = { day: 1, week: 7, month: 31 }[interval];
    const next = new Date(Date.parse(at) + length * DAY_MS).toISOString().slice(0, 10);
    at = interval === 'month' ? `${next.slice(0, 7)}-01` : next;
  }
  return at;
}
