import { Alert, Button, Card, Group, Stack, Switch, Text, Textarea, TextInput, Title } from '@mantine/core';
import { BucketByField } from '../conditions/bucket-by-field.tsx';
import { NumberField } from '../conditions/operand-editors.tsx';
import { useZone } from '../frame/session.tsx';
import { TimeInput } from '../parts/editors/time-input.tsx';
import { LabelFields } from '../parts/labels/label-fields.tsx';
import { TEXTS } from '../texts.ts';
import { type Flag, useSegments } from '../definitions.ts';
import { type EditedFlag, newId, showsSecret } from './edited-flag.ts';
import { Action, RulesEditor } from './rules/rules-editor.tsx';
import { ServeEditor } from './rules/serve-editor.tsx';
import { ValueField } from './rules/value-field.tsx';

const texts = TEXTS.flag;

interface FlagEditorProps {
  type: Flag['flag_type'];
  edited: EditedFlag;
  onChange: (change: Partial<EditedFlag>) => void;
  readOnly: boolean;
}

/** Everything of a flag that people edit. */
export function FlagEditor({ type, edited, onChange, readOnly }: FlagEditorProps) {
  const segments = useSegments();
  const zone = useZone();
  return (
    <Stack gap="md">
      <Card withBorder>
        <Stack gap="sm">
          <Group align="flex-end">
            <TextInput
              label={texts.name}
              value={edited.name}
              readOnly={readOnly}
              style={{ flex: '1 1 240px' }}
              onChange={(event) => onChange({ name: event.currentTarget.value })}
            />
            <ValueField
              size="sm"
              label={texts.defaultValue}
              type={type}
              value={edited.defaultValue}
              readOnly={readOnly}
              onChange={(defaultValue) => onChange({ defaultValue })}
            />
            <ServeEditor
              size="sm"
              label={texts.defaultServe}
              type={type}
              variants={edited.variants}
              serve={edited.defaultServe}
              other="default"
              others={[{ value: 'default', label: texts.gets.off }]}
              readOnly={readOnly}
              onChange={(defaultServe) => onChange({ defaultServe })}
            />
            <BucketByField
              size="sm"
              label={texts.bucketBy}
              value={edited.bucketBy}
              readOnly={readOnly}
              onChange={(bucketBy) => onChange({ bucketBy })}
            />
          </Group>
          <Textarea
            label={texts.description}
            value={edited.description}
            readOnly={readOnly}
            autosize
            minRows={1}
            onChange={(event) => onChange({ description: event.currentTarget.value })}
          />
          <Switch
            label={texts.enabled}
            description={texts.enabledHelp}
            checked={edited.enabled}
            disabled={readOnly}
            onChange={(event) => onChange({ enabled: event.currentTarget.checked })}
          />
          <Switch
            label={texts.clientVisible}
            description={texts.clientVisibleHelp}
            checked={edited.clientVisible}
            disabled={readOnly}
            onChange={(event) => onChange({ clientVisible: event.currentTarget.checked })}
          />
          {showsSecret(edited) ? (
            <Alert color="orange" role="alert" title={texts.secretTitle}>
              {texts.secretHelp}
            </Alert>
          ) : null}
        </Stack>
      </Card>
      {type === 'boolean' ? null : <Variants type={type} edited={edited} onChange={onChange} readOnly={readOnly} />}
      <Card withBorder>
        <Title order={2} size="h5">
          {texts.rules}
        </Title>
        <Text size="sm" c="dimmed" mb="xs">
          {texts.rulesHelp}
        </Text>
        <RulesEditor
          rules={edited.rules}
          segments={segments.data ?? []}
          type={type}
          variants={edited.variants}
          readOnly={readOnly}
          onChange={(rules) => onChange({ rules })}
        />
      </Card>
      <Prerequisites type={type} edited={edited} onChange={onChange} readOnly={readOnly} />
      <LabelFields labels={edited.labels} onChange={(labels) => onChange({ labels })} readOnly={readOnly}>
        <TimeInput
          size="sm"
          label={texts.endsAt(zone)}
          value={edited.endsAt}
          readOnly={readOnly}
          onChange={(endsAt) => onChange({ endsAt })}
        />
      </LabelFields>
    </Stack>
  );
}

function Variants({ type, edited: { variants }, onChange, readOnly }: FlagEditorProps) {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const set = (id: number, change: Partial<EditedFlag['variants'][number]>): void =>
    onChange({ variants: variants.map((each) => (each.id === id ? { ...each, ...change } : each)) });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.variants}
      </Title>
      <Stack gap="xs">
        {variants.map(({ id, key, value, weight }) => (
          <Group key={id} align="flex-end" gap="sm" role="group" aria-label={key}>
            <TextInput
              size="xs"
              label={texts.variantKey}
              value={key}
              readOnly={readOnly}
              onChange={(event) => set(id, { key: event.currentTarget.value })}
            />
            <ValueField
              label={texts.variantValue}
              type={type}
              value={value}
              readOnly={readOnly}
              onChange={(changed) => set(id, { value: changed })}
            />
            <NumberField
              label={texts.weight}
              value={weight}
              readOnly={readOnly}
              onChange={(changed = 0) => set(id, { weight: changed })}
            />
            <Text size="sm" pb={6}>
              {texts.share(total === 0 ? '0' : ((100 * weight) / total).toFixed(1))}
            </Text>
            {readOnly ? null : (
              <Action
                label={texts.removeVariant(key)}
                sign="×"
                onClick={() => onChange({ variants: variants.filter((each) => each.id !== id) })}
              />
            )}
          </Group>
        ))}
        {readOnly ? null : (
          <Button
            variant="default"
            size="xs"
            w="fit-content"
            onClick={() =>
              onChange({
                variants: [...variants, { id: newId(), key: nextKey(variants), value: EMPTY[type], weight: 50 }],
              })
            }
          >
            {texts.addVariant}
          </Button>
        )}
      </Stack>
    </Card>
  );
}

/** What a new variant serves, as JSON. */
const EMPTY = { boolean: 'true', multivariate: '""', string: '""', number: '0', json: '{}' } as const;

function nextKey(variants: readonly { key: string }[]): string {
  const taken = new Set(variants.map(({ key }) => key));
  return 'abcdefghijklmnopqrstuvwxyz'.split('').find((letter) => !taken.has(letter)) ?? `v${variants.length + 1}`;
}

function Prerequisites({ edited: { prerequisites }, onChange, readOnly }: FlagEditorProps) {
  if (prerequisites.length === 0 && readOnly) return null;
  const set = (id: number, change: Partial<EditedFlag['prerequisites'][number]>): void =>
    onChange({ prerequisites: prerequisites.map((each) => (each.id === id ? { ...each, ...change } : each)) });
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        {texts.prerequisites}
      </Title>
      <Stack gap="xs">
        {prerequisites.map(({ id, key, value, variant }) => (
          <Group key={id} align="flex-end" gap="sm">
            <TextInput
              size="xs"
              label={texts.prerequisiteFlag}
              value={key}
              readOnly={readOnly}
              onChange={(event) => set(id, { key: event.currentTarget.value })}
            />
            {/* One of both counts: the variant, if it is given. */}
            {variant === '' ? (
              <ValueField
                label={texts.prerequisiteValue}
                type="json"
                value={value}
                readOnly={readOnly}
                onChange={(changed) => set(id, { value: changed })}
              />
            ) : null}
            <TextInput
              size="xs"
              label={variant === '' ? texts.prerequisiteVariant : texts.prerequisiteOnlyVariant}
              value={variant}
              readOnly={readOnly}
              onChange={(event) => set(id, { variant: event.currentTarget.value })}
            />
            {readOnly ? null : (
              <Action
                label={texts.removePrerequisite(key)}
                sign="×"
                onClick={() => onChange({ prerequisites: prerequisites.filter((each) => each.id !== id) })}
              />
            )}
          </Group>
        ))}
        {readOnly ? null : (
          <Button
            variant="default"
            size="xs"
            w="fit-content"
            onClick={() =>
              onChange({ prerequisites: [...prerequisites, { id: newId(), key: '', value: 'true', variant: '' }] })
            }
          >
            {texts.addPrerequisite}
          </Button>
        )}
      </Stack>
    </Card>
  );
}
