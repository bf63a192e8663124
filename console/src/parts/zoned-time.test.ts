import { describe, expect, it } from 'vitest';
import { clockText, dayText, momentOf, offsetText, startOf, timeOfDay, weekBefore, zoneLabel } from './zoned-time.ts';

/* In Sao Paulo clocks went from 2018-11-03 23:59:59 to 01:00, and from 2018-02-17 23:59:59 back to 23:00. */

const SAO_PAULO = 'America/Sao_Paulo';
const at = (text: string): number => Date.parse(text);

describe('a time in the zone of a game', () => {
  it.each([
    ['2026-11-27T02:59:59Z', '2026-11-26 23:59:59', '2026-11-26', '2026-11-26T23:59:59-03:00'],
    ['2026-11-27T03:00:00Z', '2026-11-27 00:00:00', '2026-11-27', '2026-11-27T00:00:00-03:00'],
    // Midnight did not come.
    ['2018-11-04T02:59:59Z', '2018-11-03 23:59:59', '2018-11-03', '2018-11-03T23:59:59-03:00'],
    ['2018-11-04T03:00:00Z', '2018-11-04 01:00:00', '2018-11-04', '2018-11-04T01:00:00-02:00'],
    // The last hour of the day came twice.
    ['2018-02-18T01:30:00Z', '2018-02-17 23:30:00', '2018-02-17', '2018-02-17T23:30:00-02:00'],
    ['2018-02-18T02:30:00Z', '2018-02-17 23:30:00', '2018-02-17', '2018-02-17T23:30:00-03:00'],
  ])('%s is %s', (utc, clock, day, whole) => {
    const ms = at(utc);
    expect([clockText(SAO_PAULO, ms), dayText(SAO_PAULO, ms), offsetText(SAO_PAULO, ms)]).toEqual([clock, day, whole]);
    expect(at(whole)).toBe(ms);
  });

  it('names its zone by the offset of that time', () => {
    expect(zoneLabel('UTC', 0)).toBe('UTC');
    expect(zoneLabel(SAO_PAULO, at('2018-11-04T02:59:59Z'))).toBe('GMT-3');
    expect(zoneLabel(SAO_PAULO, at('2018-11-04T03:00:00Z'))).toBe('GMT-2');
    expect(offsetText('Asia/Kathmandu', at('2026-11-27T00:00:00Z'))).toBe('2026-11-27T05:45:00+05:45');
    expect(offsetText('UTC', at('2026-11-27T00:00:00Z'))).toBe('2026-11-27T00:00:00Z');
    expect(timeOfDay('Asia/Kolkata', '2026-11-27T20:00:00.123Z')).toBe('01:30:00.123');
  });
});

it.each([
  // Sunday noon after clocks went forth at night: the noon of a week before, not 11:00.
  ['Europe/Berlin', '2026-03-29T10:00:00Z', '2026-03-22T11:00:00Z'],
  [SAO_PAULO, '2018-11-04T14:00:00Z', '2018-10-28T15:00:00Z'],
  [SAO_PAULO, '2018-02-18T03:00:00Z', '2018-02-11T02:00:00Z'],
  ['UTC', '2026-03-29T10:00:00Z', '2026-03-22T10:00:00Z'],
])('a week before in %s, at %s, is the same time by the clock', (zone, now, before) => {
  expect(weekBefore(zone, at(now))).toBe(at(before));
});

describe('a time that a person writes', () => {
  it.each([
    ['2026-11-26 23:59', '2026-11-27T02:59:00Z'],
    ['2026-11-27T00:00', '2026-11-27T03:00:00Z'],
    ['2026-11-27 00:00:07', '2026-11-27T03:00:07Z'],
    // The first of the two; and half an hour after the gap began.
    ['2018-02-17 23:30', '2018-02-18T01:30:00Z'],
    ['2018-02-18 00:00', '2018-02-18T03:00:00Z'],
    ['2018-11-04 00:30', '2018-11-04T03:30:00Z'],
    ['2018-11-04 01:00', '2018-11-04T03:00:00Z'],
  ])('%s is %s', (text, utc) => {
    expect(momentOf(SAO_PAULO, text)).toBe(at(utc));
  });

  it('is none while it is not whole', () => {
    for (const text of ['', '2026-11-27', '2026-11-27 1:00', '2026-13-01 10:00', '2026-11-27 10:00Z']) {
      expect(momentOf(SAO_PAULO, text)).toBeUndefined();
    }
    expect(startOf(SAO_PAULO, '2018-11-04')).toBe(at('2018-11-04T03:00:00Z'));
    expect(startOf(SAO_PAULO, '2018-02-18')).toBe(at('2018-02-18T03:00:00Z'));
  });
});
