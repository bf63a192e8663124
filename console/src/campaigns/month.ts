import { DAY_MS } from '../parts/charts/units.ts';

/* Days of a month in UTC, in whole weeks from Monday. */

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
export function daysOfMonth(month: string): Day[] {
  const firstMs = Date.parse(`${month}-01T00:00:00Z`);
  const lastMs = Date.parse(`${shiftMonth(month, 1)}-01T00:00:00Z`) - DAY_MS;
  const beforeMs = firstMs - mondayBased(firstMs) * DAY_MS;
  const afterMs = lastMs + (6 - mondayBased(lastMs)) * DAY_MS;
  return Array.from({ length: (afterMs - beforeMs) / DAY_MS + 1 }, (_, place) => {
    const startMs = beforeMs + place * DAY_MS;
    const date = new Date(startMs);
    return {
      key: date.toISOString().slice(0, 10),
      dayOfMonth: date.getUTCDate(),
      isInMonth: startMs >= firstMs && startMs <= lastMs,
      startMs,
      endMs: startMs + DAY_MS,
    };
  });
}

const mondayBased = (atMs: number): number => (new Date(atMs).getUTCDay() + 6) % 7;

export function shiftMonth(month: string, by: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + by, 1)).toISOString().slice(0, 7);
}

/** The month of a text; else that of `nowMs`. */
export function monthOf(text: string, nowMs: number): string {
  const isMonth = text.length === 7 && !Number.isNaN(Date.parse(`${text}-01T00:00:00Z`));
  return isMonth ? text : new Date(nowMs).toISOString().slice(0, 7);
}

/** Whether a span meets a time from `startMs` until before `endMs`. */
export function inMonth(
  { fromMs = -Infinity, toMs = Infinity }: Span,
  { startMs, endMs }: Pick<Day, 'startMs' | 'endMs'>,
): boolean {
  return fromMs < endMs && toMs > startMs;
}
