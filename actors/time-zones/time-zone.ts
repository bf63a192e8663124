import { TEXT_LIMITS } from '../../core/kernel/text/limits.ts';
import { TIME_ZONE_LIMITS } from './limits.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';

/**
 * The zone that a text means, as a name that `Intl` accepts: an IANA name, an offset such as `+02:00` (also `UTC+2` and
 * `GMT+2`, two hours east as people write it), or a name that Windows uses. Ignores case, spaces around it and spaces
 * for underscores. `undefined`: there is no such zone.
 */
export function timeZoneOf(text: string): string | undefined {
  if (text.length > TEXT_LIMITS.nameLength) return undefined;
  if (known.has(text)) return known.get(text);
  // A cache, as asking Intl takes tens of microseconds; a player's attribute may be any text.
  if (known.size >= TIME_ZONE_LIMITS.timeZones) known.clear();
  const zone = resolve(text.trim());
  known.set(text, zone);
  return zone;
}

const known = new Map<string, string | undefined>();

function resolve(name: string): string | undefined {
  const candidate = offsetOf(name) ?? WINDOWS_ZONES.get(name.toLowerCase()) ?? name.replaceAll(' ', '_');
  return isZone(candidate) ? candidate : undefined;
}

const OFFSET = /^(?:utc|gmt)? ?([+-]) ?(\d{1,2})(?::?([0-5]\d))?$/i;
/** The offsets that exist are -12:00 to +14:00. */
const MOST_HOURS = 14;

function offsetOf(name: string): string | undefined {
  if (/^(?:z|utc|gmt)$/i.test(name)) return 'UTC';
  const match = OFFSET.exec(name);
  if (match === null) return undefined;
  const [, sign = '+', hours = '', minutes = '00'] = match;
  return Number(hours) > MOST_HOURS ? undefined : `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

function isZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
