import { ActionIcon, Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { BucketByField } from '../../conditions/bucket-by-field.tsx';
import { NumberField } from '../../conditions/operand-editors.tsx';
import { ConditionBuilder } from '../../parts/editors/condition-builder.tsx';
import { TimeInput } from '../../parts/editors/time-input.tsx';
import { useZone } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import type { Flag, Segment } from '../../definitions.ts';
import { type EditedRule, type EditedVariant, movedRule, newRule } from '../edited-flag.ts';
import { SegmentSelect } from '../../segments/segment-select.tsx';
import { ServeEditor } from './serve-editor.tsx';

const texts = TEXTS.flag;

interface RulesEditorProps {
  rules: readonly EditedRule[];
  onChange: (rules: EditedRule[]) => void;
  segments: readonly Segment[];
  type: Flag['flag_type'];
  variants: readonly EditedVariant[];
  readOnly: boolean;
}

/** The rules of a flag, in the order of evaluation. */
export function RulesEditor({ rules, onChange, segments, type, variants, readOnly }: RulesEditorProps) {
  const set = (place: number, change: Partial<EditedRule>): void =>
    onChange(rules.map((rule, index) => (index === place ? { ...rule, ...change } : rule)));
  return (
    <Stack gap="sm">
      {rules.length === 0 ? <Text c="dimmed">{texts.noRules}</Text> : null}
      {rules.map((rule, place) => (
        <Fieldset
          key={rule.id}
          p="sm"
          legend={
            <Group gap={6} wrap="nowrap">
              <Text size="sm" fw={600}>
                {texts.rule(place + 1, rule.name)}
              </Text>
              {readOnly ? null : (
                <>
                  <Action
                    label={texts.up(place + 1)}
                    sign="↑"
                    disabled={place === 0}
                    onClick={() => onChange(movedRule(rules, place, -1))}
                  />
                  <Action
                    label={texts.down(place + 1)}
                    sign="↓"
                    disabled={place === rules.length - 1}
                    onClick={() => onChange(movedRule(rules, place, 1))}
                  />
                  <Action
                    label={texts.removeRule(place + 1)}
                    sign="×"
                    onClick={() => onChange(rules.toSpliced(place, 1))}
                  />
                </>
              )}
            </Group>
          }
        >
          <RuleFields
            rule={rule}
            segments={segments}
            type={type}
            variants={variants}
            readOnly={readOnly}
            onChange={(change) => set(place, change)}
          />
        </Fieldset>
      ))}
      {readOnly ? null : (
        <Button variant="default" size="xs" w="fit-content" onClick={() => onChange([...rules, newRule(rules)])}>
          {texts.addRule}
        </Button>
      )}
    </Stack>
  );
}

interface RuleFieldsProps extends Pick<RulesEditorProps, 'segments' | 'type' | 'variants' | 'readOnly'> {
  rule: EditedRule;
  onChange: (change: Partial<EditedRule>) => void;
}

function RuleFields({ rule, onChange, segments, type, variants, readOnly }: RuleFieldsProps) {
  const zone = useZone();
  return (
    <Stack gap="xs">
      <Group align="flex-end" gap="sm">
        <TextInput
          size="xs"
          label={texts.ruleName}
          value={rule.name}
          readOnly={readOnly}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <SegmentSelect
          size="xs"
          label={texts.segment}
          value={rule.segmentId}
          segments={segments}
          readOnly={readOnly}
          onChange={(segmentId) => onChange({ segmentId })}
        />
        <NumberField
          label={texts.percentage}
          value={rule.percentage}
          readOnly={readOnly}
          onChange={(percentage = 0) => onChange({ percentage })}
        />
        <ServeEditor
          label={texts.turnsOn}
          type={type}
          variants={variants}
          serve={rule.serve}
          other={rule.value ? 'on' : 'off'}
          others={[
            { value: 'on', label: type === 'boolean' ? texts.gets.on : texts.getsVariants },
            { value: 'off', label: texts.gets.off },
          ]}
          readOnly={readOnly}
          onChange={(serve, other) => onChange({ serve, value: serve.kind !== 'usual' || other === 'on' })}
        />
        <TimeInput
          label={texts.startAt(zone)}
          value={rule.startAt}
          readOnly={readOnly}
          onChange={(startAt) => onChange({ startAt })}
        />
        <TimeInput
          label={texts.endAt(zone)}
          value={rule.endAt}
          readOnly={readOnly}
          onChange={(endAt) => onChange({ endAt })}
        />
        <BucketByField
          label={texts.bucketBy}
          other={texts.asFlag}
          value={rule.bucketBy}
          readOnly={readOnly}
          onChange={(bucketBy) => onChange({ bucketBy })}
        />
        {readOnly && rule.salt === '' ? null : (
          <TextInput
            size="xs"
            label={texts.salt}
            placeholder={texts.asFlag}
            value={rule.salt}
            readOnly={readOnly}
            onChange={(event) => onChange({ salt: event.currentTarget.value })}
          />
        )}
      </Group>
      {rule.conditions === '' ? (
        readOnly ? null : (
          <Button size="compact-xs" variant="default" w="fit-content" onClick={() => onChange({ conditions: '{}' })}>
            {texts.addConditions}
          </Button>
        )
      ) : (
        <ConditionBuilder
          label={texts.conditions}
          place="flag"
          value={rule.conditions}
          readOnly={readOnly}
          onChange={(conditions) => onChange({ conditions })}
        />
      )}
    </Stack>
  );
}

interface ActionProps {
  label: string;
  sign: string;
  disabled?: boolean;
  onClick: () => void;
}

export function Action({ label, sign, disabled = false, onClick }: ActionProps) {
  return (
    <ActionIcon size="sm" variant="default" aria-label={label} title={label} disabled={disabled} onClick={onClick}>
      {sign}
    </ActionIcon>
  );
}
