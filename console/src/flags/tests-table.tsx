import { Table } from '@mantine/core';
import { whereOf } from '../conditions/unfinished.ts';
import { JsonValue } from '../parts/drafts/diff.tsx';
import { useReadable } from '../parts/difference.tsx';
import { TEXTS } from '../texts.ts';
import { ScrollRegion } from '../parts/scroll-region.tsx';

const texts = TEXTS.segment.tests;

interface Test {
  path: string;
  holds: boolean;
  value?: unknown;
}

/** The parts of a condition, whether each holds for a player, and the value that it read. */
export function TestsTable({ tests }: { tests: readonly Test[] }) {
  const readable = useReadable(JSON.stringify(tests));
  return (
    <ScrollRegion label={texts.label}>
      <Table aria-label={texts.label} withTableBorder verticalSpacing={2} mt={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.part}</Table.Th>
            <Table.Th>{texts.holds}</Table.Th>
            <Table.Th>{texts.value}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tests.map(({ path, holds, value }) => (
            <Table.Tr key={path}>
              <Table.Td className="break-anywhere">{whereOf(path)}</Table.Td>
              <Table.Td>{holds ? `✓ ${TEXTS.yes}` : `✗ ${TEXTS.no}`}</Table.Td>
              <Table.Td>{value === undefined ? null : <JsonValue value={namedIn(value, readable)} />}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

/** The value with the keys of segments that it names by their ids. */
function namedIn(value: unknown, readable: (text: string) => string): unknown {
  if (!Array.isArray(value)) return value;
  return value.map((each) => (typeof each === 'string' && each.startsWith('seg_') ? readable(each) : each));
}
