import { clockIn, dateOf, dayIn, momentAt, startOfDayIn } from '../../../core/kernel/zoned-days.ts';
import { DAY_MS } from './charts/units.ts';

/* Times as texts of a game's time zone, and back. */

/** As `2026-12-01 18:00:00`. */
export const clockText = (zone: string, ms: number): string =>
  new Date(clockIn(zone, ms)).toISOString().slice(0, 19).replace('T', ' ');

/** As `2026-12-01 18:00`. */
export const minuteText = (zone: string, ms: number): string => clockText(zone, ms).slice(0, 16);

/** The time of day with milliseconds, as `18:00:00.000`. */
export const timeOfDay = (zone: string, at: string): string =>
  new Date(clockIn(zone, Date.parse(at))).toISOString().slice(11, 23);

/** The day, as `2026-12-01`. */
export const dayText = (zone: string, ms: number): string => dateOf(dayIn(zone, ms));

/** The start of a day that is written as `2026-12-01`. */
export const startOf = (zone: string, day: string): number => startOfDayIn(zone, dayIn('UTC', Date.parse(day)));

/** With the offset of that time, so that it names one moment: `2026-12-01T18:00:00-03:00`. */
export function offsetText(zone: string, ms: number): string {
  const minutes = Math.round((clockIn(zone, ms) - ms) / 60_000);
  const [sign, size] = [minutes < 0 ? '-' : '+', Math.abs(minutes)];
  const two = (part: number): string => String(part).padStart(2, '0');
  const offset = minutes === 0 ? 'Z' : `${sign}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  return `${clockText(zone, ms).replace(' ', 'T')}${offset}`;
}

/** The same time by the clock a week before. */
export const weekBefore = (zone: string, ms: number): number => momentAt(zone, clockIn(zone, ms) - 7 * DAY_MS);

/** What stands behind a time: `UTC`, or the offset of that time, as `GMT-3`. */
export function zoneLabel(zone: string, ms: number): string {
  if (zone === 'UTC') return zone;
  const parts = new Intl.DateTimeFormat('en', { timeZone: zone, timeZoneName: 'shortOffset' }).formatToParts(ms);
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? zone;
}

/** The moment that `2026-12-01 18:00`, with a T or seconds, names in a zone; `undefined`: it is no such time. */
export function momentOf(zone: string, text: string): number | undefined {
  const trimmed = text.trim();
  const isWhole = trimmed.length === '2026-12-01 18:00'.length || trimmed.length === '2026-12-01 18:00:00'.length;
  const clockMs = isWhole ? Date.parse(`${trimmed.replace(' ', 'T')}Z`) : Number.NaN;
  return Number.isNaN(clockMs) ? undefined : momentAt(zone, clockMs);
}

/** Whether a text is a time as the service writes it, not one that a person is still typing. */
export const isTime = (text: string): boolean => text.endsWith('Z') && !Number.isNaN(Date.parse(text));
