import {
  Alert,
  Autocomplete,
  Box,
  Fieldset,
  NativeSelect,
  NumberInput,
  SimpleGrid,
  Switch,
  Textarea,
  TextInput,
} from '@mantine/core';
import type { ReactNode } from 'react';
import { useEventNames } from '../conditions/names.ts';
import { useSegments } from '../definitions.ts';
import { ConditionBuilder } from '../parts/condition-builder.tsx';
import { isObject, parseObject, prettyJson } from '../parts/json-text.ts';
import { TEXTS } from '../texts.ts';
import { TRIGGERS, triggerKindOf } from './campaign-document.ts';
import { MessagePreview } from './message-preview.tsx';

const texts = TEXTS.campaign;

type Document = Record<string, unknown>;

interface DefinitionFormProps {
  document: Document;
  onChange: (document: Document) => void;
  readOnly: boolean;
  /** Whether the key can still be chosen. */
  isNew: boolean;
}

/** A campaign as a form. Fields that it does not know stay as they are. */
export function DefinitionForm({ document, onChange, readOnly, isNew }: DefinitionFormProps) {
  const set = (name: string, value: unknown): void => onChange({ ...document, [name]: value });
  const part = (name: string): Document => partOf(document, name);
  const setPart = (name: string, field: string, value: unknown): void => set(name, { ...part(name), [field]: value });
  const { data: segments = [] } = useSegments();
  const options = segments.map(({ segment_id: id, name }) => ({ value: id, label: name }));
  const content = part('content');
  const quiet = document['quiet_hours'];
  const setQuiet = (field: 'from' | 'to', value: string): void => {
    const next = { from: '', to: '', ...(isObject(quiet) ? quiet : {}), [field]: value };
    set('quiet_hours', next.from === '' && next.to === '' ? null : next);
  };
  const text = (of: Document, name: string): string => textOf(of[name]);
  const numberField = (
    label: string,
    help: string,
    value: unknown,
    change: (value: number | null) => void,
    most?: number,
  ) => (
    <NumberInput
      label={label}
      description={help}
      min={0}
      {...(most === undefined ? {} : { max: most })}
      value={typeof value === 'number' ? value : ''}
      readOnly={readOnly}
      hideControls
      onChange={(next) => change(typeof next === 'number' ? next : null)}
    />
  );
  const timeField = (label: string, name: string): ReactNode => (
    <TextInput
      type="datetime-local"
      label={label}
      description={texts.timeHelp}
      value={minuteOf(document[name])}
      readOnly={readOnly}
      onChange={(event) => set(name, timeOf(event.currentTarget.value))}
    />
  );
  return (
    <>
      <Fieldset legend={texts.identity}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            label={texts.name}
            value={text(document, 'name')}
            readOnly={readOnly}
            onChange={(event) => set('name', event.currentTarget.value)}
          />
          <TextInput
            label={texts.key}
            description={texts.keyHelp}
            value={text(document, 'key')}
            readOnly={readOnly || !isNew}
            onChange={(event) => {
              const { key: _, ...rest } = document;
              const key = event.currentTarget.value;
              onChange(key === '' ? rest : { key, ...rest });
            }}
          />
          <Switch
            label={texts.enabled}
            description={texts.enabledHelp}
            checked={document['enabled'] !== false}
            disabled={readOnly}
            onChange={(event) => set('enabled', event.currentTarget.checked)}
          />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={texts.when}>
        <TriggerFields trigger={part('trigger')} onChange={(trigger) => set('trigger', trigger)} readOnly={readOnly} />
        <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
          {timeField(texts.startAt, 'start_at')}
          {timeField(texts.endAt, 'end_at')}
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={texts.who}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <NativeSelect
            label={texts.audience}
            description={texts.audienceHelp}
            value={text(document, 'audience')}
            data={[{ value: '', label: TEXTS.campaigns.everybody }, ...options]}
            disabled={readOnly}
            onChange={(event) => set('audience', event.currentTarget.value === '' ? null : event.currentTarget.value)}
          />
          {numberField(
            texts.holdout,
            texts.holdoutHelp,
            document['holdout_percentage'],
            (value) => set('holdout_percentage', value ?? 0),
            100,
          )}
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={texts.what}>
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <div>
            <TextInput
              label={texts.contentTitle}
              value={text(content, 'title')}
              readOnly={readOnly}
              onChange={(event) => setPart('content', 'title', event.currentTarget.value)}
            />
            <Textarea
              label={texts.body}
              autosize
              minRows={2}
              value={text(content, 'body')}
              readOnly={readOnly}
              onChange={(event) => setPart('content', 'body', event.currentTarget.value)}
            />
            <TextInput
              label={texts.cta}
              description={texts.ctaHelp}
              value={text(content, 'cta')}
              readOnly={readOnly}
              onChange={(event) => setPart('content', 'cta', event.currentTarget.value)}
            />
            <SimpleGrid cols={{ base: 1, sm: 2 }}>
              <NativeSelect
                label={texts.priority}
                description={texts.priorityHelp}
                value={text(part('display_rules'), 'priority')}
                data={[...new Set([...texts.priorities, text(part('display_rules'), 'priority')])].filter(Boolean)}
                disabled={readOnly}
                onChange={(event) => setPart('display_rules', 'priority', event.currentTarget.value)}
              />
              {numberField(texts.dismiss, texts.dismissHelp, part('display_rules')['dismiss_after_seconds'], (value) =>
                setPart('display_rules', 'dismiss_after_seconds', value ?? 0),
              )}
            </SimpleGrid>
          </div>
          <MessagePreview title={text(content, 'title')} body={text(content, 'body')} cta={text(content, 'cta')} />
        </SimpleGrid>
      </Fieldset>
      <Fieldset legend={texts.limits}>
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
          {numberField(texts.capTotal, texts.noCap, part('caps')['total'], (value) => setPart('caps', 'total', value))}
          {numberField(texts.capPerDay, texts.noCap, part('caps')['per_day'], (value) =>
            setPart('caps', 'per_day', value),
          )}
          {numberField(texts.cooldown, texts.cooldownHelp, document['cooldown_seconds'], (value) =>
            set('cooldown_seconds', value ?? 0),
          )}
          {numberField(texts.expires, texts.expiresHelp, document['expires_after_seconds'], (value) =>
            set('expires_after_seconds', value),
          )}
          <TextInput
            type="time"
            label={texts.quietFrom}
            description={texts.quietHelp}
            value={isObject(quiet) ? textOf(quiet['from']) : ''}
            readOnly={readOnly}
            onChange={(event) => setQuiet('from', event.currentTarget.value)}
          />
          <TextInput
            type="time"
            label={texts.quietTo}
            description={texts.quietHelp}
            value={isObject(quiet) ? textOf(quiet['to']) : ''}
            readOnly={readOnly}
            onChange={(event) => setQuiet('to', event.currentTarget.value)}
          />
        </SimpleGrid>
      </Fieldset>
    </>
  );
}

function TriggerFields({
  trigger,
  onChange,
  readOnly,
}: {
  trigger: Document;
  onChange: (trigger: Document) => void;
  readOnly: boolean;
}) {
  const names = useEventNames();
  const { data: segments = [] } = useSegments();
  const kind = triggerKindOf(trigger) ?? 'event';
  const schedule = trigger['schedule'];
  const event = textOf(trigger['event']);
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label={texts.triggerKind}
          value={kind}
          data={TRIGGERS.map((value) => ({ value, label: TEXTS.campaigns.triggers[value] }))}
          disabled={readOnly}
          onChange={({ currentTarget: { value } }) => {
            const next = TRIGGERS.find((each) => each === value) ?? 'event';
            onChange({ [next]: FIRST[next] });
          }}
        />
        {kind === 'event' ? (
          <Autocomplete
            label={texts.event}
            value={event}
            data={[...names]}
            limit={20}
            readOnly={readOnly}
            onChange={(value) => onChange({ ...trigger, event: value })}
          />
        ) : kind === 'segment_entered' || kind === 'segment_exited' ? (
          <NativeSelect
            label={texts.segment}
            value={textOf(trigger[kind])}
            data={[
              { value: '', label: '' },
              ...segments.map(({ segment_id: id, name }) => ({ value: id, label: name })),
            ]}
            disabled={readOnly}
            onChange={({ currentTarget: { value } }) => onChange({ [kind]: value })}
          />
        ) : kind === 'lifecycle' ? (
          <NativeSelect
            label={texts.stage}
            value={textOf(trigger['lifecycle'])}
            data={[...texts.stages]}
            disabled={readOnly}
            onChange={({ currentTarget: { value } }) => onChange({ lifecycle: value })}
          />
        ) : kind === 'schedule' ? (
          <TextInput
            type="datetime-local"
            label={texts.at}
            value={minuteOf(isObject(schedule) ? schedule['at'] : undefined)}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => onChange({ schedule: { at: timeOf(value) ?? '' } })}
          />
        ) : null}
      </SimpleGrid>
      {kind === 'event' ? (
        <Box mt="xs">
          <ConditionBuilder
            label={texts.conditions}
            place="campaign"
            eventName={event}
            readOnly={readOnly}
            value={prettyJson(isObject(trigger['conditions']) ? trigger['conditions'] : {})}
            onChange={(text) => {
              const conditions = parseObject(text);
              if (conditions === undefined) return;
              const { conditions: _, ...rest } = trigger;
              onChange(Object.keys(conditions).length === 0 ? rest : { ...rest, conditions });
            }}
          />
        </Box>
      ) : null}
    </>
  );
}

/** What a trigger begins with. */
const FIRST: Readonly<Record<(typeof TRIGGERS)[number], unknown>> = {
  event: '',
  segment_entered: '',
  segment_exited: '',
  lifecycle: 'at_risk',
  churn: 'high',
  schedule: { at: '' },
};

const partOf = (document: Document, name: string): Document => {
  const value = document[name];
  return isObject(value) ? value : {};
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A time of the API as `datetime-local` in UTC, to the minute. */
function minuteOf(value: unknown): string {
  const atMs = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(atMs) ? '' : new Date(atMs).toISOString().slice(0, 16);
}

const timeOf = (minute: string): string | null => (minute === '' ? null : `${minute}:00.000Z`);

export function BadJson() {
  return (
    <Alert color="yellow" variant="outline">
      {texts.badJson}
    </Alert>
  );
}
