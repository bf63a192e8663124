import { NumberInput } from '@mantine/core';

interface NumberOrNoneProps {
  label: string;
  help?: string;
  value: unknown;
  least?: number;
  most?: number;
  readOnly: boolean;
  /** Whether it cannot change any more, whoever looks. */
  isFixed?: boolean;
  /** null: the field is empty. */
  onChange: (value: number | null) => void;
}

/** A number of a definition, which a field of a person's text may not hold yet. */
export function NumberOrNone({
  label,
  help,
  value,
  least = 0,
  most,
  readOnly,
  isFixed = false,
  onChange,
}: NumberOrNoneProps) {
  return (
    <NumberInput
      label={label}
      description={help}
      min={least}
      {...(most === undefined ? {} : { max: most })}
      value={typeof value === 'number' ? value : ''}
      readOnly={readOnly}
      disabled={isFixed}
      hideControls
      onChange={(next) => onChange(typeof next === 'number' ? next : null)}
    />
  );
}
