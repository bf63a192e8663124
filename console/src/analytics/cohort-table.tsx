import { Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { ScrollRegion } from '../parts/scroll-region.tsx';
import { number } from '../parts/lists/values.tsx';
import { TEXTS } from '../texts.ts';
import { Figure, type Picked } from './players/figure.tsx';
import { keyText } from './result-table.ts';

const texts = TEXTS.analytics;

interface Cohort {
  key: string | null;
  day: string;
  players: number;
  /** Figures by day or interval; null: it is not over. */
  cells: readonly { column: string; value: number | null; text: string; title: string; picked?: Picked | undefined }[];
  /** The figure of all players of the row. */
  picked?: Picked | undefined;
}

interface CohortTableProps {
  label: string;
  /** What the first column and the row of all rows are called. */
  first?: string;
  total?: string;
  cohorts: readonly Cohort[];
  /** The last row: figures over all cohorts that are old enough. */
  summary: readonly string[];
  /** The value that gets the full colour. */
  most: number;
}

/** Cohorts by day as a heat map: a table whose cells have a colour as strong as their value, which they also show. */
export function CohortTable({
  label,
  first = texts.columns.cohort,
  total = texts.average,
  cohorts,
  summary,
  most,
}: CohortTableProps) {
  const isSplit = cohorts.some(({ key }) => key !== null);
  const columns = cohorts[0]?.cells ?? [];
  return (
    <ScrollRegion label={label} className="heat-scroll">
      <Table className="heat" verticalSpacing={4} horizontalSpacing="xs" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{first}</Table.Th>
            {isSplit ? <Table.Th>{texts.columns.group}</Table.Th> : null}
            <Table.Th ta="right">{texts.columns.players}</Table.Th>
            {columns.map(({ column }) => (
              <Table.Th key={column} ta="right">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          <Table.Tr>
            <Table.Th scope="row" colSpan={isSplit ? 2 : 1}>
              {total}
            </Table.Th>
            <Table.Td ta="right">{number(cohorts.reduce((sum, { players }) => sum + players, 0))}</Table.Td>
            {summary.map((text, place) => (
              <Table.Td key={columns[place]?.column} ta="right" fw={600}>
                {text}
              </Table.Td>
            ))}
          </Table.Tr>
          {cohorts.map(({ key, day, players, cells, picked }) => (
            <Table.Tr key={`${day} ${key ?? ''}`}>
              <Table.Th scope="row" fw={400}>
                {day}
              </Table.Th>
              {isSplit ? <Table.Td>{keyText(key, '')}</Table.Td> : null}
              <Table.Td ta="right">
                <MaybeFigure value={players} picked={picked}>
                  {number(players)}
                </MaybeFigure>
              </Table.Td>
              {cells.map((cell) => (
                <Table.Td key={cell.column} ta="right" title={cell.title} style={shade(cell.value, most)}>
                  {cell.value === null ? (
                    <VisuallyHidden>{texts.notOver}</VisuallyHidden>
                  ) : (
                    <MaybeFigure value={cell.value} picked={cell.picked}>
                      {cell.text}
                    </MaybeFigure>
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollRegion>
  );
}

function MaybeFigure({ value, picked, children }: { value: number; picked: Picked | undefined; children: ReactNode }) {
  return picked === undefined ? (
    children
  ) : (
    <Figure value={value} {...picked}>
      {children}
    </Figure>
  );
}

/** At most 45 %, so that the text keeps its contrast in both schemes. */
function shade(value: number | null, most: number): { backgroundColor?: string } {
  if (value === null || value <= 0 || most <= 0) return {};
  const percent = Math.min(45, Math.max(4, Math.round((value / most) * 45)));
  return { backgroundColor: `color-mix(in srgb, var(--mantine-color-blue-6) ${percent}%, transparent)` };
}
