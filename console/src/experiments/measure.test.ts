import { describe, expect, it } from 'vitest';
import {
  hasEvents,
  isComplete,
  measureIn,
  measureOf,
  metricBody,
  metricName,
  needsEvents,
  shownFields,
} from './measure.ts';

const of = (query: string) => measureIn(new URLSearchParams(query));

describe('what an experiment measures, from the address', () => {
  it('sends the fields of its metric, and none that the metric does not take', () => {
    const all = 'property=gold&per_metric=started&day=3&quantile=0.9&winsorize=0.99&cuped=true';
    const body = (query: string, metric = '') => JSON.parse(JSON.stringify(metricBody(of(query), metric)));
    expect(body(all, 'won')).toEqual({ aggregate: 'conversion', metric: 'won', cuped: true });
    expect(body(`aggregate=sum&${all}`, 'won')).toEqual({
      aggregate: 'sum',
      metric: 'won',
      property: 'gold',
      winsorize: 0.99,
      cuped: true,
    });
    expect(body(`aggregate=retention&${all}`)).toEqual({ aggregate: 'retention', day: 3 });
    expect(body(`aggregate=ratio&${all}`, 'won')).toEqual({
      aggregate: 'ratio',
      metric: 'won',
      property: 'gold',
      per_metric: 'started',
    });
    expect(body('aggregate=revenue')).toEqual({ aggregate: 'revenue' });
  });

  it('waits until the metric has what it needs', () => {
    expect(isComplete(of(''), '')).toBe(false);
    expect(isComplete(of(''), 'won')).toBe(true);
    expect(isComplete(of('aggregate=sum'), 'won')).toBe(false);
    expect(isComplete(of('aggregate=retention'), '')).toBe(false);
    expect(isComplete(of('aggregate=revenue'), '')).toBe(true);
    expect(isComplete(of('aggregate=quantile'), 'won')).toBe(false);
    expect(isComplete(of('aggregate=quantile&property=gold'), 'won')).toBe(true);
  });

  it('asks for events where they are measured', () => {
    const events = (aggregate: 'payer' | 'quantile' | 'mean') => [hasEvents(aggregate), needsEvents(aggregate)];
    expect([events('payer'), events('quantile'), events('mean')]).toEqual([
      [false, false],
      [true, false],
      [true, true],
    ]);
    expect(shownFields('revenue')).toEqual(['winsorize', 'cuped']);
  });
});

it('reads a metric of a definition, and writes the same again', () => {
  const metrics = [
    { aggregate: 'conversion', metric: 'won' },
    { aggregate: 'sum', metric: 'won', property: 'gold', winsorize: 0.99, cuped: true },
    { aggregate: 'retention', day: 3 },
    { aggregate: 'quantile', quantile: 0.9 },
  ];
  const again = metrics.map((metric) => {
    const { measure, event } = measureOf(metric);
    return JSON.parse(JSON.stringify(metricBody(measure, event)));
  });
  expect(again).toEqual(metrics);
  expect(measureOf({ metric: 'won' }).measure.aggregate).toBe('conversion');
  expect([metricName({ aggregate: 'sum', metric: 'won' }), metricName({ aggregate: 'revenue' })]).toEqual([
    'won',
    'Revenue per player',
  ]);
});
