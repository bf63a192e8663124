import { assert, constantFrom, date, nat, property, record } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatTimestamp, parseTimestamp } from './timestamp.ts';

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
