import { NativeSelect } from '@mantine/core';
import type { Segment } from '../definitions.ts';
import { TEXTS } from '../texts.ts';

interface SegmentSelectProps {
  label: string;
  /** Id of the segment; empty: all players. */
  value: string;
  segments: readonly Segment[];
  onChange: (id: string) => void;
  readOnly: boolean;
  help?: string;
  size?: 'xs' | 'sm';
}

/** The players of a segment, or everybody. A segment that is gone keeps its id. */
export function SegmentSelect({ label, value, segments, onChange, readOnly, help, size = 'sm' }: SegmentSelectProps) {
  const isKnown = value === '' || segments.some(({ segment_id: id }) => id === value);
  return (
    <NativeSelect
      size={size}
      label={label}
      description={help}
      value={value}
      disabled={readOnly}
      data={[
        { value: '', label: TEXTS.flag.everybody },
        ...(isKnown ? [] : [{ value, label: value }]),
        ...segments.map(({ segment_id: id, key, name }) => ({
          value: id,
          label: name === key ? key : `${name} (${key})`,
        })),
      ]}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
