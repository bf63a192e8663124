import { assert, constantFrom, date, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignTime, formatTimestamp, instantOf, isUnsetTime, parseTimestamp, storable } from './timestamp.ts';

describe('a timestamp', () => {
  it.each([
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05Z', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04Z', '2026-01-02T03:04:00.000Z'],
    ['2026-01-02', '2026-01-02T00:00:00.000Z'],
    ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000Z'],
    ['2026-01-02T03:04:05.6', '2026-01-02T03:04:05.600Z'],
    ['2026-01-02T03:04:05.678901234Z', '2026-01-02T03:04:05.678Z'],
    ['2026-01-02T03:04:05+05:30', '2026-01-01T21:34:05.000Z'],
    ['2026-01-02T03:04:05-0800', '2026-01-02T11:04:05.000Z'],
    ['2026-01-02T03:04:05+00', '2026-01-02T03:04:05.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['20260115T103000Z', '2026-01-15T10:30:00.000Z'],
    ['20260115t103000z', '2026-01-15T10:30:00.000Z'],
    ['20260115T103000', '2026-01-15T10:30:00.000Z'],
    ['20260115T1030', '2026-01-15T10:30:00.000Z'],
    ['20260115', '2026-01-15T00:00:00.000Z'],
    ['20260115T103000+0530', '2026-01-15T05:00:00.000Z'],
    ['20260115T103000-08', '2026-01-15T18:30:00.000Z'],
    ['20260115T103000.25Z', '2026-01-15T10:30:00.250Z'],
    ['20260115T103000,123456+0100', '2026-01-15T09:30:00.123Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2017-01-01T00:59:60.5+01:00', '2017-01-01T00:00:00.500Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['2299-12-31T23:59:59.999Z', '2299-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, expected) => {
    const epochMs = parseTimestamp(text);
    expect(epochMs).toBeTypeOf('number');
    expect(formatTimestamp(epochMs ?? NaN)).toBe(expected);
  });

  it.each([
    '',
    'yesterday',
    '1767225600',
    '2026-1-2',
    '2026-02-30T00:00:00Z',
    '2025-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z',
    '2026-01-02T24:00:00Z',
    '2026-01-02T03:60:00Z',
    '2026-01-02T03:04:61Z',
    '2026-01-02T03:04:60Z',
    '2016-12-31T23:59:60+01:00',
    '2016-12-31T22:59:60Z',
    // Week dates, ordinal dates, mixed forms and years alone.
    '2026-W03-4',
    '2026W034',
    '2026W034T103000Z',
    '2026-015',
    '2026015',
    '2026-01',
    '2026',
    '2026-0115',
    '202601-15',
    '20260115T10:30:00Z',
    '2026-01-15T103000Z',
    '20260230T103000Z',
    '20260115T240000Z',
    '20260115T103000Zx',
    '0001-01-01T00:00:00',
    '2026-01-02T03:04:05+25:00',
    '2026-01-02 03:04:05',
    '2026-01-02T03:04:05Z ',
    '1969-12-31T23:59:59Z',
    '1970-01-01T00:00:00+00:01',
    '2300-01-01T00:00:00Z',
    '12026-01-01T00:00:00Z',
  ])('%j is refused', (text) => {
    expect(parseTimestamp(text)).toBeUndefined();
  });

  it('is formatted like Date.toISOString and parses back', () => {
    const range = { min: new Date(0), max: new Date('2299-12-31T23:59:59.999Z'), noInvalidDate: true };
    assert(
      property(date(range), (time) => {
        const text = formatTimestamp(time.getTime());
        expect(text).toBe(time.toISOString());
        expect(parseTimestamp(text)).toBe(time.getTime());
      }),
    );
  });

  it('is read alike whatever day was formatted before', () => {
    const range = { min: new Date(0), max: new Date('2299-12-31T23:59:59.999Z'), noInvalidDate: true };
    const change = record({ index: nat(23), by: constantFrom('0', '2', '6', '9', ':', '.', 'Z', 'T', '-', ' ', 'x') });
    assert(
      property(date(range), change, (time, { index, by }) => {
        const text = time.toISOString();
        const changed = text.slice(0, index) + by + text.slice(index + 1);
        const readAfter = (formattedMs: number): number | undefined => {
          formatTimestamp(formattedMs);
          // The result of the last text is kept.
          parseTimestamp('');
          return parseTimestamp(changed);
        };
        const otherDayMs = (time.getTime() + 86_400_000 * 40) % Date.UTC(2299, 0);
        expect(readAfter(time.getTime())).toBe(readAfter(otherDayMs));
      }),
    );
  });
});

describe('a time of another product', () => {
  const AT = Date.UTC(2026, 0, 15, 10, 30);

  it.each([
    AT / 1_000,
    AT,
    AT * 1_000,
    String(AT / 1_000),
    String(AT),
    String(AT * 1_000),
    `${AT / 1_000}.000`,
    '2026-01-15T10:30:00Z',
    '20260115T103000Z',
    '2026-01-15 10:30:00',
    '2026-01-15 10:30:00 UTC',
    '2026-01-15 10:30:00.000 UTC',
    '2026-01-15 10:30:00Z',
    '2026-01-15 11:30:00+01:00',
    '2026-01-15 11:30:00 +0100',
    AT * 1_000_000,
    `${AT}000000`,
    ' 2026-01-15T10:30:00Z\n',
    'Thu, 15 Jan 2026 10:30:00 GMT',
    'Thu, 15 Jan 2026 11:30:00 +0100',
    'Thu Jan 15 2026 11:30:00 GMT+0100 (Central European Standard Time)',
  ])('%j is read', (value) => {
    expect(foreignTime(value)).toBe(AT);
  });

  it('keeps fractions of seconds down to milliseconds', () => {
    expect(foreignTime(AT / 1_000 + 0.25)).toBe(AT + 250);
    expect(foreignTime(`${AT / 1_000}.25`)).toBe(AT + 250);
  });

  it.each([
    null,
    undefined,
    true,
    {},
    [],
    '',
    ' ',
    'now',
    '2026-W03-4',
    '1e9',
    '0x10',
    NaN,
    Infinity,
    '1'.repeat(20),
    'Thu, 15 Jan 2026 10:30:00',
    'Thu Xyz 15 2026 10:30:00 GMT',
  ])('%j is none', (value) => {
    expect(foreignTime(value)).toBeUndefined();
  });

  it('may be outside of the years that can be stored', () => {
    for (const value of [-1, '-1', '1955-03-01', '2300-01-01', '9999-12-31 00:00:00']) {
      const time = foreignTime(value);
      expect(time).toBeTypeOf('number');
      expect(storable(time)).toBeUndefined();
    }
    expect(instantOf('0099-01-01')).toBe(new Date('0099-01-01T00:00:00Z').getTime());
    expect(instantOf('0000-02-29')).toBe(new Date('0000-02-29T00:00:00Z').getTime());
  });

  it('that was never set is the first of the year 1', () => {
    for (const text of [
      '0001-01-01',
      '0001-01-01T00:00:00',
      '0001-01-01T00:00:00.0000000Z',
      '0001-01-01T01:00:00+01:00',
    ])
      expect(isUnsetTime(text)).toBe(true);
    for (const text of ['0001-01-02T00:00:00', '0001-01-01x', '2001-01-01']) expect(isUnsetTime(text)).toBe(false);
  });
});
