import { Type, type Static } from 'typebox';
import type { Aggregate, Metric } from '../../../../clickhouse-schema/queries/experiments/metric.ts';
import type { FieldFault } from '../../../../core/kernel/errors.ts';
import { TEXT_LIMITS } from '../../../../core/kernel/text/limits.ts';
import {
  EXPERIMENT_FIELDS,
  EXPERIMENT_METRIC_NAMES,
  EXPERIMENT_OPTIONS,
  experimentMetric,
  type ExperimentMetricName,
  OPTION_WORDS,
} from '../../../../core/vocabulary/metrics/experiment-metrics.ts';
import { API_LIMITS } from '../../limits.ts';
import { oneOf } from '../../input/fields.ts';

/* The fields of a metric in requests for results of an experiment, made of the declarations of the metrics. */

/** The metrics that need a field, and those that take it. */
function usersOf(field: string): string {
  const names = (isIn: (name: ExperimentMetricName) => boolean): string =>
    EXPERIMENT_METRIC_NAMES.filter(isIn)
      .map((name) => `\`${name}\``)
      .join(', ');
  const needed = names((name) => experimentMetric(name).needs.some((each) => each === field));
  const taken = names(
    (name) =>
      experimentMetric(name).takes.some((each) => each === field) ||
      experimentMetric(name).options.some((each) => each === field),
  );
  return [needed === '' ? [] : `Required with ${needed}.`, taken === '' ? [] : `Allowed with ${taken}.`]
    .flat()
    .join(' ');
}

const name = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: TEXT_LIMITS.nameLength, description }));
const path = (description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: API_LIMITS.propertyPathLength, description }));

const WORDS = EXPERIMENT_METRIC_NAMES.map((each) => `\`${each}\`: ${experimentMetric(each).words}`).join(' ');

export const METRIC_FIELDS = {
  aggregate: Type.Optional(
    oneOf(EXPERIMENT_METRIC_NAMES, `What is measured of each player. Default: \`conversion\`. ${WORDS}`),
  ),
  metric: name(`Name of the events to measure. ${usersOf('metric')}`),
  property: path(
    'Path of the number in the properties, keys joined by dots (`price.amount`). Other values count as 0. ' +
      usersOf('property'),
  ),
  per_metric: name(`Name of the events that divide. ${usersOf('per_metric')}`),
  per_property: path(
    `Path of the number whose sum divides, instead of the number of events. ${usersOf('per_property')}`,
  ),
  day: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: API_LIMITS.resultsWindowDays,
      description: `Day after the day of the first exposure. ${usersOf('day')}`,
    }),
  ),
  quantile: Type.Optional(
    Type.Number({
      minimum: 0.01,
      maximum: 0.99,
      description: `Share of players below it. Default: 0.5. ${usersOf('quantile')}`,
    }),
  ),
  winsorize: Type.Optional(
    Type.Number({
      minimum: 0.9,
      maximum: 0.9999,
      description:
        'Share of the players of all variants together above whose values larger ones are capped: 0.99 caps the ' +
        `largest of a hundred. Default: no cap. ${usersOf('winsorize')}`,
    }),
  ),
  cuped: Type.Optional(
    Type.Boolean({
      description:
        'Whether to take off what the same metric in the 14 days before the exposure explains (CUPED), which narrows ' +
        `the interval. Default: false. ${usersOf('cuped')}`,
    }),
  ),
};

const MetricInput = Type.Object(METRIC_FIELDS);
export type MetricInput = Static<typeof MetricInput>;

/**
 * The metric of a request; its faults are added to `faults`.
 * @param at where the metric is in the request, with `/` at the end; empty for a query string
 */
export function metricOf(input: MetricInput, at: string, faults: FieldFault[]): Metric {
  const { aggregate: kind = 'conversion', winsorize, cuped } = input;
  const found = [...usedFaults(kind, input), ...pathFaults(input)];
  faults.push(...found.map(({ path: field, message }) => ({ path: at + field, message })));
  return { metric: input.metric ?? '', aggregate: aggregateOf(kind, input), winsorize, cuped };
}

function usedFaults(kind: ExperimentMetricName, input: MetricInput): FieldFault[] {
  const { needs, takes, options } = experimentMetric(kind);
  const fields = EXPERIMENT_FIELDS.flatMap((field): FieldFault[] => {
    const isNeeded = needs.some((each) => each === field);
    if (isNeeded && input[field] === undefined) {
      return [{ path: field, message: `is required with \`aggregate=${kind}\`` }];
    }
    if (input[field] === undefined || isNeeded || takes.some((each) => each === field)) return [];
    return [{ path: field, message: `is not allowed with \`aggregate=${kind}\`. ${usersOf(field)}` }];
  });
  const refused = EXPERIMENT_OPTIONS.flatMap((option): FieldFault[] =>
    input[option] === undefined || input[option] === false || options.some((each) => each === option)
      ? []
      : [
          {
            path: option,
            message: `is not allowed with \`aggregate=${kind}\`: ${OPTION_WORDS[option]}. ${usersOf(option)}`,
          },
        ],
  );
  const isPart = kind === 'quantile' && (input.metric === undefined) !== (input.property === undefined);
  const missing = input.metric === undefined ? 'metric' : 'property';
  return [
    ...fields,
    ...refused,
    ...(isPart
      ? [{ path: missing, message: 'is required beside the other: `metric` and `property`, or neither' }]
      : []),
  ];
}

function pathFaults({ property, per_property: perProperty }: MetricInput): FieldFault[] {
  return Object.entries({ property, per_property: perProperty }).flatMap(([field, value]) =>
    (value?.split('.').length ?? 0) > API_LIMITS.propertyPathKeys
      ? [{ path: field, message: `must have at most ${API_LIMITS.propertyPathKeys} keys joined by dots` }]
      : [],
  );
}

function aggregateOf(kind: ExperimentMetricName, input: MetricInput): Aggregate {
  const { property, per_metric: per = '', per_property: perProperty, day = 1, quantile = 0.5 } = input;
  switch (kind) {
    case 'sum':
    case 'mean':
      return { kind, property: property ?? '' };
    case 'retention':
      return { kind, day };
    case 'ratio':
      return { kind, property, per, perProperty };
    case 'quantile':
      return { kind, property, quantile };
    case 'conversion':
    case 'count':
    case 'revenue':
    case 'gross_revenue':
    case 'payer':
    case 'sessions':
    case 'session':
      return { kind };
  }
}

/** What a response says of a metric, in the words of the request. */
export function metricJson({ metric, aggregate, winsorize }: Metric) {
  return {
    aggregate: aggregate.kind,
    metric: metric === '' ? null : metric,
    property: 'property' in aggregate ? (aggregate.property ?? null) : null,
    per_metric: aggregate.kind === 'ratio' ? aggregate.per : null,
    per_property: aggregate.kind === 'ratio' ? (aggregate.perProperty ?? null) : null,
    day: aggregate.kind === 'retention' ? aggregate.day : null,
    quantile: aggregate.kind === 'quantile' ? aggregate.quantile : null,
    winsorize: winsorize ?? null,
  };
}
