import { describe, expect, it } from 'vitest';
import {
  DIMENSION_NAMES,
  DIMENSIONS,
  NAMED_DIMENSION_NAMES,
  NAMED_DIMENSIONS,
} from '../../core/vocabulary/metrics/dimensions.ts';
import { LIFECYCLE_STATE_NAMES, LIFECYCLE_STATES } from '../../core/vocabulary/metrics/lifecycle.ts';
import type { Source } from '../../core/vocabulary/metrics/metric.ts';
import { isRatio, measureOf, METRIC_NAMES, METRICS, RATIOS } from '../../core/vocabulary/metrics/metrics.ts';
import { FILTER_OPERATOR_NAMES, FILTER_OPERATORS } from '../../core/vocabulary/metrics/operators.ts';
import { rowsUnder } from '../support/documentation.ts';

/* The tables of metrics, fields and operators say what is declared, word for word. */

const PAGE = 'docs/analytics-queries.md';
const code = (text: string): string => `\`${text}\``;
const ALL_SOURCES = 5;
const rowsOf = (sources: readonly Source[]): string =>
  sources.length === ALL_SOURCES ? 'all' : sources.map(code).join(', ');

describe(PAGE, () => {
  it('lists every metric with its words', () => {
    const declared = METRIC_NAMES.map((name) => {
      const of = isRatio(name) ? `${RATIOS[name].numerator} / ${RATIOS[name].denominator}` : measureOf(name).source;
      return [code(name), METRICS[name].words, code(of), METRICS[name].unit];
    });
    expect(rowsUnder(PAGE, 'Metrics')).toEqual(declared);
  });

  it('lists every field with its words', () => {
    const rest = { property: 'path', attribute: 'path', segment: 'key' } as const;
    const declared = [
      ...DIMENSION_NAMES.map((name) => ({ name, ...DIMENSIONS[name] })),
      ...NAMED_DIMENSION_NAMES.map((name) => ({ ...NAMED_DIMENSIONS[name], name: `${name}:<${rest[name]}>` })),
    ].map(({ name, words, sources }) => [code(name), words, rowsOf(sources)]);
    expect(rowsUnder(PAGE, 'Fields')).toEqual(declared);
  });

  it('lists every state of the lifecycle with its words', () => {
    const declared = LIFECYCLE_STATE_NAMES.map((name) => [code(name), LIFECYCLE_STATES[name].words]);
    expect(rowsUnder(PAGE, 'Lifecycle')).toEqual(declared);
  });

  it('lists every operator with its words', () => {
    const declared = FILTER_OPERATOR_NAMES.map((name) => [code(name), FILTER_OPERATORS[name].words]);
    expect(rowsUnder(PAGE, 'Conditions')).toEqual(declared);
  });
});
