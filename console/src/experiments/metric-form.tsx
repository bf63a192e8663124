import { Card, Checkbox, Group, NativeSelect, NumberInput, TagsInput, Text, TextInput } from '@mantine/core';
import {
  EXPERIMENT_METRIC_NAMES,
  type ExperimentField,
  experimentMetric,
  type ExperimentOption,
} from '../../../core/vocabulary/metrics/experiment-metrics.ts';
import { useEventNames } from '../conditions/names.ts';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';
import { hasEvents, type Measure, shownFields } from './measure.ts';
import type { Question, Results } from './metric-results.tsx';

const texts = TEXTS.experiment;

export const WINDOW_DAYS = 7;
export const MOST_METRICS = 5;

interface MetricFormProps {
  asked: Omit<Question, 'key' | 'metric'> & { metrics: string[] };
  results: Results | undefined;
  /** Sets a parameter of the address. */
  set: (name: string, values: readonly string[]) => void;
}

/** What is measured. A metric shows the fields and options that it has, and no others. */
export function MetricForm({ asked, results, set }: MetricFormProps) {
  const { metrics, measure, windowDays, minAgeDays, period } = asked;
  const names = useEventNames();
  const { aggregate } = measure;
  return (
    <Card withBorder>
      <Group align="flex-end">
        <NativeSelect
          label={texts.aggregate}
          value={aggregate}
          data={EXPERIMENT_METRIC_NAMES.map((each) => ({ value: each, label: experimentMetric(each).title }))}
          onChange={(event) => set('aggregate', [event.currentTarget.value])}
        />
        {hasEvents(aggregate) ? (
          <TagsInput
            label={texts.metrics}
            description={texts.metricsHelp}
            style={{ flex: '1 1 280px' }}
            value={metrics}
            data={[...new Set(names)]}
            maxTags={MOST_METRICS}
            onChange={(value) => set('metric', value)}
          />
        ) : null}
        {shownFields(aggregate).map((name) => (
          <Field key={name} name={name} measure={measure} set={set} />
        ))}
        <DaysInput
          label={texts.window}
          value={windowDays}
          least={1}
          usual={WINDOW_DAYS}
          onChange={(days) => set('window', days)}
        />
        <DaysInput
          label={texts.minAge}
          value={minAgeDays}
          least={0}
          usual={0}
          onChange={(days) => set('min_age', days)}
        />
        {results === undefined || results.percentages.length < 2 ? null : (
          <PercentageSelect results={results} onChange={(chosen) => set('percentage', [chosen])} />
        )}
        {results === undefined ? null : (
          <PeriodSelect
            results={results}
            onChange={(chosen) => set('period', chosen === '' ? [] : [chosen])}
            isCurrent={period === undefined}
          />
        )}
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        {experimentMetric(aggregate).words.replaceAll('`', '')}
      </Text>
    </Card>
  );
}

interface DaysInputProps {
  label: string;
  value: number;
  least: number;
  usual: number;
  onChange: (days: readonly string[]) => void;
}

function DaysInput({ label, value, least, usual, onChange }: DaysInputProps) {
  return (
    <NumberInput
      label={label}
      w={190}
      min={least}
      max={90}
      allowDecimal={false}
      hideControls
      value={value}
      onChange={(days) => onChange([String(typeof days === 'number' ? days : usual)])}
    />
  );
}

interface FieldProps {
  name: ExperimentField | ExperimentOption;
  measure: Measure;
  set: MetricFormProps['set'];
}

/** The bounds of the fields with numbers. */
const NUMBERS = {
  day: { min: 1, max: 90, allowDecimal: false },
  quantile: { min: 0.01, max: 0.99 },
  winsorize: { min: 0.9, max: 0.9999 },
} as const;

function Field({ name, measure: { fields }, set }: FieldProps) {
  if (name === 'metric') return null;
  const label = texts.fields[name];
  const value = fields[name] ?? '';
  const change = (text: string): void => set(name, text === '' ? [] : [text]);
  if (name === 'cuped') {
    return (
      <Checkbox
        label={label}
        pb={8}
        checked={value === 'true'}
        onChange={(event) => change(event.currentTarget.checked ? 'true' : '')}
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
        onChange={(chosen) => change(String(chosen))}
      />
    );
  }
  return <TextInput label={label} value={value} onChange={(event) => change(event.currentTarget.value)} />;
}

function PercentageSelect({ results, onChange }: { results: Results; onChange: (percentage: string) => void }) {
  return (
    <NativeSelect
      label={texts.percentages}
      value={String(results.percentage)}
      data={results.percentages.map(({ percentage, players }) => ({
        value: String(percentage),
        label: texts.percentageOf(`${percentage} %`, number(players)),
      }))}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface PeriodSelectProps {
  results: Results;
  isCurrent: boolean;
  onChange: (period: string) => void;
}

function PeriodSelect({ results, isCurrent, onChange }: PeriodSelectProps) {
  return (
    <NativeSelect
      label={texts.period}
      value={isCurrent ? '' : String(results.period)}
      data={[
        { value: '', label: texts.current },
        ...results.periods.map(({ period, version, started_at: at }) => ({
          value: String(period),
          label: texts.periodOf(period, version, at.slice(0, 16).replace('T', ' ')),
        })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
