import { Fieldset, NativeSelect, SimpleGrid, Switch, TextInput } from '@mantine/core';
import { useSegments } from '../definitions.ts';
import { useZone } from '../frame/session.tsx';
import { LabelFields } from '../parts/labels/label-fields.tsx';
import { labelsOf } from '../parts/labels/labels.ts';
import { TEXTS } from '../texts.ts';
import { triggerKindOf } from './campaign-document.ts';
import { type Document, minuteOf, partOf, textOf, timeOf } from '../parts/drafts/document-values.ts';
import { NumberOrNone } from '../parts/editors/number-or-none.tsx';
import { MessageFields } from './message/message-fields.tsx';
import { TriggerFields } from './trigger-fields.tsx';

const texts = TEXTS.campaign;

/** Segments may flap, so a campaign that newly follows one gets the service's default: once for each player. */
function withCap(document: Document, trigger: Document): Document {
  const follows = (of: Document): boolean => (triggerKindOf(of) ?? '').startsWith('segment_');
  const isNew = follows(trigger) && !follows(partOf(document, 'trigger'));
  return { ...document, trigger, ...(isNew ? { caps: { ...partOf(document, 'caps'), total: 1 } } : {}) };
}

interface FieldsProps {
  document: Document;
  onChange: (document: Document) => void;
  readOnly: boolean;
}

interface DefinitionFormProps extends FieldsProps {
  /** Whether the key can still be chosen. */
  isNew: boolean;
}

/** A campaign as a form. Fields that it does not know stay as they are. */
export function DefinitionForm({ isNew, ...fields }: DefinitionFormProps) {
  const { document, onChange, readOnly } = fields;
  return (
    <>
      <Identity isNew={isNew} {...fields} />
      <When {...fields} />
      <Audience {...fields} />
      <MessageFields {...fields} />
      <Limits {...fields} />
      <LabelFields
        labels={labelsOf(document)}
        onChange={(labels) => onChange({ ...document, ...labels })}
        readOnly={readOnly}
      />
    </>
  );
}

function Identity({ document, onChange, readOnly, isNew }: DefinitionFormProps) {
  return (
    <Fieldset legend={texts.identity}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <TextInput
          label={texts.name}
          value={textOf(document['name'])}
          readOnly={readOnly}
          onChange={(event) => onChange({ ...document, name: event.currentTarget.value })}
        />
        <TextInput
          label={texts.key}
          description={texts.keyHelp}
          value={textOf(document['key'])}
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
          onChange={(event) => onChange({ ...document, enabled: event.currentTarget.checked })}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

function When({ document, onChange, readOnly }: FieldsProps) {
  const zone = useZone();
  const timeField = (label: string, name: 'start_at' | 'end_at') => (
    <TextInput
      type="datetime-local"
      label={label}
      description={texts.timeHelp}
      value={minuteOf(zone, document[name])}
      readOnly={readOnly}
      onChange={(event) => onChange({ ...document, [name]: timeOf(zone, event.currentTarget.value) })}
    />
  );
  return (
    <Fieldset legend={texts.when}>
      <TriggerFields
        trigger={partOf(document, 'trigger')}
        onChange={(trigger) => onChange(withCap(document, trigger))}
        readOnly={readOnly}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
        {timeField(texts.startAt(zone), 'start_at')}
        {timeField(texts.endAt(zone), 'end_at')}
      </SimpleGrid>
    </Fieldset>
  );
}

function Audience({ document, onChange, readOnly }: FieldsProps) {
  const { data: segments = [] } = useSegments();
  const options = segments.map(({ segment_id: id, name }) => ({ value: id, label: name }));
  return (
    <Fieldset legend={texts.who}>
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <NativeSelect
          label={texts.audience}
          description={texts.audienceHelp}
          value={textOf(document['audience'])}
          data={[{ value: '', label: TEXTS.campaigns.everybody }, ...options]}
          disabled={readOnly}
          onChange={({ currentTarget: { value } }) => onChange({ ...document, audience: value === '' ? null : value })}
        />
        <NumberOrNone
          label={texts.holdout}
          help={texts.holdoutHelp}
          value={document['holdout_percentage']}
          most={100}
          readOnly={readOnly}
          onChange={(value) => onChange({ ...document, holdout_percentage: value ?? 0 })}
        />
      </SimpleGrid>
    </Fieldset>
  );
}

function Limits({ document, onChange, readOnly }: FieldsProps) {
  const caps = partOf(document, 'caps');
  const quiet = partOf(document, 'quiet_hours');
  const setCaps = (change: Document): void => onChange({ ...document, caps: { ...caps, ...change } });
  const setQuiet = (change: Document): void => {
    const next = { from: '', to: '', ...quiet, ...change };
    onChange({ ...document, quiet_hours: next.from === '' && next.to === '' ? null : next });
  };
  return (
    <Fieldset legend={texts.limits}>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
        <NumberOrNone
          label={texts.capTotal}
          help={texts.noCap}
          value={caps['total']}
          readOnly={readOnly}
          onChange={(total) => setCaps({ total })}
        />
        <NumberOrNone
          label={texts.capPerDay}
          help={texts.noCap}
          value={caps['per_day']}
          readOnly={readOnly}
          onChange={(value) => setCaps({ per_day: value })}
        />
        <NumberOrNone
          label={texts.cooldown}
          help={texts.cooldownHelp}
          value={document['cooldown_seconds']}
          readOnly={readOnly}
          onChange={(value) => onChange({ ...document, cooldown_seconds: value ?? 0 })}
        />
        <NumberOrNone
          label={texts.expires}
          help={texts.expiresHelp}
          value={document['expires_after_seconds']}
          readOnly={readOnly}
          onChange={(value) => onChange({ ...document, expires_after_seconds: value })}
        />
        <TextInput
          type="time"
          label={texts.quietFrom}
          description={texts.quietHelp}
          value={textOf(quiet['from'])}
          readOnly={readOnly}
          onChange={(event) => setQuiet({ from: event.currentTarget.value })}
        />
        <TextInput
          type="time"
          label={texts.quietTo}
          description={texts.quietHelp}
          value={textOf(quiet['to'])}
          readOnly={readOnly}
          onChange={(event) => setQuiet({ to: event.currentTarget.value })}
        />
      </SimpleGrid>
    </Fieldset>
  );
}
