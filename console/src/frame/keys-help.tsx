import { Table } from '@mantine/core';
import { Dialog } from '../parts/editors/dialog.tsx';
import type { Entry } from '../screens.ts';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.shortcuts;

/** The keys of all screens. */
export function KeysHelp({
  opened,
  onClose,
  entries,
}: {
  opened: boolean;
  onClose: () => void;
  entries: readonly Entry[];
}) {
  const rows = [
    ...texts.all.map(({ keys, what }) => ({ keys, what })),
    ...entries.map(({ letter, label }) => ({ keys: ['g', letter], what: texts.go(label) })),
  ];
  return (
    <Dialog opened={opened} onClose={onClose} title={texts.title}>
      <Table verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.keys}</Table.Th>
            <Table.Th>{texts.what}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ keys, what }) => (
            <Table.Tr key={what}>
              <Table.Td>
                {keys.map((key) => (
                  <kbd key={key} className="key">
                    {key}
                  </kbd>
                ))}
              </Table.Td>
              <Table.Td>{what}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Dialog>
  );
}
