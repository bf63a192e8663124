import { Table, Text } from '@mantine/core';
import { TEXTS } from '../../texts.ts';
import { type JsonChange, jsonChanges, pathText } from './json-changes.ts';
import { prettyJson } from '../editors/json-text.ts';
import { ScrollRegion } from '../scroll-region.tsx';

const texts = TEXTS.diff;

/** The fields that differ between two documents, with both values. */
export function Diff({ before, after, label }: { before: unknown; after: unknown; label?: string }) {
  const changes = jsonChanges(before, after);
  if (changes.length === 0) return <Text c="dimmed">{texts.none}</Text>;
  return (
    <ScrollRegion label={label ?? texts.label}>
      <Table className="diff" aria-label={label ?? texts.label} verticalSpacing={4}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{texts.field}</Table.Th>
            <Table.Th>{texts.change}</Table.Th>
            <Table.Th>{texts.before}</Table.Th>
            <Table.Th>{texts.after}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map((change) => (
            <Table.Tr key={pathText(change.path)}>
              <Table.Th scope="row" className="mono">
                {change.path.length === 0 ? texts.whole : pathText(change.path)}
              </Table.Th>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{texts.kinds[change.kind]}</Table.Td>
              <Table.Td className={change.kind === 'added' ? undefined : 'diff-removed'}>
                <Value change={change} side="before" />
              </Table.Td>
              <Table.Td className={change.kind === 'removed' ? undefined : 'diff-added'}>
                <Value change={change} side="after" />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

function Value({ change, side }: { change: JsonChange; side: 'before' | 'after' }) {
  const isThere = change.kind === 'changed' || (change.kind === 'added') === (side === 'after');
  return isThere ? <JsonValue value={change[side]} /> : <Text span>{texts.missing}</Text>;
}

/** A value as text, on several lines if it is long. */
export function JsonValue({ value }: { value: unknown }) {
  if (value === undefined) return <Text span>{texts.missing}</Text>;
  const line = JSON.stringify(value);
  return (
    <span className="mono" style={{ whiteSpace: 'pre-wrap' }}>
      {line.length > 60 ? prettyJson(value) : line}
    </span>
  );
}
