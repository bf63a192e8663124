import { Autocomplete, Button, Group, NativeSelect, NumberInput, Stack, TextInput } from '@mantine/core';
import { TEXTS } from '../texts.ts';
import { FunnelFields } from './funnel-fields.tsx';
import { CompareField, MeasureFields } from './measure-fields.tsx';
import { DIRECTIONS, fieldsIn, INTERVALS, INTERVALS_OF, type Names, type Query, type Step } from './query.ts';
import { RetentionFields } from './retention-fields.tsx';
import { WhereEditor } from './where-editor.tsx';

const texts = TEXTS.analytics;

interface QueryFormProps {
  query: Query;
  names: Names;
  onChange: (query: Query) => void;
}

/** The fields of a query, by its kind. */
export function QueryForm({ query, names, onChange }: QueryFormProps) {
  const { kind, where = [] } = query;
  const isMeasured = kind === 'trend' || kind === 'breakdown';
  const isOfPlayers = kind === 'lifecycle' || kind === 'stickiness';
  const fields = fieldsIn(query, names);
  const set = (changed: Partial<Query>): void => onChange({ ...query, ...changed });
  return (
    <Stack gap="xs">
      <Group align="flex-start" gap="sm">
        {isMeasured ? <MeasureFields query={query} names={names} onChange={onChange} /> : null}
        {kind === 'paths' ? <PathFields query={query} names={names} onChange={onChange} /> : null}
        {kind === 'retention' ? <RetentionFields query={query} names={names.events} onChange={onChange} /> : null}
        {kind === 'trend' || isOfPlayers ? <IntervalField query={query} onChange={onChange} /> : null}
        {kind === 'trend' ? <CompareField query={query} onChange={onChange} /> : null}
        {kind === 'paths' || isOfPlayers ? null : <SplitField query={query} fields={fields} onChange={onChange} />}
        {kind === 'retention' || kind === 'ltv' ? (
          <DaysField key={`${kind} ${query.interval ?? ''}`} query={query} onChange={onChange} />
        ) : null}
        {kind === 'funnel' ? <FunnelFields query={query} names={names.events} onChange={onChange} /> : null}
        {isOfPlayers ? null : (
          <NumberInput
            label={texts.limit}
            min={1}
            max={kind === 'breakdown' || kind === 'paths' ? 500 : 20}
            maw={100}
            value={query.limit ?? 20}
            onChange={(limit) => set({ limit: Math.max(1, Math.round(Number(limit))) })}
          />
        )}
      </Group>
      {kind === 'funnel' ? (
        <Steps steps={query.steps ?? []} names={names} fields={fields} onChange={(steps) => set({ steps })} />
      ) : null}
      {isMeasured || isOfPlayers || kind === 'paths' ? (
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

/** The length of an interval, of those that the kind takes. */
function IntervalField({ query, onChange }: Pick<QueryFormProps, 'query' | 'onChange'>) {
  const intervals = INTERVALS_OF[query.kind] ?? INTERVALS;
  const [first = 'day'] = intervals;
  return (
    <NativeSelect
      label={texts.interval}
      value={query.interval ?? (query.kind === 'trend' ? 'day' : first)}
      data={intervals.map((value) => ({ value, label: texts.intervals[value] }))}
      onChange={(event) =>
        onChange({ ...query, interval: intervals.find((each) => each === event.currentTarget.value) ?? first })
      }
    />
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

/** The days after the first one that a table of cohorts has, or the weeks or months. */
function DaysField({ query, onChange }: Pick<QueryFormProps, 'query' | 'onChange'>) {
  const isOfDays = query.kind === 'ltv' || (query.interval ?? 'day') === 'day';
  return (
    <TextInput
      label={isOfDays ? texts.days : texts.periods}
      description={texts.daysHelp}
      inputWrapperOrder={['label', 'input', 'description']}
      defaultValue={((isOfDays ? query.days : query.periods) ?? []).join(', ')}
      maw={240}
      onChange={(event) => {
        const { days: _, periods: __, ...rest } = query;
        const numbers = event.currentTarget.value
          .split(',')
          .map((part) => part.trim())
          .filter((part) => part !== '')
          .map(Number)
          .filter(Number.isSafeInteger);
        onChange(numbers.length === 0 ? rest : { ...rest, ...(isOfDays ? { days: numbers } : { periods: numbers }) });
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
