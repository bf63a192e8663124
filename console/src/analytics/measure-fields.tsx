import { Autocomplete, Checkbox, NativeSelect, TagsInput } from '@mantine/core';
import {
  isRatio,
  MEASURE_NAMES,
  measureOf,
  METRIC_NAMES,
  METRICS,
  type MetricName,
  PER_PLAYER,
  PERCENTILES,
} from '../../../core/vocabulary/metrics/metrics.ts';
import type { MeasureName } from '../../../core/vocabulary/metrics/measures.ts';
import { TEXTS } from '../texts.ts';
import { keptFields, type Names, type Query } from './query.ts';

const texts = TEXTS.analytics;

interface MeasureFieldsProps {
  query: Query;
  names: Names;
  onChange: (query: Query) => void;
}

/** What a trend or a breakdown measures: a metric, or one divided by another. */
export function MeasureFields({ query, names, onChange }: MeasureFieldsProps) {
  const { formula, metric = 'events' } = query;
  if (formula === undefined) {
    return (
      <>
        <Measured
          of={{ ...query, metric }}
          metrics={METRIC_NAMES}
          labels={{ metric: texts.metric, property: texts.property, events: texts.eventNames }}
          names={names}
          onChange={(changed) => onChange(keptFields({ ...withoutMeasure(query), ...changed }))}
        />
        <DividedBy query={query} onChange={onChange} />
      </>
    );
  }
  const { numerator, denominator } = formula;
  return (
    <>
      <Measured
        of={numerator}
        metrics={PARTS}
        labels={{ metric: texts.metric, property: texts.property, events: texts.eventNames }}
        names={names}
        onChange={(changed) => onChange(keptFields({ ...query, formula: { numerator: changed, denominator } }))}
      />
      <DividedBy query={query} onChange={onChange} />
      <Measured
        of={denominator}
        metrics={PARTS}
        labels={{ metric: texts.denominator, property: texts.denominatorProperty, events: texts.denominatorEvents }}
        names={names}
        onChange={(changed) => onChange(keptFields({ ...query, formula: { numerator, denominator: changed } }))}
      />
    </>
  );
}

/** Measures that a formula may have: they are 0 without rows. */
const PARTS = MEASURE_NAMES.filter((name) => measureOf(name).nullWithout === undefined);

type Named<M extends MetricName> = Pick<Query, 'property' | 'percentile' | 'event_names'> & { metric: M };

interface MeasuredProps<M extends MetricName> {
  of: Named<M>;
  metrics: readonly M[];
  labels: { metric: string; property: string; events: string };
  names: Names;
  onChange: (changed: Named<M>) => void;
}

function Measured<M extends MetricName>({ of, metrics, labels, names, onChange }: MeasuredProps<M>) {
  const { metric, property, percentile, event_names: chosen } = of;
  const isOfProperty = !isRatio(metric) && measureOf(metric).ofProperty === true;
  const isOfEvents = !isRatio(metric) && measureOf(metric).source === 'events';
  const own = {
    metric,
    ...(property === undefined ? {} : { property }),
    ...(percentile === undefined ? {} : { percentile }),
    ...(chosen === undefined ? {} : { event_names: chosen }),
  };
  return (
    <>
      <NativeSelect
        label={labels.metric}
        title={METRICS[metric].words}
        value={metric}
        data={metrics.map((value) => ({ value, label: METRICS[value].title }))}
        onChange={(event) => {
          const wanted = metrics.find((each) => each === event.currentTarget.value);
          if (wanted !== undefined) onChange({ metric: wanted });
        }}
      />
      {isOfProperty ? (
        <Autocomplete
          label={labels.property}
          description={texts.propertyHelp}
          inputWrapperOrder={['label', 'input', 'description']}
          value={property ?? ''}
          data={[...names.properties]}
          onChange={(changed) => onChange({ ...own, property: changed })}
        />
      ) : null}
      {metric === 'percentile' ? (
        <NativeSelect
          label={texts.percentile}
          value={String(percentile ?? 50)}
          data={PERCENTILES.map((value) => ({ value: String(value), label: texts.percentiles[value] }))}
          onChange={(event) => {
            const wanted = PERCENTILES.find((each) => String(each) === event.currentTarget.value);
            onChange({ ...own, ...(wanted === undefined ? {} : { percentile: wanted }) });
          }}
        />
      ) : null}
      {isOfEvents ? (
        <TagsInput
          label={labels.events}
          placeholder={(chosen ?? []).length === 0 ? texts.allEvents : ''}
          value={[...(chosen ?? [])]}
          data={[...names.events]}
          miw={220}
          maw={420}
          onChange={(wanted) => {
            const { event_names: _, ...rest } = own;
            onChange(wanted.length === 0 ? rest : { ...rest, event_names: wanted });
          }}
        />
      ) : null}
    </>
  );
}

const DIVISORS = ['nothing', 'player', 'metric'] as const;

/** By what the metric is divided. A ratio has its own denominator. */
function DividedBy({ query, onChange }: Omit<MeasureFieldsProps, 'names'>) {
  const { metric = 'events', formula, per_player: perPlayer } = query;
  if (formula === undefined && (isRatio(metric) || !PARTS.includes(metric))) return null;
  const chosen = formula === undefined ? (perPlayer === true ? 'player' : 'nothing') : 'metric';
  const measured: Named<MeasureName> = formula?.numerator ?? {
    ...measuredIn(query),
    metric: isRatio(metric) ? 'events' : metric,
  };
  return (
    <NativeSelect
      label={texts.dividedBy}
      value={chosen}
      data={DIVISORS.filter((each) => each !== 'player' || measured.metric !== PER_PLAYER).map((value) => ({
        value,
        label: texts.divisors[value],
      }))}
      onChange={(event) => {
        const rest = withoutMeasure(query);
        const { value } = event.currentTarget;
        if (value === 'metric') {
          onChange(keptFields({ ...rest, formula: { numerator: measured, denominator: { metric: PER_PLAYER } } }));
        } else onChange(keptFields({ ...rest, ...measured, ...(value === 'player' ? { per_player: true } : {}) }));
      }}
    />
  );
}

function measuredIn({ property, percentile, event_names: names }: Query): Omit<Named<MetricName>, 'metric'> {
  return {
    ...(property === undefined ? {} : { property }),
    ...(percentile === undefined ? {} : { percentile }),
    ...(names === undefined ? {} : { event_names: names }),
  };
}

function withoutMeasure(query: Query): Query {
  const {
    metric: _,
    property: __,
    percentile: ___,
    event_names: ____,
    formula: _____,
    per_player: ______,
    ...rest
  } = query;
  return rest;
}

/** Whether the period before is shown beside a trend. */
export function CompareField({ query, onChange }: Omit<MeasureFieldsProps, 'names'>) {
  return (
    <Checkbox
      label={texts.compare}
      mt={28}
      checked={query.compare !== undefined}
      onChange={(event) => {
        const { compare: _, ...rest } = query;
        onChange(event.currentTarget.checked ? { ...rest, compare: 'previous_period' } : rest);
      }}
    />
  );
}
