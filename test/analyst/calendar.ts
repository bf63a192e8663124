/* Days of a time zone by `Intl` alone, for the brute force: it shares no code with the service. */

const DAY_MS = 86_400_000;
const STEP_MS = 15 * 60_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The date of a moment by the zone's clock, as days since 1970-01-01. */
export function localDay(zone: string, ms: number): number {
  const format = formats.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short' });
  formats.set(zone, format);
  return Date.parse(format.format(ms)) / DAY_MS;
}

/** The first moment of a day. */
export function startOfLocalDay(zone: string, day: number): number {
  let ms = day * DAY_MS - 15 * 3_600_000;
  while (localDay(zone, ms) < day) ms += STEP_MS;
  return ms;
}

export const dateText = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);
