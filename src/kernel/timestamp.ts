const SHAPE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:([Zz])|([+-])(\d\d)(?::?(\d\d))?)?)?$/;

/** 2300-01-01T00:00:00Z: the end of what ClickHouse's DateTime64 holds. */
const END_MS = 10_413_792_000_000;

/**
 * Reads an ISO 8601 date or date-time. Without an offset it is UTC; fractions beyond milliseconds are cut off.
 * @returns epoch milliseconds, or undefined when it is no such time or lies outside the years 1970 to 2299
 */
export function parseTimestamp(text: string): number | undefined {
  const match = SHAPE.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', , sign, offsetHour, offsetMinute] =
    match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  if (Number(offsetHour ?? 0) > 23 || Number(offsetMinute ?? 0) > 59) return undefined;
  const dayMs = Date.UTC(Number(year), Number(month) - 1, Number(day));
  // Date.UTC rolls 31 February over into March; a date that moved was not a date.
  if (new Date(dayMs).getUTCDate() !== Number(day) || Number(month) < 1 || Number(month) > 12) return undefined;
  const localMs =
    dayMs +
    Number(hour) * 3_600_000 +
    Number(minute) * 60_000 +
    Number(second) * 1_000 +
    Number(fraction.slice(0, 3).padEnd(3, '0'));
  const offsetMs = (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * 60_000;
  const epochMs = sign === '-' ? localMs + offsetMs : localMs - offsetMs;
  return epochMs >= 0 && epochMs < END_MS ? epochMs : undefined;
}

/** UTC with milliseconds and `Z`. @param epochMs epoch milliseconds */
export function formatTimestamp(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
