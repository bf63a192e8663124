import './panel.css';
import { Badge, Card, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { TEXTS } from '../texts.ts';
import { RunbookButton } from './runbook.tsx';
import { ScrollRegion } from '../parts/scroll-region.tsx';

const texts = TEXTS.operations;

interface PanelProps {
  title: string;
  /** Whether all is well; undefined: it says nothing about that. */
  ok?: boolean;
  /** The runbook's entry about this part. */
  entry?: string;
  onRunbook?: (entry: string) => void;
  children: ReactNode;
}

/** One part of the deployment: its state, its figures, and what to do about it. */
export function Panel({ title, ok, entry, onRunbook, children }: PanelProps) {
  return (
    <Card withBorder component="section" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between" gap="xs">
          <Group gap="xs">
            <Title order={2} size="h5">
              {title}
            </Title>
            {ok === undefined ? null : <State ok={ok} />}
          </Group>
          {entry === undefined || onRunbook === undefined ? null : <RunbookButton entry={entry} onOpen={onRunbook} />}
        </Group>
        {children}
      </Stack>
    </Card>
  );
}

/** Never by colour alone. */
export function State({ ok, label }: { ok: boolean; label?: string }) {
  return (
    <Badge variant="outline" color={ok ? 'green' : 'red'} tt="none">
      {ok ? '✓' : '!'} {label ?? (ok ? texts.ok : texts.attention)}
    </Badge>
  );
}

/** A small table with a row header. */
export function Figures({
  label,
  heads,
  rows,
}: {
  label: string;
  heads: readonly string[];
  rows: readonly { key: string; cells: readonly ReactNode[] }[];
}) {
  return (
    <ScrollRegion label={label}>
      <Table aria-label={label} verticalSpacing={4} className="figures">
        <Table.Thead>
          <Table.Tr>
            {heads.map((head) => (
              <Table.Th key={head}>{head}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, cells }) => (
            <Table.Tr key={key}>
              {cells.map((cell, place) =>
                place === 0 ? (
                  <Table.Th key={heads[place]} scope="row" fw={500}>
                    {cell}
                  </Table.Th>
                ) : (
                  <Table.Td key={heads[place]}>{cell}</Table.Td>
                ),
              )}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

export function Unread() {
  return <Text c="dimmed">{texts.unread}</Text>;
}
