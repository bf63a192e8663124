import { Button, Group, NativeSelect, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import { TEXTS } from '../../texts.ts';
import { Dialog } from '../editors/dialog.tsx';
import { JsonValue } from './diff.tsx';
import { type MergedField, mergeFields } from './json-changes.ts';
import { ScrollRegion } from '../scroll-region.tsx';

const texts = TEXTS.conflict;

type Fields = Readonly<Record<string, unknown>>;

interface ConflictProps {
  /** The document that the edit began with, the edited one, and the one that another person saved meanwhile. */
  base: Fields;
  mine: Fields;
  theirs: Fields;
  versions: { mine: number; theirs: number };
  onClose: () => void;
  /** Gets the fields with their chosen values. */
  onMerge: (merged: Record<string, unknown>) => void;
}

/** The two edits of one document field by field, with a choice for each: a three-way merge. */
export function Conflict({ base, mine, theirs, versions, onClose, onMerge }: ConflictProps) {
  const fields = mergeFields(base, mine, theirs);
  const [choices, setChoices] = useState<Readonly<Record<string, Side>>>({});
  const sideOf = (field: MergedField): Side | undefined =>
    choices[field.name] ?? (field.kind === 'conflict' ? undefined : field.kind === 'theirs' ? 'theirs' : 'mine');
  const merge = (): void => {
    const chosen = fields.map(
      (field): [string, unknown] => [field.name, sideOf(field) === 'theirs' ? field.theirs : field.mine] as const,
    );
    onMerge({ ...theirs, ...Object.fromEntries(chosen) });
  };
  return (
    <Dialog opened onClose={onClose} title={texts.title} size="90rem">
      <Stack>
        <Text>{texts.help(versions.mine, versions.theirs)}</Text>
        <ScrollRegion label={texts.title}>
          <Table aria-label={texts.title} verticalSpacing={6}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>{texts.field}</Table.Th>
                <Table.Th>{texts.base}</Table.Th>
                <Table.Th>{texts.mine}</Table.Th>
                <Table.Th>{texts.theirs}</Table.Th>
                <Table.Th>{texts.choice}</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {fields.map((field) => (
                <Table.Tr key={field.name}>
                  <Table.Th scope="row">
                    <span className="mono">{field.name}</span>
                    <Text size="xs" fw={400}>
                      {texts.kinds[field.kind]}
                    </Text>
                  </Table.Th>
                  <Table.Td>
                    <JsonValue value={field.base} />
                  </Table.Td>
                  <Table.Td className={sideOf(field) === 'mine' ? 'diff-added' : undefined}>
                    <JsonValue value={field.mine} />
                  </Table.Td>
                  <Table.Td className={sideOf(field) === 'theirs' ? 'diff-added' : undefined}>
                    <JsonValue value={field.theirs} />
                  </Table.Td>
                  <Table.Td>
                    <NativeSelect
                      size="xs"
                      aria-label={`${texts.choice} ${field.name}`}
                      value={sideOf(field) ?? ''}
                      data={[
                        ...(sideOf(field) === undefined ? [{ value: '', label: '…' }] : []),
                        { value: 'mine', label: texts.mine },
                        { value: 'theirs', label: texts.theirs },
                      ]}
                      onChange={({ currentTarget: { value } }) =>
                        setChoices({ ...choices, [field.name]: value === 'theirs' ? 'theirs' : 'mine' })
                      }
                    />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {TEXTS.cancel}
          </Button>
          <Button disabled={fields.some((field) => sideOf(field) === undefined)} onClick={merge}>
            {texts.merge}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

type Side = 'mine' | 'theirs';
