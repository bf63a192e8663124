import { describe, expect, it } from 'vitest';
import { timeZoneOf } from './time-zone.ts';
import { WINDOWS_ZONES } from './windows-zones.ts';

describe('a time zone', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['Europe/Berlin ', 'Europe/Berlin'],
    ['  Europe/Berlin\n', 'Europe/Berlin'],
    ['America/New York', 'America/New_York'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['w. europe standard time ', 'Europe/Berlin'],
    ['India Standard Time', 'Asia/Calcutta'],
    ['UTC', 'UTC'],
    ['Z', 'UTC'],
    ['GMT', 'UTC'],
    ['UTC+2', '+02:00'],
    ['GMT+2', '+02:00'],
    ['utc +2', '+02:00'],
    ['UTC-03:30', '-03:30'],
    ['UTC+0530', '+05:30'],
    ['+05:30', '+05:30'],
    ['+2', '+02:00'],
    ['-0800', '-08:00'],
    ['UTC-11', '-11:00'],
    ['Etc/GMT+2', 'Etc/GMT+2'],
  ])('%j means %s', (text, zone) => {
    expect(timeZoneOf(text)).toBe(zone);
  });

  it.each(['', ' ', 'Mars/Olympus', 'UTC+15', 'UTC+2:75', '+99', 'Berlin Standard Time', 'x'.repeat(200)])(
    '%j is none',
    (text) => expect(timeZoneOf(text)).toBeUndefined(),
  );

  it('of Windows is one that exists, for every name', () => {
    expect(WINDOWS_ZONES.size).toBe(139);
    for (const [name, zone] of WINDOWS_ZONES) expect([name, timeZoneOf(zone)]).toEqual([name, zone]);
  });
});
