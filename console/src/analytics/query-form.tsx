import { Autocomplete, Button, Group, NativeSelect, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core';
import { TEXTS } from '../texts.ts';
import { FunnelFields } from './funnel-fields.tsx';
import { DIRECTIONS, INTERVALS, METRICS, type Query, type Step } from './query.ts';
import { WhereEditor } from './where-editor.tsx';

const texts = TEXTS.analytics;

const DEVICE_FIELDS = ['platform', 'app_version', 'build'] as const;
const EVENT_FIELDS = [
  'event_name',
  'country',
  ...DEVICE_FIELDS,
  'lifecycle_stage',
  'is_payer',
  'source',
  'key_kind',
] as const;
const SESSION_FIELDS = ['end_reason', ...DEVICE_FIELDS] as const;
const PURCHASE_FIELDS = ['currency', 'product_id', 'recorded_by'] as const;
const COHORT_FIELDS = ['country', 'platform', 'app_version'] as const;

/** Suggestions: names of events, and of properties of the chosen event. */
export interface Names {
  events: readonly string[];
  properties: readonly string[];
}

interface QueryFormProps {
  query: Query;
  names: Names;
  onChange: (query: Query) => void;
}

/** The fields of a query, by its kind. */
export function QueryForm({ query, names, onChange }: QueryFormProps) {
  const { kind, where = [] } = query;
  const isMeasured = kind === 'trend' || kind === 'breakdown';
  const fields = fieldsOf(query, names);
  const set = (changed: Partial<Query>): void => onChange({ ...query, ...changed });
  return (
    <Stack gap="xs">
      <Group align="flex-start" gap="sm">
        {isMeasured ? <MeasureFields query={query} names={names} onChange={onChange} /> : null}
        {kind === 'paths' ? <PathFields query={query} names={names} onChange={onChange} /> : null}
        {kind === 'trend' ? (
          <NativeSelect
            label={texts.interval}
            value={query.interval ?? 'day'}
            data={INTERVALS.map((value) => ({ value, label: texts.intervals[value] }))}
            onChange={(event) =>
              set({ interval: INTERVALS.find((each) => each === event.currentTarget.value) ?? 'day' })
            }
          />
        ) : null}
        {kind === 'paths' ? null : <SplitField query={query} fields={fields} onChange={onChange} />}
        {kind === 'retention' || kind === 'ltv' ? <DaysField key={kind} query={query} onChange={onChange} /> : null}
        {kind === 'funnel' ? <FunnelFields query={query} names={names.events} onChange={onChange} /> : null}
        <NumberInput
          label={texts.limit}
          min={1}
          max={kind === 'breakdown' || kind === 'paths' ? 500 : 20}
          maw={100}
          value={query.limit ?? 20}
          onChange={(limit) => set({ limit: Math.max(1, Math.round(Number(limit))) })}
        />
      </Group>
      {kind === 'funnel' ? (
        <Steps steps={query.steps ?? []} names={names} fields={fields} onChange={(steps) => set({ steps })} />
      ) : null}
      {isMeasured || kind === 'paths' ? (
        <WhereEditor
          label={texts.where}
          where={where}
          fields={fields}
          onChange={(changed) => {
            const { where: _, ...rest } = query;
            onChange(changed.length === 0 ? rest : { ...rest, where: changed });
          }}
        />
      ) : null}
    </Stack>
  );
}

/** What a trend or a breakdown measures. */
function MeasureFields({ query, names, onChange }: QueryFormProps) {
  const { metric = 'events', event_names: chosen = [] } = query;
  return (
    <>
      <NativeSelect
        label={texts.metric}
        value={metric}
        data={METRICS.map((value) => ({ value, label: texts.metrics[value] }))}
        onChange={(event) => {
          const wanted = METRICS.find((each) => each === event.currentTarget.value) ?? 'events';
          onChange(withMetric(query, wanted, names));
        }}
      />
      {metric === 'sum' ? (
        <Autocomplete
          label={texts.property}
          description={texts.propertyHelp}
          inputWrapperOrder={['label', 'input', 'description']}
          value={query.property ?? ''}
          data={[...names.properties]}
          onChange={(property) => onChange({ ...query, property })}
        />
      ) : null}
      {isOfEvents(metric) ? (
        <TagsInput
          label={texts.eventNames}
          placeholder={chosen.length === 0 ? texts.allEvents : ''}
          value={[...chosen]}
          data={[...names.events]}
          miw={220}
          maw={420}
          onChange={(wanted) => {
            const { event_names: _, ...rest } = query;
            onChange(wanted.length === 0 ? rest : { ...rest, event_names: wanted });
          }}
        />
      ) : null}
    </>
  );
}

/** Where paths begin, and how long they are followed. */
function PathFields({ query, names, onChange }: QueryFormProps) {
  return (
    <>
      <Autocomplete
        label={texts.eventName}
        value={query.event_name ?? ''}
        data={[...names.events]}
        onChange={(name) => onChange({ ...query, event_name: name })}
      />
      <NativeSelect
        label={texts.direction}
        value={query.direction ?? 'forward'}
        data={DIRECTIONS.map((value) => ({ value, label: texts.directions[value] }))}
        onChange={(event) => {
          const direction = DIRECTIONS.find((each) => each === event.currentTarget.value) ?? 'forward';
          onChange({ ...query, direction });
        }}
      />
      <NumberInput
        label={texts.within}
        min={1}
        max={7 * 24 * 60}
        maw={210}
        value={(query.within_seconds ?? 1_800) / 60}
        onChange={(minutes) => onChange({ ...query, within_seconds: Math.max(1, Math.round(Number(minutes) * 60)) })}
      />
    </>
  );
}

interface SplitFieldProps {
  query: Query;
  fields: readonly string[];
  onChange: (query: Query) => void;
}

/** The field by which the result is split. */
function SplitField({ query, fields, onChange }: SplitFieldProps) {
  return (
    <Autocomplete
      label={texts.by}
      placeholder={query.kind === 'breakdown' ? '' : texts.noSplit}
      value={query.by ?? ''}
      data={[...fields]}
      onChange={(by) => {
        const { by: _, ...rest } = query;
        onChange(by === '' ? rest : { ...rest, by });
      }}
    />
  );
}

/** The query with another metric, without the fields that this metric does not have: they would be refused. */
function withMetric(query: Query, metric: NonNullable<Query['metric']>, names: Names): Query {
  const { property: _, event_names: __, where: ___, by, ...rest } = query;
  const { kind } = query;
  const fields = fieldsOf({ kind, metric }, names);
  const keepsBy = by !== undefined && (fields.includes(by) || (by.startsWith('property:') && isOfEvents(metric)));
  const first = kind === 'breakdown' ? { by: fields[0] ?? '' } : {};
  return { ...rest, metric, ...(keepsBy ? { by } : first) };
}

function isOfEvents(metric: Query['metric']): boolean {
  return metric === undefined || metric === 'events' || metric === 'players' || metric === 'sum';
}

/** The fields by which a query can be split and filtered. */
function fieldsOf({ kind, metric }: Pick<Query, 'kind' | 'metric'>, names: Names): string[] {
  if (kind === 'retention' || kind === 'ltv') return [...COHORT_FIELDS];
  if (kind === 'funnel' || kind === 'paths' || isOfEvents(metric)) {
    return [...EVENT_FIELDS, ...names.properties.map((name) => `property:${name}`)];
  }
  if (metric === 'new_players') return [...COHORT_FIELDS];
  return [...(metric === 'sessions' || metric === 'playtime_seconds' ? SESSION_FIELDS : PURCHASE_FIELDS)];
}

/** The days after the first one that a table of cohorts has. */
function DaysField({ query, onChange }: Pick<QueryFormProps, 'query' | 'onChange'>) {
  return (
    <TextInput
      label={texts.days}
      description={texts.daysHelp}
      inputWrapperOrder={['label', 'input', 'description']}
      defaultValue={(query.days ?? []).join(', ')}
      maw={240}
      onChange={(event) => {
        const { days: _, ...rest } = query;
        const days = event.currentTarget.value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
          .map(Number)
          .filter(Number.isSafeInteger);
        onChange(days.length === 0 ? rest : { ...rest, days });
      }}
    />
  );
}

interface StepsProps {
  steps: readonly Step[];
  names: Names;
  fields: readonly string[];
  onChange: (steps: readonly Step[]) => void;
}

const MOST_STEPS = 10;

function Steps({ steps, names, fields, onChange }: StepsProps) {
  return (
    <Stack gap="xs" role="group" aria-label={texts.steps}>
      {steps.map((step, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- steps have no identity but their place
        <Stack key={place} gap={4} className="funnel-step">
          <Group align="flex-end" gap="xs">
            <Autocomplete
              label={texts.step(place + 1)}
              value={step.event_name}
              data={[...names.events]}
              onChange={(name) => onChange(steps.with(place, { ...step, event_name: name }))}
            />
            <Button
              size="xs"
              variant="default"
              disabled={steps.length <= 2}
              aria-label={texts.removeStep(place + 1)}
              onClick={() => onChange(steps.toSpliced(place, 1))}
            >
              ✕
            </Button>
          </Group>
          <WhereEditor
            label={texts.stepWhere(place + 1)}
            where={step.where ?? []}
            fields={fields}
            onChange={(where) => {
              const { where: _, ...rest } = step;
              onChange(steps.with(place, where.length === 0 ? rest : { ...rest, where }));
            }}
          />
        </Stack>
      ))}
      <div>
        <Button
          size="compact-xs"
          variant="default"
          disabled={steps.length >= MOST_STEPS}
          onClick={() => onChange([...steps, { event_name: '' }])}
        >
          {texts.addStep}
        </Button>
      </div>
    </Stack>
  );
}
