import { TextInput } from '@mantine/core';
import { useZone } from '../../frame/session.tsx';
import { TEXTS } from '../../texts.ts';
import { clockText, isTime, momentOf } from '../zoned-time.ts';

const texts = TEXTS.time;

interface TimeInputProps {
  label: string;
  /** ISO 8601, what a person typed that is no time yet, or empty. */
  value: string;
  onChange: (value: string) => void;
  readOnly: boolean;
  size?: 'xs' | 'sm';
  /** What an empty field means. Default: an example. */
  hint?: string;
}

/** Wide enough for a time with seconds. */
const WIDTHS = { xs: 175, sm: 205 } as const;

/** A time in the game's zone. */
export function TimeInput({ label, value, onChange, readOnly, size = 'xs', hint = texts.hint }: TimeInputProps) {
  const zone = useZone();
  const shown = isTime(value) ? clockText(zone, Date.parse(value)).replace(/:00$/, '') : value;
  return (
    <TextInput
      size={size}
      w={WIDTHS[size]}
      label={label}
      placeholder={hint}
      value={shown}
      readOnly={readOnly}
      error={value === '' || isTime(value) ? undefined : texts.bad(zone)}
      onChange={(event) => onChange(timeOf(zone, event.currentTarget.value))}
    />
  );
}

/** `2026-12-01 18:00` as ISO 8601; other texts as they are. */
function timeOf(zone: string, text: string): string {
  const time = momentOf(zone, text);
  return time === undefined ? text : new Date(time).toISOString();
}
