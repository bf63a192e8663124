import { DAY_MS } from './days.ts';

/*
 * Days of a time zone. A zone is a name that `Intl` accepts. A day is a number: its date as days since 1970-01-01. It
 * has 23 or 25 hours where clocks change, and may begin at 01:00. ClickHouse counts days by the same rules.
 */

/** The zone of a game that has chosen none. */
export const DEFAULT_ZONE = 'UTC';

/** The day in which a moment lies. */
export function dayIn(zone: string, ms: number): number {
  return Math.floor((ms + offsetOf(zone, ms)) / DAY_MS);
}

/** The first moment of a day; of a day that a zone left out, that of the next. */
export function startOfDayIn(zone: string, day: number): number {
  const midnight = day * DAY_MS;
  if (zone === 'UTC') return midnight;
  // Midnight by the clock before a change and by that after it. Where midnight came twice, the first one still belongs
  // to the day before.
  const [earlier, later] = [midnight - DAY_MS, midnight + DAY_MS].map((near) => midnight - offsetOf(zone, near));
  const starts = [earlier ?? midnight, later ?? midnight].toSorted((one, other) => one - other);
  return starts.find((ms) => dayIn(zone, ms) >= day) ?? midnight;
}

/** The start of the hour by the zone's clock in which a moment lies: zones may differ by half an hour from others. */
export function startOfHourIn(zone: string, ms: number): number {
  const byClock = ms + offsetOf(zone, ms);
  return ms - (((byClock % HOUR_MS) + HOUR_MS) % HOUR_MS);
}

/** The date of a day, as `2026-01-15`. */
export const dateOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

/** What the zone's clock shows, as the moment at which a clock of UTC shows it. */
export const clockIn = (zone: string, ms: number): number => ms + offsetOf(zone, ms);

/**
 * The moment at which the zone's clock shows what one of UTC shows at `clockMs`: the first one if it shows it twice,
 * and as far after a gap as the clock would have gone without it.
 */
export function momentAt(zone: string, clockMs: number): number {
  const [before, after] = [clockMs - DAY_MS, clockMs + DAY_MS].map((near) => clockMs - offsetOf(zone, near));
  const moments = [before ?? clockMs, after ?? clockMs].filter((ms) => clockIn(zone, ms) === clockMs);
  return moments.length === 0 ? (before ?? clockMs) : Math.min(...moments);
}

/** The moment of the same time of day some days later. */
export function daysLater(zone: string, ms: number, days: number): number {
  const day = dayIn(zone, ms);
  return startOfDayIn(zone, day + days) + (ms - startOfDayIn(zone, day));
}

const HOUR_MS = 3_600_000;

/** How far the zone's clock is ahead of UTC. */
function offsetOf(zone: string, ms: number): number {
  if (zone === 'UTC') return 0;
  const parts = Object.fromEntries(
    clockOf(zone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000;
}

/** Making one takes a hundred times as long as using it. */
const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(timeZone: string): Intl.DateTimeFormat {
  const held = clocks.get(timeZone);
  if (held !== undefined) return held;
  const clock = new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', ...CLOCK_PARTS });
  clocks.set(timeZone, clock);
  return clock;
}

const CLOCK_PARTS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
} as const;
