import { Card, ScrollArea, Stack, Text, TextInput, Title, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../frame/api.ts';
import { Loaded } from '../parts/states.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.sql;

const COLUMNS =
  'SELECT table, name, type FROM system.columns WHERE database = currentDatabase() ORDER BY table, position';

interface Column {
  name: string;
  type: string;
}

/** The tables and views, and their columns. A click puts a name into the statement. */
export function TablesPanel({ onInsert }: { onInsert: (name: string) => void }) {
  const [filter, setFilter] = useState('');
  const tables = useQuery({
    queryKey: ['sql-tables'],
    queryFn: async ({ signal }) => {
      const { rows } = await call(undefined, 'POST /v1/console/sql', { body: { statement: COLUMNS }, signal });
      const columns = rows.map(([table, name, type]) => ({
        table: String(table),
        name: String(name),
        type: String(type),
      }));
      return Map.groupBy(columns, ({ table }) => table);
    },
    staleTime: 600_000,
  });
  const wanted = filter.trim().toLowerCase();
  return (
    <Card withBorder p="xs" component="section" aria-label={texts.tables}>
      <Stack gap="xs">
        <Title order={2} size="h6">
          {texts.tables}
        </Title>
        <TextInput
          size="xs"
          aria-label={texts.filter}
          placeholder={texts.filter}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <Loaded query={tables}>
          {(found) => (
            <ScrollArea.Autosize
              mah={520}
              viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': texts.tablesList }}
            >
              {matching(found, wanted).map(([table, columns]) => (
                <details key={table} className="table-columns" open={wanted !== '' && !table.includes(wanted)}>
                  <summary>{table}</summary>
                  <UnstyledButton className="column" onClick={() => onInsert(table)}>
                    {texts.insert(table)}
                  </UnstyledButton>
                  {columns.map(({ name, type }) => (
                    <UnstyledButton key={name} className="column" onClick={() => onInsert(name)}>
                      <span className="mono">{name}</span>
                      <Text span size="xs" c="dimmed" className="break-anywhere">
                        {type}
                      </Text>
                    </UnstyledButton>
                  ))}
                </details>
              ))}
            </ScrollArea.Autosize>
          )}
        </Loaded>
      </Stack>
    </Card>
  );
}

/** Tables whose name or one of whose columns has the text; then only these columns. */
function matching(tables: ReadonlyMap<string, readonly Column[]>, wanted: string): [string, readonly Column[]][] {
  return [...tables].flatMap(([table, columns]): [string, readonly Column[]][] => {
    if (table.includes(wanted)) return [[table, columns]];
    const some = columns.filter(({ name }) => name.toLowerCase().includes(wanted));
    return some.length === 0 ? [] : [[table, some]];
  });
}
