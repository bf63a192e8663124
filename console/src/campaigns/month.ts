import { dateOf, startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import { DAY_MS } from '../parts/charts/units.ts';
import { dayText } from '../parts/zoned-time.ts';

/* Days of a month in a time zone, in whole weeks from Monday. */

export interface Day {
  /** YYYY-MM-DD. */
  key: string;
  dayOfMonth: number;
  isInMonth: boolean;
  startMs: number;
  endMs: number;
}

export interface Span {
  fromMs?: number;
  toMs?: number;
}

/** @param month YYYY-MM */
export function daysOfMonth(zone: string, month: string): Day[] {
  const firstMs = Date.parse(`${month}-01T00:00:00Z`);
  const lastMs = Date.parse(`${shiftMonth(month, 1)}-01T00:00:00Z`) - DAY_MS;
  const beforeMs = firstMs - mondayBased(firstMs) * DAY_MS;
  const afterMs = lastMs + (6 - mondayBased(lastMs)) * DAY_MS;
  return Array.from({ length: (afterMs - beforeMs) / DAY_MS + 1 }, (_, place) => {
    const dateMs = beforeMs + place * DAY_MS;
    const day = dateMs / DAY_MS;
    return {
      key: dateOf(day),
      dayOfMonth: new Date(dateMs).getUTCDate(),
      isInMonth: dateMs >= firstMs && dateMs <= lastMs,
      startMs: startOfDayIn(zone, day),
      endMs: startOfDayIn(zone, day + 1),
    };
  });
}

const mondayBased = (atMs: number): number => (new Date(atMs).getUTCDay() + 6) % 7;

export function shiftMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** The month of a text; else that of `nowMs`. */
export function monthOf(zone: string, text: string, nowMs: number): string {
  const isMonth = text.length === 7 && !Number.isNaN(Date.parse(`${text}-01T00:00:00Z`));
  return isMonth ? text : dayText(zone, nowMs).slice(0, 7);
}

/** Whether a span meets a time from `startMs` until before `endMs`. */
export function inMonth(
  { fromMs = -Infinity, toMs = Infinity }: Span,
  { startMs, endMs }: Pick<Day, 'startMs' | 'endMs'>,
): boolean {
  return fromMs < endMs && toMs > startMs;
}
