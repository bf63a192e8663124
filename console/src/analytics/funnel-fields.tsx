import { NativeSelect, NumberInput, TagsInput } from '@mantine/core';
import { TEXTS } from '../texts.ts';
import { ORDERS, type Query } from './query.ts';

const texts = TEXTS.analytics;

interface FunnelFieldsProps {
  query: Query;
  /** Names of events to suggest. */
  names: readonly string[];
  onChange: (query: Query) => void;
}

/** How the steps of a funnel follow each other, within which time, and what ends an attempt. */
export function FunnelFields({ query, names, onChange }: FunnelFieldsProps) {
  const { order = 'ordered', exclusions = [] } = query;
  return (
    <>
      <NativeSelect
        label={texts.order}
        value={order}
        data={ORDERS.map((value) => ({ value, label: texts.orders[value] }))}
        onChange={(event) => {
          const { exclusions: _, ...rest } = query;
          const wanted = ORDERS.find((each) => each === event.currentTarget.value) ?? 'ordered';
          // Exclusions would be refused where every other event ends an attempt.
          onChange({ ...(wanted === 'strict' ? rest : query), order: wanted });
        }}
      />
      <NumberInput
        label={texts.window}
        min={1}
        max={90 * 24}
        maw={150}
        value={(query.window_seconds ?? 7 * 86_400) / 3_600}
        onChange={(hours) => onChange({ ...query, window_seconds: Math.max(1, Math.round(Number(hours) * 3_600)) })}
      />
      {order === 'strict' ? null : (
        <TagsInput
          label={texts.exclusions}
          description={texts.exclusionsHelp}
          inputWrapperOrder={['label', 'input', 'description']}
          value={exclusions.map(({ event_name: name }) => name)}
          data={[...names]}
          maxTags={5}
          maw={300}
          onChange={(wanted) => {
            const { exclusions: held = [], ...rest } = query;
            const kept = wanted.map(
              (name) => held.find(({ event_name: other }) => other === name) ?? { event_name: name },
            );
            onChange(kept.length === 0 ? rest : { ...rest, exclusions: kept });
          }}
        />
      )}
    </>
  );
}
