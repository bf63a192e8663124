import { LIMITS } from '../../src/kernel/limits.ts';
import { attributesOf } from '../conditions/player-attributes.ts';
import type { PlayerState } from '../vocabulary/state.ts';

const HOUR_MINUTE = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** `HH:MM`, 00:00 to 23:59, as minutes after midnight; `undefined` for any other text. */
export function minutesOf(text: string): number | undefined {
  const match = HOUR_MINUTE.exec(text);
  return match === null ? undefined : Number(match[1]) * 60 + Number(match[2]);
}

/**
 * Whether a player has quiet hours: from `from` until before `to` in local time, past midnight if `to` is earlier. They
 * are an hour shorter or longer on the days on which daylight saving time starts or ends.
 * @param from minutes after midnight; `to` likewise
 */
export function isQuiet(from: number, to: number, player: PlayerState, nowMs: number): boolean {
  const now = wallMinutes(zoneOf(player), nowMs);
  return from <= to ? now >= from && now < to : now >= from || now < to;
}

/** The player's attribute `timezone`: an IANA name or an offset such as `+05:30`. */
function zoneOf(player: PlayerState): string {
  if (!player.attributes.includes('"timezone"')) return UTC;
  const zone = attributesOf(player)['timezone'];
  return typeof zone === 'string' && zone.length <= LIMITS.nameLength ? zone : UTC;
}

const UTC = 'UTC';
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

function wallMinutes(zone: string, nowMs: number): number {
  const format = zone === UTC ? undefined : formatOf(zone);
  if (format === undefined) return Math.floor(nowMs / MINUTE_MS) % DAY_MINUTES;
  return minutesOf(format.format(nowMs)) ?? 0;
}

/** A cache, as creating a format takes tens of microseconds; `undefined` for texts that are not a zone. */
const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** `undefined`: there is no such zone; the caller uses UTC. */
function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  if (formats.has(zone)) return formats.get(zone);
  if (formats.size >= LIMITS.timeZones) formats.clear();
  const format = createFormat(zone);
  formats.set(zone, format);
  return format;
}

function createFormat(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  } catch {
    return undefined;
  }
}
