import type { Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import type { ChosenMetric, ExperimentDocument } from '../../../../core/vocabulary/documents/experiments.ts';
import { metricOf } from '../../flags/results/metric-fields.ts';

/** The metrics that are measured at once, and which of them each guardrail watches. */
export interface AskedMetrics {
  metrics: readonly Metric[];
  /** Places of the guardrails' metrics, in their order. */
  guardrails: readonly number[];
}

/** A metric that is asked for twice is measured once. @param first measured before those of the guardrails */
export function askedMetrics({ guardrails }: ExperimentDocument, first?: Metric): AskedMetrics {
  const metrics: Metric[] = first === undefined ? [] : [first];
  const texts = metrics.map(textOf);
  const places = guardrails.map(({ metric }) => {
    const stored = storedMetric(metric);
    const found = texts.indexOf(textOf(stored));
    if (found >= 0) return found;
    texts.push(textOf(stored));
    return metrics.push(stored) - 1;
  });
  return { metrics, guardrails: places };
}

const textOf = ({ metric, aggregate, winsorize, cuped = false }: Metric): string =>
  JSON.stringify([metric, aggregate, winsorize, cuped]);

/** It was valid when it was stored. */
export const storedMetric = (chosen: ChosenMetric): Metric => metricOf(chosen, '', []);
