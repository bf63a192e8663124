import { DAY_MS } from '../days.ts';

const EXTENDED =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/;
/** ISO 8601's form without separators. */
const BASIC =
  /^(\d{4})(\d\d)(\d\d)(?:[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,9}))?)?(?:[Zz]|([+-])(\d\d)(?::?(\d\d))?)?)?$/;

/** 2300-01-01T00:00:00Z: the end of the range of ClickHouse's DateTime64. */
const END_MS = 10_413_792_000_000;

/**
 * Parses an ISO 8601 date or date-time, in the extended or the basic form. Without an offset it is UTC; fractions
 * beyond milliseconds are cut off. Week dates and ordinal dates are not read.
 * @returns epoch milliseconds, or undefined if the text is not a time in the years 1970 to 2299
 */
export function parseTimestamp(text: string): number | undefined {
  // Callers parse the same text twice in a row: to validate it and to use it.
  if (text !== latest.text) latest = { text, epochMs: readOfDay(text) ?? storable(instantOf(text)) };
  return latest.epochMs;
}

/** The time if it can be stored: whole milliseconds in the years 1970 to 2299. */
export function storable(epochMs: number | undefined): number | undefined {
  return epochMs !== undefined && epochMs >= 0 && epochMs < END_MS ? Math.trunc(epochMs) : undefined;
}

let latest: { text: string; epochMs: number | undefined } = { text: '', epochMs: undefined };

/** Reads what `parseTimestamp` reads, in the years 0 to 9999. */
export function instantOf(text: string): number | undefined {
  const match = EXTENDED.exec(text) ?? BASIC.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', sign, offsetHour, offsetMinute] =
    match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const dayMs = dayStart(Number(year), Number(month), Number(day));
  if (dayMs === undefined) return undefined;
  const wholeMs = dayMs + Number(hour) * 3_600_000 + Number(minute) * 60_000 + Number(second) * 1_000;
  const offsetMs = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  const epochMs = sign === '-' ? wholeMs + offsetMs : wholeMs - offsetMs;
  // A leap second ends a day of UTC. It is stored as the first second of the next day.
  if (second === '60' && epochMs % DAY_MS !== 0) return undefined;
  return epochMs + Number(fraction.slice(0, 3).padEnd(3, '0'));
}

/** Days of 400 years of the Gregorian calendar, after which it repeats. `Date.UTC` reads the years 0 to 99 as 19xx. */
const CYCLE_DAYS = 146_097;

function dayStart(year: number, month: number, day: number): number | undefined {
  const ms = Date.UTC(year + 400, month - 1, day);
  // Date.UTC turns 31 February into a day of March; such a date is invalid.
  if (new Date(ms).getUTCDate() !== day || month < 1 || month > 12) return undefined;
  return ms - CYCLE_DAYS * DAY_MS;
}

/** C#'s and Go's value of a time that was never set. */
export function isUnsetTime(text: string): boolean {
  return text.startsWith('0001-01-01') && instantOf(text) !== undefined;
}

/** Up to 19 digits, of Unix seconds with or without a fraction, or of milliseconds, microseconds or nanoseconds. */
const NUMBER = /^-?\d{1,19}(?:\.\d{1,9})?$/;
const MILLISECONDS_FROM = 100_000_000_000;
const MICROSECONDS_FROM = MILLISECONDS_FROM * 1_000;
const NANOSECONDS_FROM = MICROSECONDS_FROM * 1_000;
/** `Thu, 15 Jan 2026 10:30:00 GMT` (RFC 2822, HTTP) or JavaScript's `Thu Jan 15 2026 10:30:00 GMT+0000 (…)`. */
const WITH_DAY_NAME =
  /^[A-Z][a-z]{2},? (?:\d{1,2} [A-Z][a-z]{2}|[A-Z][a-z]{2} \d{1,2}) \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|(?:GMT)?[+-]\d{4})(?= \(|$)/;

/**
 * Reads a time as other products and their clients write it: ISO 8601, also with a space in place of the `T` and before
 * the offset, and with ` UTC` at the end; the form of RFC 2822 and that of JavaScript; or a number since 1970, in
 * seconds, or in smaller units down to nanoseconds if that many seconds are too far away. The time may be outside of
 * the years that `parseTimestamp` reads.
 * @returns epoch milliseconds, or undefined for anything else
 */
export function foreignTime(value: unknown): number | undefined {
  if (typeof value === 'number') return timeOfNumber(value);
  if (typeof value !== 'string') return undefined;
  const known = readOfDay(value) ?? instantOf(value);
  if (known !== undefined) return known;
  if (NUMBER.test(value)) return timeOfNumber(Number(value));
  const named = WITH_DAY_NAME.exec(value)?.[0];
  if (named !== undefined) return timeOfNumber(Date.parse(named) / 1_000);
  if (value.trim() !== value) return foreignTime(value.trim());
  if (value[10] !== ' ') return undefined;
  const untilZone = value.endsWith(' UTC') ? value.slice(0, -' UTC'.length) : value;
  return instantOf(`${untilZone.slice(0, 10)}T${untilZone.slice(11).replace(/ (?=[+-])/, '')}`);
}

function timeOfNumber(number: number): number | undefined {
  if (!Number.isFinite(number)) return undefined;
  const size = Math.abs(number);
  if (size >= NANOSECONDS_FROM) return Math.trunc(number / 1_000_000);
  if (size >= MICROSECONDS_FROM) return Math.trunc(number / 1_000);
  return Math.trunc(size >= MILLISECONDS_FROM ? number : number * 1_000);
}

let day = { startMs: Number.NaN, prefix: ' ' };

const COLON = 58;
const DOT = 46;
const UPPER_Z = 90;

/**
 * Reads the form in which `formatTimestamp` writes, of the day that it wrote last: most clients send their events in it
 * and soon, and the regular expression takes ten times as long. Undefined for any other text.
 */
function readOfDay(text: string): number | undefined {
  if (text.length !== 24 || !text.startsWith(day.prefix)) return undefined;
  if (text.charCodeAt(13) !== COLON || text.charCodeAt(16) !== COLON) return undefined;
  if (text.charCodeAt(19) !== DOT || text.charCodeAt(23) !== UPPER_Z) return undefined;
  const hour = 10 * digitAt(text, 11) + digitAt(text, 12);
  const minute = 10 * digitAt(text, 14) + digitAt(text, 15);
  const second = 10 * digitAt(text, 17) + digitAt(text, 18);
  const ms = 100 * digitAt(text, 20) + 10 * digitAt(text, 21) + digitAt(text, 22);
  // A character that is no digit makes one of these NaN.
  if (!(hour < 24 && minute < 60 && second < 60 && ms < 1000)) return undefined;
  const epochMs = day.startMs + ((hour * 60 + minute) * 60 + second) * 1_000 + ms;
  return epochMs >= 0 && epochMs < END_MS ? epochMs : undefined;
}

function digitAt(text: string, index: number): number {
  const digit = text.charCodeAt(index) - 48;
  return digit >= 0 && digit <= 9 ? digit : Number.NaN;
}

let second = { startMs: Number.NaN, prefix: '' };

/** UTC with milliseconds and `Z`. Most times of one response are in the same second, so its text is cached. */
export function formatTimestamp(epochMs: number): string {
  let ofSecondMs = epochMs - second.startMs;
  if (!(ofSecondMs >= 0 && ofSecondMs < 1000)) {
    second = secondOf(Math.floor(epochMs / 1000) * 1000);
    ofSecondMs = epochMs - second.startMs;
  }
  return second.prefix + ENDS[Math.trunc(ofSecondMs)];
}

export function formatTimestampOrNull(epochMs: number | null | undefined): string | null {
  return epochMs === null || epochMs === undefined ? null : formatTimestamp(epochMs);
}

function secondOf(startMs: number): typeof second {
  let ofDayMs = startMs - day.startMs;
  if (!(ofDayMs >= 0 && ofDayMs < DAY_MS)) {
    const dayMs = Math.floor(startMs / DAY_MS) * DAY_MS;
    day = { startMs: dayMs, prefix: new Date(dayMs).toISOString().slice(0, 11) };
    ofDayMs = startMs - dayMs;
  }
  const seconds = ofDayMs / 1000;
  const minutes = Math.trunc(seconds / 60);
  return {
    startMs,
    prefix: `${day.prefix}${PAIRS[Math.trunc(minutes / 60)]}:${PAIRS[minutes % 60]}:${PAIRS[seconds % 60]}`,
  };
}

const PAIRS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'));
const ENDS = Array.from({ length: 1000 }, (_, n) => `.${String(n).padStart(3, '0')}Z`);
