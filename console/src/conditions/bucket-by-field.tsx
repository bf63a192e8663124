import { NativeSelect, TextInput } from '@mantine/core';
import { BUCKET_ATTRIBUTE } from '../../../core/vocabulary/documents/flag-serve.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.conditions;

interface BucketByFieldProps {
  label: string;
  /** `player`, `device` or `attribute:<path>`, which may not be finished; empty where `other` is given. */
  value: string;
  /** What an empty value is called; absent: it cannot be chosen. */
  other?: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  size?: 'xs' | 'sm';
}

/** What puts players into buckets: their id, their device or an attribute. */
export function BucketByField({ label, value, other, onChange, readOnly, size = 'xs' }: BucketByFieldProps) {
  const isAttribute = value.startsWith(BUCKET_ATTRIBUTE);
  const chosen = isAttribute ? BUCKET_ATTRIBUTE : value;
  const options = [
    ...(other === undefined ? [] : [{ value: '', label: other }]),
    { value: 'player', label: texts.bys.player },
    { value: 'device', label: texts.bys.device },
    { value: BUCKET_ATTRIBUTE, label: texts.bys.attribute },
  ];
  const isKnown = options.some((each) => each.value === chosen);
  return (
    <>
      <NativeSelect
        size={size}
        label={label}
        value={chosen}
        disabled={readOnly}
        data={isKnown ? options : [...options, { value: chosen, label: chosen }]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {isAttribute ? (
        <TextInput
          size={size}
          label={texts.byAttribute}
          placeholder="guild"
          value={value.slice(BUCKET_ATTRIBUTE.length)}
          readOnly={readOnly}
          onChange={(event) => onChange(BUCKET_ATTRIBUTE + event.currentTarget.value)}
        />
      ) : null}
    </>
  );
}
