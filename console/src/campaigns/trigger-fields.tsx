import { LIFECYCLE_STAGES } from '../../../core/vocabulary/state/lifecycle-stages.ts';
import { Autocomplete, Box, NativeSelect, SimpleGrid, TextInput } from '@mantine/core';
import { useEventNames } from '../conditions/names.ts';
import { useSegments } from '../definitions.ts';
import { ConditionBuilder } from '../parts/editors/condition-builder.tsx';
import { isObject, parseObject, prettyJson } from '../parts/editors/json-text.ts';
import { useZone } from '../frame/session.tsx';
import { TEXTS } from '../texts.ts';
import { TRIGGERS, triggerKindOf } from './campaign-document.ts';
import { type Document, minuteOf, textOf, timeOf } from '../parts/drafts/document-values.ts';

const texts = TEXTS.campaign;

interface TriggerFieldsProps {
  trigger: Document;
  onChange: (trigger: Document) => void;
  readOnly: boolean;
}

/** The trigger of a campaign: its kind, and the fields of that kind. */
export function TriggerFields({ trigger, onChange, readOnly }: TriggerFieldsProps) {
  const names = useEventNames();
  const zone = useZone();
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
            data={[...LIFECYCLE_STAGES]}
            disabled={readOnly}
            onChange={({ currentTarget: { value } }) => onChange({ lifecycle: value })}
          />
        ) : kind === 'schedule' ? (
          <TextInput
            type="datetime-local"
            label={texts.at(zone)}
            value={minuteOf(zone, isObject(schedule) ? schedule['at'] : undefined)}
            readOnly={readOnly}
            onChange={({ currentTarget: { value } }) => onChange({ schedule: { at: timeOf(zone, value) ?? '' } })}
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
