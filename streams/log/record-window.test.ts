import { describe, expect, it } from 'vitest';
import type { LogRecord } from './log.ts';
import { createRecordWindow } from './record-window.ts';

const record = (sequence: number, text = 'abcd'): LogRecord => ({
  subject: 'facts.0',
  sequence,
  storedAtMs: sequence,
  data: Buffer.from(text),
});
const sequencesOf = (records: readonly LogRecord[]): number[] => records.map(({ sequence }) => sequence);

describe('a window of records', () => {
  it('keeps a place while earlier records are dropped', () => {
    const window = createRecordWindow();
    window.push([record(10), record(12), record(15)]);
    const place = window.placeOf(record(12)) ?? 0;
    window.drop(1);
    expect(window.placeOf(record(12))).toBe(place);
    expect(sequencesOf(window.from(place))).toEqual([12, 15]);
    expect({ first: window.first, end: window.end, bytes: window.bytes }).toEqual({ first: 1, end: 3, bytes: 8 });
  });

  it('has no place for a record of the same sequence with other data', () => {
    const window = createRecordWindow();
    window.push([record(10)]);
    expect(window.placeOf(record(10, 'abce'))).toBeUndefined();
    expect(window.placeOf(record(9))).toBeUndefined();
    expect(window.placeOf(undefined)).toBeUndefined();
  });

  it.each([
    { maxRecords: 2, maxBytes: Infinity, taken: [1, 2] },
    { maxRecords: Infinity, maxBytes: 9, taken: [1, 2] },
    { maxRecords: Infinity, maxBytes: 1, taken: [1] },
    { maxRecords: 0, maxBytes: Infinity, taken: [] },
  ])('gives $taken for $maxRecords records and $maxBytes bytes', ({ maxRecords, maxBytes, taken }) => {
    const window = createRecordWindow();
    window.push([record(1), record(2), record(3)]);
    expect(sequencesOf(window.take(maxRecords, maxBytes))).toEqual(taken);
    expect(window.length).toBe(3 - taken.length);
  });

  it('drops its first records until the others keep the bounds', () => {
    const window = createRecordWindow();
    window.push([record(1), record(2), record(3), record(4)]);
    window.dropTo(3, 9);
    expect(sequencesOf(window.from(window.first))).toEqual([3, 4]);
    window.dropTo(Infinity, 0);
    expect(window.length).toBe(0);
  });

  it('after it forgot its records, has every earlier place before its first', () => {
    const window = createRecordWindow();
    window.push([record(1)]);
    const { end } = window;
    window.forget();
    expect(end).toBeLessThan(window.first);
  });
});
