import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useZone } from '../frame/session.tsx';
import { dayText } from '../parts/zoned-time.ts';
import { TEXTS } from '../texts.ts';
import { type Range, RANGES } from './query.ts';

const texts = TEXTS.analytics;

/** The range of a query: the last days, or two days. */
export function RangeField({ range, onChange }: { range: Range; onChange: (range: Range) => void }) {
  const zone = useZone();
  const isCustom = 'from' in range;
  const known = isCustom || RANGES.some((days) => days === range.days);
  const lengths = known ? RANGES : [...RANGES, 'days' in range ? range.days : 1];
  return (
    <Group align="flex-end" gap="xs">
      <NativeSelect
        label={texts.range(zone)}
        value={isCustom ? 'custom' : String(range.days)}
        data={[
          ...lengths.map((days) => ({ value: String(days), label: texts.lastDays(days) })),
          { value: 'custom', label: texts.custom },
        ]}
        onChange={(event) => {
          const { value } = event.currentTarget;
          const today = dayText(zone, Date.now());
          onChange(value === 'custom' ? { from: today, to: today } : { days: Number(value) });
        }}
      />
      {isCustom ? (
        <>
          <TextInput
            type="date"
            label={texts.from}
            value={range.from}
            onChange={(event) => onChange({ ...range, from: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label={texts.to}
            value={range.to}
            onChange={(event) => onChange({ ...range, to: event.currentTarget.value })}
          />
        </>
      ) : null}
    </Group>
  );
}
