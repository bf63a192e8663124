import { describe, expect, it } from 'vitest';
import { spanOf, stateOf, triggerKindOf } from './campaign-document.ts';
import { daysOfMonth, inMonth, monthOf, shiftMonth } from './month.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const timed = { enabled: true, trigger: { event: 'x' }, start_at: null, end_at: null };

describe('the state of a campaign', () => {
  it('follows from its switch and its times', () => {
    const states = [
      timed,
      { ...timed, enabled: false },
      { ...timed, start_at: '2026-11-24T00:00:00Z' },
      { ...timed, end_at: '2026-11-23T12:00:00Z' },
      { ...timed, enabled: false, end_at: '2026-11-23T12:00:00Z' },
      { ...timed, trigger: { schedule: { at: '2026-11-23T12:00:01Z' } } },
      { ...timed, trigger: { schedule: { at: '2026-11-23T11:00:00Z' } } },
      { ...timed, trigger: { schedule: { at: '2026-11-22T11:00:00Z' } } },
    ].map((campaign) => stateOf(campaign, NOW));
    expect(states).toEqual(['running', 'paused', 'scheduled', 'over', 'over', 'scheduled', 'running', 'over']);
  });

  it('names the trigger, and none for other documents', () => {
    expect([{ churn: 'high' }, { event: '' }, {}, null, 'event'].map(triggerKindOf)).toEqual([
      'churn',
      'event',
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('the month calendar', () => {
  it('has whole weeks from Monday', () => {
    const days = daysOfMonth('UTC', '2026-11');
    expect(days.length % 7).toBe(0);
    expect([days[0]?.key, days.at(-1)?.key]).toEqual(['2026-10-26', '2026-12-06']);
    expect(days.filter(({ isInMonth }) => isInMonth)).toHaveLength(30);
    expect([shiftMonth('2026-12', 1), shiftMonth('2026-01', -1)]).toEqual(['2027-01', '2025-12']);
  });

  it('has days of the game, also where clocks change', () => {
    // Clocks went back at midnight before the 18th of February 2018, and forth before the 4th of November.
    const dayOf = (month: string, key: string) => {
      const day = daysOfMonth('America/Sao_Paulo', month).find((each) => each.key === key);
      return day && [new Date(day.startMs).toISOString(), (day.endMs - day.startMs) / 3_600_000];
    };
    expect(dayOf('2018-02', '2018-02-17')).toEqual(['2018-02-17T02:00:00.000Z', 25]);
    expect(dayOf('2018-11', '2018-11-04')).toEqual(['2018-11-04T03:00:00.000Z', 23]);
    const night = Date.parse('2026-12-01T02:59:59Z');
    expect([monthOf('America/Sao_Paulo', '', night), monthOf('UTC', '', night)]).toEqual(['2026-11', '2026-12']);
  });

  it('shows what is bounded and meets the month', () => {
    const [first = { startMs: 0, endMs: 0 }] = daysOfMonth('UTC', '2026-11').filter(({ isInMonth }) => isInMonth);
    const month = { startMs: first.startMs, endMs: Date.parse('2026-12-01T00:00:00Z') };
    const meets = (start_at: string | null, end_at: string | null) =>
      inMonth(spanOf({ ...timed, start_at, end_at }), month);
    expect(meets('2026-10-01T00:00:00Z', '2026-11-01T00:00:00Z')).toBe(false);
    expect(meets('2026-10-01T00:00:00Z', '2026-11-01T00:00:01Z')).toBe(true);
    expect(meets(null, null)).toBe(true);
    expect(meets('2026-12-01T00:00:00Z', null)).toBe(false);
  });
});
