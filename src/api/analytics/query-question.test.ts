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
});
