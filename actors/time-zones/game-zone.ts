import { timeZoneOf } from './time-zone.ts';

/**
 * The time zone of a game that a text means, as a name that `Intl` and ClickHouse know; `undefined`: there is none. An
 * offset such as `+02:00` is none: a place changes its clocks, and ClickHouse knows names only.
 */
export function gameZoneOf(text: string): string | undefined {
  const zone = timeZoneOf(text);
  if (zone === undefined) return undefined;
  const name = new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  return /^[+-]/.test(name) || TOO_NEW.has(name) ? undefined : name;
}

/** Zones that `Intl` knows and ClickHouse not yet: one of them would break every view. A test compares the two. */
const TOO_NEW: ReadonlySet<string> = new Set(['America/Coyhaique']);

export const ZONE_RULE =
  'must be the name of an IANA time zone, such as `Europe/Berlin` or `UTC`; an offset such as `+02:00` is none';
