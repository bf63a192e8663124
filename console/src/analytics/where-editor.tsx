import { Autocomplete, Button, Group, NativeSelect, NumberInput, Stack, TagsInput, TextInput } from '@mantine/core';
import {
  FILTER_OPERATORS,
  FILTER_OPERATOR_NAMES,
  type FilterOperator,
} from '../../../core/vocabulary/metrics/operators.ts';
import { TEXTS } from '../texts.ts';
import type { Where } from './query.ts';

const texts = TEXTS.analytics;

interface WhereEditorProps {
  label: string;
  where: Where;
  /** Fields to suggest. */
  fields: readonly string[];
  onChange: (where: Where) => void;
}

type Condition = Where[number];

/** Conditions that must all hold: a field, an operator, and what it compares with. */
export function WhereEditor({ label, where, fields, onChange }: WhereEditorProps) {
  const replace = (place: number, condition: Condition): void => onChange(where.with(place, condition));
  return (
    <Stack gap={6} role="group" aria-label={label}>
      {where.map((condition, place) => (
        // oxlint-disable-next-line react/no-array-index-key -- conditions have no identity but their place
        <Group key={place} align="flex-end" gap="xs">
          <Autocomplete
            size="xs"
            label={texts.field}
            value={condition.field}
            data={[...fields]}
            onChange={(field) => replace(place, { ...condition, field })}
          />
          <NativeSelect
            size="xs"
            label={texts.operator}
            value={operatorOf(condition)}
            data={FILTER_OPERATOR_NAMES.map((value) => ({ value, label: texts.operators[value] }))}
            onChange={(event) => {
              const wanted = FILTER_OPERATOR_NAMES.find((each) => each === event.currentTarget.value) ?? 'in';
              replace(place, { field: condition.field, ...FIRST[FILTER_OPERATORS[wanted].takes](wanted) });
            }}
          />
          <Value condition={condition} onChange={(changed) => replace(place, changed)} />
          <Button
            size="xs"
            variant="default"
            aria-label={texts.removeWhere(condition.field)}
            onClick={() => onChange(where.toSpliced(place, 1))}
          >
            ✕
          </Button>
        </Group>
      ))}
      <div>
        <Button size="compact-xs" variant="default" onClick={() => onChange([...where, { field: '', in: [] }])}>
          {texts.addWhere}
        </Button>
      </div>
    </Stack>
  );
}

const operatorOf = (condition: Condition): FilterOperator =>
  FILTER_OPERATOR_NAMES.find((name) => condition[name] !== undefined) ?? 'in';

/** What an operator compares with at first. */
const FIRST: Readonly<Record<(typeof FILTER_OPERATORS)[FilterOperator]['takes'], (name: FilterOperator) => object>> = {
  texts: (name) => ({ [name]: [] }),
  value: (name) => ({ [name]: '' }),
  text: (name) => ({ [name]: '' }),
  number: (name) => ({ [name]: 0 }),
  true: (name) => ({ [name]: true }),
};

interface ValueProps {
  condition: Condition;
  onChange: (condition: Condition) => void;
}

function Value({ condition, onChange }: ValueProps) {
  const operator = operatorOf(condition);
  const value = condition[operator];
  switch (FILTER_OPERATORS[operator].takes) {
    case 'texts':
      return (
        <TagsInput
          size="xs"
          label={texts.value}
          description={texts.isHelp}
          inputWrapperOrder={['label', 'input', 'description']}
          value={[...(condition.in ?? [])]}
          maw={360}
          onChange={(values) => onChange({ ...condition, in: values })}
        />
      );
    case 'number':
      return (
        <NumberInput
          size="xs"
          label={texts.value}
          value={typeof value === 'number' ? value : 0}
          maw={140}
          onChange={(number) => onChange({ ...condition, [operator]: Number(number) })}
        />
      );
    case 'value':
    case 'text':
      return (
        <TextInput
          size="xs"
          label={texts.value}
          value={typeof value === 'object' ? '' : String(value)}
          onChange={(event) => onChange({ ...condition, [operator]: event.currentTarget.value })}
        />
      );
    case 'true':
      return null;
  }
}
