import {
  EXPERIMENT_FIELDS,
  EXPERIMENT_METRIC_NAMES,
  EXPERIMENT_OPTIONS,
  type ExperimentField,
  experimentMetric,
  type ExperimentMetricName,
  type ExperimentOption,
} from '../../../core/vocabulary/metrics/experiment-metrics.ts';

/* What is measured of an experiment: kept in the address, and sent as the fields of a metric. */

/** Fields and options as the address has them. */
export type MeasureFields = Partial<Record<ExperimentField | ExperimentOption, string>>;

export interface Measure {
  aggregate: ExperimentMetricName;
  fields: MeasureFields;
}

const NAMES = [...EXPERIMENT_FIELDS, ...EXPERIMENT_OPTIONS] as const;

export function measureIn(params: URLSearchParams): Measure {
  const aggregate = EXPERIMENT_METRIC_NAMES.find((name) => name === params.get('aggregate')) ?? 'conversion';
  const fields = Object.fromEntries(NAMES.map((name) => [name, params.get(name) ?? '']));
  return { aggregate, fields };
}

/** A metric as a definition has it, or a person who is still writing it. */
export function measureOf(metric: Readonly<Record<string, unknown>>): { measure: Measure; event: string } {
  const text = (name: string): string => {
    const value = metric[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : value === true ? 'true' : '';
  };
  const aggregate = EXPERIMENT_METRIC_NAMES.find((name) => name === metric['aggregate']) ?? 'conversion';
  return {
    measure: { aggregate, fields: Object.fromEntries(NAMES.map((name) => [name, text(name)])) },
    event: text('metric'),
  };
}

/** What a metric of a definition is called, such as "item_bought" or "Revenue per player". */
export function metricName(metric: Readonly<Record<string, unknown>>): string {
  const { measure, event } = measureOf(metric);
  return measureName(measure.aggregate, event);
}

/** The fields that the form shows, without the events, which it always shows where they are measured. */
export function shownFields(aggregate: ExperimentMetricName): (ExperimentField | ExperimentOption)[] {
  const { needs, takes, options } = experimentMetric(aggregate);
  return [...needs, ...takes, ...options].filter((name) => name !== 'metric');
}

/** Whether it measures events that are named. */
export function hasEvents(aggregate: ExperimentMetricName): boolean {
  const { needs, takes } = experimentMetric(aggregate);
  return [...needs, ...takes].includes('metric');
}

/** Whether it can do without named events. */
export const needsEvents = (aggregate: ExperimentMetricName): boolean =>
  experimentMetric(aggregate).needs.includes('metric');

/** Whether all that the metric needs is there. */
export function isComplete({ aggregate, fields }: Measure, metric: string): boolean {
  const { needs } = experimentMetric(aggregate);
  const has = (name: ExperimentField): boolean => (name === 'metric' ? metric : (fields[name] ?? '')) !== '';
  const isHalf = aggregate === 'quantile' && (metric !== '') !== ((fields.property ?? '') !== '');
  return needs.every(has) && !isHalf;
}

/** The metric as a request has it. */
export function metricBody({ aggregate, fields }: Measure, metric: string) {
  const shown = shownFields(aggregate);
  const text = (name: ExperimentField): string | undefined =>
    shown.includes(name) && fields[name] !== '' ? fields[name] : undefined;
  const count = (name: ExperimentField | ExperimentOption): number | undefined =>
    shown.includes(name) && (fields[name] ?? '') !== '' ? Number(fields[name]) : undefined;
  return {
    aggregate,
    metric: metric === '' ? undefined : metric,
    property: text('property'),
    per_metric: text('per_metric'),
    per_property: text('per_property'),
    day: count('day'),
    quantile: count('quantile'),
    winsorize: count('winsorize'),
    cuped: shown.includes('cuped') && fields.cuped === 'true' ? true : undefined,
  };
}

/** What a table of results is called. */
export const measureName = (aggregate: ExperimentMetricName, metric: string): string =>
  metric === '' ? experimentMetric(aggregate).title : metric;
