import { NativeSelect, TextInput } from '@mantine/core';
import { parseJson } from '../../parts/editors/json-text.ts';
import { TEXTS } from '../../texts.ts';
import type { Flag } from '../../definitions.ts';

interface ValueFieldProps {
  label: string;
  type: Flag['flag_type'];
  /** JSON, which need not be valid yet. */
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  size?: 'xs' | 'sm';
}

/** A value of a flag's type. A value of another type, such as a missing default, is edited as JSON. */
export function ValueField({ label, type, value, onChange, readOnly, size = 'xs' }: ValueFieldProps) {
  const parsed = parseJson(value);
  const current = parsed.kind === 'value' ? parsed.value : undefined;
  if (type === 'boolean' && typeof current === 'boolean') {
    return (
      <NativeSelect
        size={size}
        label={label}
        value={value}
        disabled={readOnly}
        data={['true', 'false']}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  const isText = (type === 'string' || type === 'multivariate') && typeof current === 'string';
  const fault =
    parsed.kind === 'fault'
      ? TEXTS.conditions.badJson
      : type === 'number' && current !== null && typeof current !== 'number'
        ? TEXTS.conditions.badNumber
        : undefined;
  return (
    <TextInput
      size={size}
      label={label}
      value={isText ? current : value}
      readOnly={readOnly}
      error={fault}
      miw={110}
      style={{ flex: '1 1 200px' }}
      onChange={({ currentTarget: { value: typed } }) =>
        onChange(isText || (typed !== '' && isNullText(type, current)) ? JSON.stringify(typed) : typed)
      }
    />
  );
}

/** Whether what is typed replaces a missing text. */
function isNullText(type: Flag['flag_type'], current: unknown): boolean {
  return (type === 'string' || type === 'multivariate') && current === null;
}
