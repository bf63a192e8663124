import { Card, Group, NativeSelect, TagsInput, Text } from '@mantine/core';
import { experimentMetric } from '../../../../core/vocabulary/metrics/experiment-metrics.ts';
import { useEventNames } from '../../conditions/names.ts';
import { number } from '../../parts/lists/values.tsx';
import { TEXTS } from '../../texts.ts';
import { hasEvents, shownFields } from '../../experiments/measure.ts';
import { AggregateSelect, DaysInput, MeasureField, WINDOW_DAYS } from '../../experiments/measure-fields.tsx';
import type { Question, Results } from './metric-results.tsx';

const texts = TEXTS.results;

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
        <AggregateSelect value={aggregate} onChange={(chosen) => set('aggregate', [chosen])} />
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
          <MeasureField
            key={name}
            name={name}
            measure={measure}
            onChange={(text) => set(name, text === '' ? [] : [text])}
          />
        ))}
        <DaysInput
          label={texts.window}
          value={windowDays}
          least={1}
          usual={WINDOW_DAYS}
          onChange={(days) => set('window', [days])}
        />
        <DaysInput
          label={texts.minAge}
          value={minAgeDays}
          least={0}
          usual={0}
          onChange={(days) => set('min_age', [days])}
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
