import { Autocomplete, Button, Group, Stack, TagsInput } from '@mantine/core';
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

/** Conditions that must all hold: a field, and values of which one must be there. */
export function WhereEditor({ label, where, fields, onChange }: WhereEditorProps) {
  const replace = (place: number, condition: Where[number]): void => onChange(where.with(place, condition));
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
          <TagsInput
            size="xs"
            label={texts.is}
            description={place === 0 ? texts.isHelp : undefined}
            inputWrapperOrder={['label', 'input', 'description']}
            value={[...(condition.in ?? [])]}
            maw={360}
            onChange={(values) => replace(place, { ...condition, in: values })}
          />
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
