import { Button, Fieldset, Group, NativeSelect, NumberInput, Stack, Text } from '@mantine/core';
import { GUARDRAIL_ACTIONS } from '../../../../core/vocabulary/documents/experiments.ts';
import { isObject } from '../../parts/editors/json-text.ts';
import { type Document, partOf, textOf } from '../../parts/drafts/document-values.ts';
import { TEXTS } from '../../texts.ts';
import { MetricFields } from '../measure-fields.tsx';
import { metricName } from '../measure.ts';
import type { FieldsProps } from './fields.ts';

const texts = TEXTS.experiment;
const WORSE = ['lower', 'higher'] as const;
const FIRST_METRIC = { aggregate: 'conversion', metric: '' };
const FIRST_GUARDRAIL = { metric: { aggregate: 'revenue' }, worse: 'lower', margin: 0.02, action: 'notify' };

/** The metrics that decide: the primary one, and those that must not get worse. */
export function DecidingFields({ document, onChange, readOnly }: FieldsProps) {
  const { primary, guardrails } = document;
  const rails: Document[] = Array.isArray(guardrails) ? guardrails.filter(isObject) : [];
  const set = (next: Document[]): void => onChange({ ...document, guardrails: next });
  return (
    <>
      <Fieldset legend={texts.primary}>
        {isObject(primary) ? (
          <Stack gap="xs" align="flex-start">
            <MetricFields
              metric={primary}
              readOnly={readOnly}
              onChange={(metric) => onChange({ ...document, primary: metric })}
            />
            {readOnly ? null : (
              <Button size="compact-xs" variant="default" onClick={() => onChange({ ...document, primary: null })}>
                {texts.removePrimary}
              </Button>
            )}
          </Stack>
        ) : (
          <Group>
            <Text c="dimmed">{texts.noPrimary}</Text>
            {readOnly ? null : (
              <Button
                size="compact-xs"
                variant="default"
                onClick={() => onChange({ ...document, primary: FIRST_METRIC })}
              >
                {texts.choosePrimary}
              </Button>
            )}
          </Group>
        )}
      </Fieldset>
      <Fieldset legend={texts.guardrails}>
        <Stack gap="sm" align="flex-start">
          {rails.length === 0 ? <Text c="dimmed">{texts.noGuardrails}</Text> : null}
          {rails.map((rail, place) => (
            <Guardrail
              // Guardrails have no ids, and a removed one takes its place along.
              key={place}
              place={place}
              rail={rail}
              readOnly={readOnly}
              onChange={(next) => set(rails.map((each, index) => (index === place ? next : each)))}
              onRemove={() => set(rails.toSpliced(place, 1))}
            />
          ))}
          {readOnly ? null : (
            <Button size="xs" variant="default" onClick={() => set([...rails, FIRST_GUARDRAIL])}>
              {texts.addGuardrail}
            </Button>
          )}
        </Stack>
      </Fieldset>
    </>
  );
}

interface GuardrailProps {
  place: number;
  rail: Document;
  readOnly: boolean;
  onChange: (rail: Document) => void;
  onRemove: () => void;
}

function Guardrail({ place, rail, readOnly, onChange, onRemove }: GuardrailProps) {
  const metric = partOf(rail, 'metric');
  const { margin } = rail;
  return (
    <Fieldset p="sm" legend={texts.guardrail(place + 1, metricName(metric))}>
      <MetricFields metric={metric} readOnly={readOnly} onChange={(next) => onChange({ ...rail, metric: next })} />
      <Group align="flex-end" mt="xs">
        <NativeSelect
          label={texts.worse}
          value={textOf(rail['worse'])}
          data={WORSE.map((value) => ({ value, label: texts.worses[value] }))}
          disabled={readOnly}
          onChange={(event) => onChange({ ...rail, worse: event.currentTarget.value })}
        />
        <PercentInput
          label={texts.margin}
          help={texts.marginHelp}
          value={margin}
          readOnly={readOnly}
          onChange={(share) => onChange({ ...rail, margin: share ?? 0 })}
        />
        <NativeSelect
          label={texts.action}
          value={textOf(rail['action'])}
          data={GUARDRAIL_ACTIONS.map((value) => ({ value, label: texts.guardActions[value] }))}
          disabled={readOnly}
          onChange={(event) => onChange({ ...rail, action: event.currentTarget.value })}
        />
        {readOnly ? null : (
          <Button size="compact-xs" variant="default" mb={8} onClick={onRemove}>
            {texts.removeGuardrail(place + 1)}
          </Button>
        )}
      </Group>
    </Fieldset>
  );
}

interface PercentInputProps {
  label: string;
  help?: string;
  /** A share of 1. */
  value: unknown;
  readOnly: boolean;
  least?: number;
  most?: number;
  /** null: the field is empty. */
  onChange: (share: number | null) => void;
}

/** A share of 1 that people write in percent. */
export function PercentInput({ label, help, value, readOnly, least = 0, most = 1_000, onChange }: PercentInputProps) {
  return (
    <NumberInput
      label={label}
      description={help}
      min={least}
      max={most}
      hideControls
      // Without the digits that a product of binary fractions adds.
      value={typeof value === 'number' ? Number((100 * value).toPrecision(12)) : ''}
      readOnly={readOnly}
      onChange={(typed) => onChange(typeof typed === 'number' ? Number((typed / 100).toPrecision(12)) : null)}
    />
  );
}
