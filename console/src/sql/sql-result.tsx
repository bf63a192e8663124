import { Alert, Button, Group, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { AnswerOf } from '../frame/api.ts';
import { csvText } from '../../../core/kernel/text/csv-text.ts';
import { download } from '../parts/lists/csv.ts';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { Empty } from '../parts/states.tsx';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';

const texts = TEXTS.sql;

export type SqlAnswer = AnswerOf<'POST /v1/console/sql'>;

/** Rows that are drawn at once. */
const STEP = 200;

/** The rows of a statement. Everything that games sent is text. */
export function SqlResult({ result, tookMs }: { result: SqlAnswer; tookMs: number }) {
  const [shown, setShown] = useState(STEP);
  const { columns, rows, truncated } = result;
  const save = (): void => {
    const lines = rows.map((row) => row.map(cellText));
    const header = columns.map(({ name }) => name);
    download('result.csv', csvText(header, lines));
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Text size="sm" role="status">
          {texts.took(number(rows.length), number(Math.round(tookMs)))}
        </Text>
        <Button size="xs" variant="default" onClick={save} disabled={rows.length === 0}>
          {texts.csv}
        </Button>
      </Group>
      {truncated ? <Alert color="yellow">{texts.truncated(number(rows.length))}</Alert> : null}
      {rows.length === 0 ? (
        <Empty title={texts.noRows} />
      ) : (
        <ScrollRegion label={texts.rowsOf} className="sql-result">
          <Table stickyHeader verticalSpacing={3} horizontalSpacing="xs" withColumnBorders>
            <Table.Thead>
              <Table.Tr>
                {columns.map(({ name, type }, place) => (
                  // oxlint-disable-next-line react/no-array-index-key -- two columns may have one name
                  <Table.Th key={place}>
                    {name}
                    <Text size="xs" c="dimmed" fw={400}>
                      {type}
                    </Text>
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.slice(0, shown).map((row, line) => (
                // oxlint-disable-next-line react/no-array-index-key -- rows have no identity but their place
                <Table.Tr key={line}>
                  {row.map((cell, place) => (
                    // oxlint-disable-next-line react/no-array-index-key -- as above
                    <Table.Td key={place} className="mono">
                      {cell === null ? <i>NULL</i> : cellText(cell)}
                    </Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollRegion>
      )}
      {shown < rows.length ? (
        <div>
          <Button size="xs" variant="default" onClick={() => setShown(shown + STEP)}>
            {texts.more(number(Math.min(STEP, rows.length - shown)), number(rows.length - shown))}
          </Button>
        </div>
      ) : null}
    </Stack>
  );
}

function cellText(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  return typeof cell === 'string' ? cell : JSON.stringify(cell);
}
