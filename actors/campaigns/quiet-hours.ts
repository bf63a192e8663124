import type { QuietSpan } from '../decision/targeting.ts';
import { TIME_ZONE_LIMITS } from '../time-zones/limits.ts';
import { DEFAULT_ZONE } from '../../core/kernel/zoned-days.ts';
import { attributesOf } from '../conditions/player-attributes.ts';
import { timeZoneOf } from '../time-zones/time-zone.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';

const HOUR_MINUTE = /^([01]\d|2[0-3]):([0-5]\d)$/;

/** `HH:MM`, 00:00 to 23:59, as minutes after midnight; `undefined` for any other text. */
export function minutesOf(text: string): number | undefined {
  const match = HOUR_MINUTE.exec(text);
  return match === null ? undefined : Number(match[1]) * 60 + Number(match[2]);
}

/**
 * The quiet hours that a player is in: from `from` until before `to` in local time, past midnight if `to` is earlier.
 * They are an hour shorter or longer on the days on which daylight saving time starts or ends. `undefined`: it is in
 * none.
 * @param from minutes after midnight; `to` likewise
 * @param gameZone of players who say no zone of their own
 */
export function quietSpan(
  from: number,
  to: number,
  player: PlayerState,
  nowMs: number,
  gameZone: string,
): QuietSpan | undefined {
  const zone = zoneOf(player) ?? gameZone;
  const now = wallMinutes(zone, nowMs);
  if (!isWithin(now, from, to)) return undefined;
  const minute = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  let until = minute + minutesFrom(now, to) * MINUTE_MS;
  const then = wallMinutes(zone, until);
  // The clock was put back in the meantime: the quiet hours go on.
  if (isWithin(then, from, to)) until += minutesFrom(then, to) * MINUTE_MS;
  else {
    // It may have been put forward: they ended earlier.
    const earlier = until - minutesFrom(to, then) * MINUTE_MS;
    if (!isWithin(wallMinutes(zone, earlier), from, to)) until = earlier;
  }
  return { since: minute - minutesFrom(from, now) * MINUTE_MS, until };
}

function isWithin(now: number, from: number, to: number): boolean {
  return from <= to ? now >= from && now < to : now >= from || now < to;
}

/** How many minutes later on the clock it is `to`, less than a day. */
function minutesFrom(now: number, to: number): number {
  return (to - now + DAY_MINUTES) % DAY_MINUTES;
}

/** The zone of the player's attribute `timezone`. Requests warn of a text that is none. */
function zoneOf(player: PlayerState): string | undefined {
  if (!player.attributes.includes('"timezone"')) return undefined;
  const zone = attributesOf(player)['timezone'];
  return typeof zone === 'string' ? timeZoneOf(zone) : undefined;
}

const MINUTE_MS = 60_000;
const DAY_MINUTES = 1_440;

function wallMinutes(zone: string, nowMs: number): number {
  if (zone === DEFAULT_ZONE) return Math.floor(nowMs / MINUTE_MS) % DAY_MINUTES;
  return minutesOf(formatOf(zone).format(nowMs)) ?? 0;
}

/** A cache, as creating a format takes tens of microseconds. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const held = formats.get(timeZone);
  if (held !== undefined) return held;
  if (formats.size >= TIME_ZONE_LIMITS.timeZones) formats.clear();
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  formats.set(timeZone, format);
  return format;
}
