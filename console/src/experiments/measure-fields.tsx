import { Autocomplete, Checkbox, Group, NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import {
  EXPERIMENT_METRIC_NAMES,
  type ExperimentField,
  experimentMetric,
  type ExperimentMetricName,
  type ExperimentOption,
} from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import { useEventNames } from '../conditions/names.ts';
import type { Document } from '../parts/drafts/document-values.ts';
import { TEXTS } from '../texts.ts';
import { hasEvents, type Measure, measureOf, metricBody, shownFields } from './measure.ts';

/* The fields of a metric: of results, of the primary metric of an experiment, and of its guardrails. */

const texts = TEXTS.results;

export const WINDOW_DAYS = 7;

interface AggregateSelectProps {
  value: ExperimentMetricName;
  onChange: (chosen: ExperimentMetricName) => void;
  readOnly?: boolean;
}

export function AggregateSelect({ value, onChange, readOnly = false }: AggregateSelectProps) {
  return (
    <NativeSelect
      label={texts.aggregate}
      value={value}
      disabled={readOnly}
      data={EXPERIMENT_METRIC_NAMES.map((each) => ({ value: each, label: experimentMetric(each).title }))}
      onChange={({ currentTarget: { value: chosen } }) =>
        onChange(EXPERIMENT_METRIC_NAMES.find((each) => each === chosen) ?? value)
      }
    />
  );
}

interface MeasureFieldProps {
  name: ExperimentField | ExperimentOption;
  measure: Measure;
  /** Gets the text of the field; empty: it has none. */
  onChange: (text: string) => void;
  readOnly?: boolean;
}

/** The bounds of the fields with numbers. */
const NUMBERS = {
  day: { min: 1, max: 90, allowDecimal: false },
  quantile: { min: 0.01, max: 0.99 },
  winsorize: { min: 0.9, max: 0.9999 },
} as const;

export function MeasureField({ name, measure: { fields }, onChange, readOnly = false }: MeasureFieldProps) {
  if (name === 'metric') return null;
  const label = texts.fields[name];
  const value = fields[name] ?? '';
  if (name === 'cuped') {
    return (
      <Checkbox
        label={label}
        pb={8}
        checked={value === 'true'}
        disabled={readOnly}
        onChange={(event) => onChange(event.currentTarget.checked ? 'true' : '')}
      />
    );
  }
  if (name === 'day' || name === 'quantile' || name === 'winsorize') {
    return (
      <NumberInput
        label={label}
        w={230}
        hideControls
        {...NUMBERS[name]}
        value={value === '' ? '' : Number(value)}
        readOnly={readOnly}
        onChange={(chosen) => onChange(String(chosen))}
      />
    );
  }
  return (
    <TextInput
      label={label}
      value={value}
      readOnly={readOnly}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface MetricFieldsProps {
  /** The metric as a request has it; a person may still be writing it. */
  metric: Document;
  onChange: (metric: ReturnType<typeof metricBody>) => void;
  readOnly?: boolean;
}

/** One metric. It shows the fields and options that it has, and no others. */
export function MetricFields({ metric, onChange, readOnly = false }: MetricFieldsProps) {
  const names = useEventNames();
  const { measure, event } = measureOf(metric);
  const { aggregate, fields } = measure;
  const change = (next: Partial<Measure>, name = event): void => onChange(metricBody({ ...measure, ...next }, name));
  return (
    <>
      <Group align="flex-end">
        <AggregateSelect
          value={aggregate}
          readOnly={readOnly}
          onChange={(chosen) => change({ aggregate: chosen }, hasEvents(chosen) ? event : '')}
        />
        {hasEvents(aggregate) ? (
          <Autocomplete
            label={texts.metric}
            value={event}
            data={[...new Set(names)]}
            limit={20}
            readOnly={readOnly}
            onChange={(name) => change({}, name)}
          />
        ) : null}
        {shownFields(aggregate).map((name) => (
          <MeasureField
            key={name}
            name={name}
            measure={measure}
            readOnly={readOnly}
            onChange={(text) => change({ fields: { ...fields, [name]: text } })}
          />
        ))}
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        {experimentMetric(aggregate).words.replaceAll('`', '')}
      </Text>
    </>
  );
}

interface DaysInputProps {
  label: string;
  value: number;
  least: number;
  usual: number;
  onChange: (days: string) => void;
}

export function DaysInput({ label, value, least, usual, onChange }: DaysInputProps) {
  return (
    <NumberInput
      label={label}
      w={190}
      min={least}
      max={90}
      allowDecimal={false}
      hideControls
      value={value}
      onChange={(days) => onChange(String(typeof days === 'number' ? days : usual))}
    />
  );
}
