import { describe, expect, it } from 'vitest';
import { ANALYTICS_LIMITS } from './limits.ts';
import { QUESTION_LIMITS } from '../../../clickhouse-schema/queries/questions/limits.ts';
import type { QueryBody } from './query-fields.ts';
import { questionOf } from './query-question.ts';

const NOW_MS = Date.UTC(2026, 0, 15);
const TWO_YEARS = { from: '2024-01-15T00:00:00Z', to: '2026-01-16T00:00:00Z' };

/** The paths of the faults; none: the question is accepted. */
function faultsOf(body: QueryBody): string[] {
  const asked = questionOf(body, { game: 'demo', environment: 'live', zone: 'UTC' }, NOW_MS);
  if (asked.kind === 'question') return [];
  const details: { fields: { path: string }[] } = JSON.parse(JSON.stringify(asked.details));
  return details.fields.map(({ path }) => path);
}

describe('a question', () => {
  it('about retention has a bounded number of figures', () => {
    const days = Array.from({ length: ANALYTICS_LIMITS.retentionDays }, (_, day) => day);
    expect(faultsOf({ kind: 'retention', days, ...TWO_YEARS })).toEqual([]);
    expect(faultsOf({ kind: 'retention', by: 'country', days, ...TWO_YEARS })).toEqual(['/days']);
    expect(faultsOf({ kind: 'retention', by: 'country', days, ...TWO_YEARS, limit: 2 })).toEqual([]);
    expect(faultsOf({ kind: 'retention', by: 'country', days: [1, 7, 30], ...TWO_YEARS })).toEqual([]);
    expect(faultsOf({ kind: 'retention', by: 'country', days })).toEqual([]);
  });

  it('names values of a bounded length together, which fit the address of a statement', () => {
    const values = Array.from({ length: 50 }, () => 'ü'.repeat(QUESTION_LIMITS.questionValueLength));
    const where = (count: number) => Array.from({ length: count }, () => ({ field: 'country', in: values }));
    expect(faultsOf({ kind: 'trend', where: where(2) })).toEqual([]);
    expect(faultsOf({ kind: 'trend', where: where(3) })).toEqual(['/where']);
    const steps = ['open', 'buy'].map((event_name) => ({ event_name, where: where(2) }));
    expect(faultsOf({ kind: 'funnel', steps })).toEqual(['/steps']);
  });

  it('names a platform by any of its names', () => {
    const filtersOf = (condition: object) => {
      const asked = questionOf(
        { kind: 'paths', event_name: 'a', where: [{ field: 'platform', ...condition }] },
        { game: 'demo', environment: 'live', zone: 'UTC' },
        NOW_MS,
      );
      if (asked.kind === 'failure' || asked.question.kind !== 'paths') throw new Error('no question');
      return asked.question.where.map(({ test }) => test.value);
    };
    expect(filtersOf({ is: 'iOS' })).toEqual(['ios']);
    expect(filtersOf({ is_not: 'IPhonePlayer', contains: 'OS' })).toEqual(['ios', 'os']);
    expect(filtersOf({ in: ['OSXPlayer', '', 'Ouya'] })).toEqual([['macos', '', 'ouya']]);
    expect(filtersOf({ is_set: true })).toEqual([true]);
    const property = { field: 'property:platform', is: 'iOS' };
    expect(filtersOf(property)).toEqual(['iOS']);
  });

  it('has a range of days of the zone, by dates or by their number', () => {
    const rangeIn = (zone: string, body: object) => {
      const asked = questionOf({ kind: 'trend', ...body }, { game: 'demo', environment: 'live', zone }, NOW_MS);
      if (asked.kind === 'failure') throw new Error(asked.message);
      return [asked.question.fromMs, asked.question.toMs].map((ms) => new Date(ms).toISOString());
    };
    // 2026-01-15T00:00Z is the evening before in São Paulo.
    expect(rangeIn('America/Sao_Paulo', { last_days: 2 })).toEqual([
      '2026-01-13T03:00:00.000Z',
      '2026-01-15T03:00:00.000Z',
    ]);
    expect(rangeIn('America/Sao_Paulo', { last_days: 2, kind: 'paths', event_name: 'a' })).toEqual([
      '2026-01-13T03:00:00.000Z',
      '2026-01-15T03:00:00.000Z',
    ]);
    const dates = { from: '2026-03-28', to: '2026-03-30', kind: 'paths', event_name: 'a' };
    expect(rangeIn('Europe/Berlin', dates)).toEqual(['2026-03-27T23:00:00.000Z', '2026-03-29T22:00:00.000Z']);
    expect(rangeIn('UTC', dates)).toEqual(['2026-03-28T00:00:00.000Z', '2026-03-30T00:00:00.000Z']);
    expect(faultsOf({ kind: 'trend', last_days: 3, to: '2026-01-01' })).toEqual(['/to']);
  });
});
