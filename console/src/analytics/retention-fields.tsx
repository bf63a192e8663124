import { Autocomplete, NativeSelect } from '@mantine/core';
import { TEXTS } from '../texts.ts';
import { INTERVALS, INTERVALS_OF, METHODS, type Query } from './query.ts';

const texts = TEXTS.analytics;

interface RetentionFieldsProps {
  query: Query;
  /** Names of events to suggest. */
  names: readonly string[];
  onChange: (query: Query) => void;
}

/** With what players begin and come back, in which intervals, and whether later ones count. */
export function RetentionFields({ query, names, onChange }: RetentionFieldsProps) {
  const { interval = 'day', method = 'classic' } = query;
  return (
    <>
      <NativeSelect
        label={texts.interval}
        value={interval}
        data={(INTERVALS_OF.retention ?? []).map((value) => ({ value, label: texts.intervals[value] }))}
        onChange={(event) => {
          // Numbers of days would be refused by week, and the other way round.
          const { days: _, periods: __, ...rest } = query;
          onChange({ ...rest, interval: INTERVALS.find((each) => each === event.currentTarget.value) ?? 'day' });
        }}
      />
      <NativeSelect
        label={texts.method}
        value={method}
        data={METHODS.map((value) => ({ value, label: texts.methods[value] }))}
        onChange={(event) =>
          onChange({ ...query, method: METHODS.find((each) => each === event.currentTarget.value) ?? 'classic' })
        }
      />
      <Autocomplete
        label={texts.firstEvent}
        placeholder={texts.firstEventNone}
        value={query.first_event?.event_name ?? ''}
        data={[...names]}
        onChange={(name) => {
          const { first_event: held, ...rest } = query;
          onChange(name === '' ? rest : { ...rest, first_event: { ...held, event_name: name } });
        }}
      />
      <Autocomplete
        label={texts.returnEvent}
        placeholder={texts.returnEventNone}
        value={query.return_event?.event_name ?? ''}
        data={[...names]}
        onChange={(name) => {
          const { return_event: held, ...rest } = query;
          onChange(name === '' ? rest : { ...rest, return_event: { ...held, event_name: name } });
        }}
      />
    </>
  );
}
