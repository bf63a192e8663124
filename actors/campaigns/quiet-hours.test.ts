import { describe, expect, it } from 'vitest';
import { aPlayer } from '../testing-players.ts';
import type { PlayerState } from '../../core/vocabulary/state/state.ts';
import { minutesOf, quietSpan } from './quiet-hours.ts';

const isQuiet = (from: number, to: number, player: PlayerState, nowMs: number): boolean =>
  quietSpan(from, to, player, nowMs, 'UTC') !== undefined;
const at = (iso: string): number => Date.parse(iso);
const inZone = (timezone: unknown) => aPlayer({ attributes: JSON.stringify({ timezone }) });
/** 22:00 to 08:00 on the player's clock. */
const night = (iso: string, zone: unknown) => isQuiet(22 * 60, 8 * 60, inZone(zone), at(iso));

describe('quiet hours', () => {
  it.each<[name: string, player: PlayerState, hours: readonly [UTC: number, isQuiet: boolean][]]>([
    // 22:00 to 08:00 in São Paulo is 01:00 to 11:00 UTC.
    [
      'says none',
      aPlayer(),
      [
        [0, false],
        [1, true],
        [10, true],
        [11, false],
        [23, false],
      ],
    ],
    [
      'names one that is none',
      inZone('Mars/Base'),
      [
        [0, false],
        [1, true],
        [10, true],
        [11, false],
      ],
    ],
    [
      'says no text',
      inZone(5),
      [
        [0, false],
        [1, true],
      ],
    ],
    [
      'names UTC',
      inZone('UTC'),
      [
        [0, true],
        [7, true],
        [8, false],
        [22, true],
      ],
    ],
    [
      'names Tokyo',
      inZone('Asia/Tokyo'),
      [
        [12, false],
        [13, true],
        [22, true],
        [23, false],
      ],
    ],
  ])('are those of the game, if the zone of a player %s', (_, player, hours) => {
    const found = hours.map(([hour]) => {
      const nowMs = Date.UTC(2026, 0, 15, hour);
      return [hour, quietSpan(22 * 60, 8 * 60, player, nowMs, 'America/Sao_Paulo') !== undefined];
    });
    expect(found).toEqual(hours);
  });

  it('are parsed as HH:MM', () => {
    expect(['00:00', '08:30', '23:59'].map(minutesOf)).toEqual([0, 510, 1_439]);
    expect(['24:00', '8:30', '08:60', '08:30:00', '', '٠٨:٣٠'].map(minutesOf)).toEqual(Array(6).fill(undefined));
  });

  it('span midnight if they begin later than they end', () => {
    const utc = ['21:59:59', '22:00:00', '23:59:59', '00:00:00', '07:59:59', '08:00:00', '12:00:00'];
    expect(utc.map((time) => night(`2026-01-15T${time}Z`, 'UTC'))).toEqual([
      false,
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('stay within one day otherwise', () => {
    const quiet = (time: string) => isQuiet(13 * 60, 15 * 60, inZone('UTC'), at(`2026-01-15T${time}Z`));
    expect(['12:59:59', '13:00:00', '14:59:59', '15:00:00', '00:00:00'].map(quiet)).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
  });

  it('follow the player’s time zone, whole hours or not', () => {
    expect(night('2026-01-15T12:59:59Z', 'Asia/Tokyo')).toBe(false);
    expect(night('2026-01-15T13:00:00Z', 'Asia/Tokyo')).toBe(true);
    expect(night('2026-01-15T16:14:59Z', 'Asia/Kathmandu')).toBe(false);
    expect(night('2026-01-15T16:15:00Z', 'Asia/Kathmandu')).toBe(true);
    expect(night('2026-01-15T16:30:00Z', '+05:30')).toBe(true);
    expect(night('2026-01-15T16:29:59Z', '+05:30')).toBe(false);
  });

  it('follow daylight saving time: 08:00 in Berlin is 07:00 UTC in winter and 06:00 in summer', () => {
    expect(night('2026-03-28T06:59:59Z', 'Europe/Berlin')).toBe(true);
    expect(night('2026-03-28T07:00:00Z', 'Europe/Berlin')).toBe(false);
    // Clocks went forward at 01:00 UTC that night.
    expect(night('2026-03-29T05:59:59Z', 'Europe/Berlin')).toBe(true);
    expect(night('2026-03-29T06:00:00Z', 'Europe/Berlin')).toBe(false);
    // And back at 01:00 UTC in October.
    expect(night('2026-10-25T06:59:59Z', 'Europe/Berlin')).toBe(true);
    expect(night('2026-10-25T07:00:00Z', 'Europe/Berlin')).toBe(false);
  });

  it('never apply at a time of day that a clock change skips, and apply twice at one it repeats', () => {
    const quiet = (from: number, to: number, iso: string) => isQuiet(from, to, inZone('America/New_York'), at(iso));
    // 8 March 2026: 01:59:59 is followed by 03:00:00.
    for (let minute = 0; minute < 24 * 60; minute++) {
      expect(isQuiet(120, 180, inZone('America/New_York'), at('2026-03-08T05:00:00Z') + minute * 60_000)).toBe(false);
    }
    // 1 November 2026: 01:30 comes twice.
    expect(quiet(60, 120, '2026-11-01T05:30:00Z')).toBe(true);
    expect(quiet(60, 120, '2026-11-01T06:30:00Z')).toBe(true);
    expect(quiet(60, 120, '2026-11-01T07:30:00Z')).toBe(false);
  });

  it('end at the next time of day that is not quiet', () => {
    const span = (iso: string, zone: string) => {
      const found = quietSpan(22 * 60, 8 * 60, inZone(zone), at(iso), 'UTC');
      return found && [found.since, found.until].map((ms) => new Date(ms).toISOString());
    };
    expect(span('2026-01-15T23:10:30Z', 'UTC')).toEqual(['2026-01-15T22:00:00.000Z', '2026-01-16T08:00:00.000Z']);
    expect(span('2026-01-16T07:59:59Z', 'UTC')).toEqual(['2026-01-15T22:00:00.000Z', '2026-01-16T08:00:00.000Z']);
    expect(span('2026-01-15T13:00:00Z', 'Asia/Tokyo')).toEqual([
      '2026-01-15T13:00:00.000Z',
      '2026-01-15T23:00:00.000Z',
    ]);
    // In the night that ends daylight saving time they last an hour longer.
    expect(span('2026-10-24T20:00:00Z', 'Europe/Berlin')?.[1]).toBe('2026-10-25T07:00:00.000Z');
    // In the night that begins it, an hour less; half an hour on Lord Howe.
    expect(span('2026-03-28T21:30:00Z', 'Europe/Berlin')?.[1]).toBe('2026-03-29T06:00:00.000Z');
    expect(span('2026-10-03T12:00:00Z', 'Australia/Lord_Howe')?.[1]).toBe('2026-10-03T21:00:00.000Z');
    expect(span('2026-01-15T12:00:00Z', 'UTC')).toBeUndefined();
  });

  it('end no earlier than they are over if the clock skips their end', () => {
    // 01:00 to 02:30 in Berlin: 01:59:59 is followed by 03:00:00.
    const until = quietSpan(60, 150, inZone('Europe/Berlin'), at('2026-03-29T00:30:00Z'), 'UTC')?.until;
    expect(isQuiet(60, 150, inZone('Europe/Berlin'), until ?? 0)).toBe(false);
  });

  it.each([
    ['W. Europe Standard Time', '2026-01-15T21:00:00Z'],
    ['Tokyo Standard Time', '2026-01-15T13:00:00Z'],
    ['UTC+2', '2026-01-15T20:00:00Z'],
    ['GMT+2', '2026-01-15T20:00:00Z'],
    ['GMT-5', '2026-01-16T03:00:00Z'],
    ['Europe/Berlin ', '2026-01-15T21:00:00Z'],
  ])('begin on the clock of %s', (zone, iso) => {
    expect([night(iso, zone), isQuiet(22 * 60, 8 * 60, inZone(zone), at(iso) - 1)]).toEqual([true, false]);
  });

  it('use UTC for an unknown time zone', () => {
    for (const zone of ['Mars/Olympus', '', 7, null, ['Asia/Tokyo'], 'x'.repeat(1_000), '__proto__', 'UTC']) {
      expect(night('2026-01-15T22:00:00Z', zone)).toBe(true);
      expect(night('2026-01-15T12:00:00Z', zone)).toBe(false);
    }
    expect(isQuiet(22 * 60, 8 * 60, aPlayer(), at('2026-01-15T23:00:00Z'))).toBe(true);
  });
});
