import { describe, expect, it } from 'vitest';
import { type Annotation, atOf, marksOf, writtenOf } from './marks.ts';

const SAO_PAULO = 'America/Sao_Paulo';
const at = (text: string): number => Date.parse(text);
const note = (when: string): Annotation => ({
  annotation_id: `ann_${when}`,
  text: 'x',
  at: when,
  link: null,
  made_by: { kind: 'user', id: 'u', email: null },
  owner: '',
  tags: [],
  note: '',
  managed_by: null,
  version: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
});

describe('a note', () => {
  it('stands on its day of the game, in the order of time, and only within the chart', () => {
    // The 4th of November 2018 began at 01:00 in Sao Paulo.
    const days = ['2018-11-03T03:00:00Z', '2018-11-04T03:00:00Z', '2018-11-05T02:00:00Z'].map(at);
    const notes = [
      '2018-11-06',
      '2018-11-05',
      '2018-11-04',
      '2018-11-02',
      '2018-11-04T02:59:59.000Z',
      '2018-11-05T01:59:59.000Z',
      '2018-11-03T02:59:59.000Z',
      '2018-11-03',
    ].map(note);
    expect(marksOf(SAO_PAULO, days, notes).map(({ annotation, place }) => [annotation.at, place])).toEqual([
      ['2018-11-03', 0],
      ['2018-11-04T02:59:59.000Z', 0],
      ['2018-11-04', 1],
      ['2018-11-05T01:59:59.000Z', 1],
      ['2018-11-05', 2],
    ]);
    expect(marksOf(SAO_PAULO, [], notes)).toEqual([]);
  });

  it('is on a chart of one day, and in the month or hour in which it is', () => {
    expect(marksOf('UTC', [at('2026-01-15T00:00Z')], ['2026-01-15', '2026-01-16'].map(note))).toMatchObject([
      { place: 0 },
    ]);
    const months = ['2026-01-01T00:00Z', '2026-02-01T00:00Z'].map(at);
    expect(marksOf('UTC', months, ['2026-01-31', '2026-02-28'].map(note)).map(({ place }) => place)).toEqual([0, 1]);
  });

  it('is written as a day and a time of the game, and keeps its seconds', () => {
    const moment = note('2018-11-04T03:30:07.000Z');
    const written = writtenOf(SAO_PAULO, moment);
    expect(written).toMatchObject({ day: '2018-11-04', time: '01:30' });
    expect(atOf(SAO_PAULO, written, moment)).toBe('2018-11-04T03:30:07.000Z');
    expect(atOf(SAO_PAULO, { ...written, time: '01:31' }, moment)).toBe('2018-11-04T03:31:00.000Z');
    expect(atOf(SAO_PAULO, { ...written, time: '' }, moment)).toBe('2018-11-04');
    expect(atOf(SAO_PAULO, { day: '', time: '' })).toBeUndefined();
  });
});
