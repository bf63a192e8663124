import { Button, Group, Table, Text, UnstyledButton } from '@mantine/core';
import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { TEXTS } from '../../texts.ts';
import { Empty } from '../states.tsx';
import { number } from './values.tsx';
import { ScrollRegion } from '../scroll-region.tsx';

const texts = TEXTS.table;
/** Rows that are drawn at once; more follow on demand. */
const ROWS = 50;

export interface Column<T> {
  /** Unique in the table; it may stand in the address as the order. */
  id: string;
  label: string;
  cell: (row: T) => ReactNode;
  /** What the rows are ordered by; without it the column cannot order them. */
  sortBy?: (row: T) => string | number | null | undefined;
  align?: 'right';
}

/** The order of the rows: a column, with `-` before it the other way round. */
export type Order = string;

interface DataTableProps<T> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string;
  /** The order, if the screen keeps it, for example in its address. */
  order?: Order;
  onOrder?: (order: Order) => void;
  /** More rows at the service, by cursor. */
  more?: { isThere: boolean; isLoading: boolean; load: () => void };
  /** What is shown without rows. */
  empty?: ReactNode;
}

/** A table whose columns order it and whose rows one reaches with the arrow keys. */
export function DataTable<T>({ label, columns, rows, keyOf, order, onOrder, more, empty }: DataTableProps<T>) {
  const [ownOrder, setOwnOrder] = useState<Order>('');
  const [limit, setLimit] = useState(ROWS);
  const current = order ?? ownOrder;
  const setOrder = onOrder ?? setOwnOrder;
  if (rows.length === 0 && more?.isThere !== true) return <>{empty ?? <Empty title={texts.noMatch} />}</>;
  const sorted = inOrder(rows, columns, current);
  const shown = sorted.slice(0, limit);
  const isMore = shown.length < sorted.length || more?.isThere === true;
  return (
    <>
      <ScrollRegion label={label}>
        <Table aria-label={label} highlightOnHover verticalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column.id} ta={column.align} aria-sort={sortState(column, current)}>
                  {column.sortBy === undefined ? (
                    column.label
                  ) : (
                    <UnstyledButton
                      fz="inherit"
                      fw="inherit"
                      style={{ whiteSpace: 'nowrap' }}
                      title={texts.sortBy(column.label)}
                      onClick={() => setOrder(current === column.id ? `-${column.id}` : column.id)}
                    >
                      {column.label} <span aria-hidden="true">{arrow(column, current)}</span>
                    </UnstyledButton>
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody onKeyDown={moveBetweenRows}>
            {shown.map((row) => (
              <Table.Tr key={keyOf(row)}>
                {columns.map((column) => (
                  <Table.Td key={column.id} ta={column.align}>
                    {column.cell(row)}
                  </Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollRegion>
      {isMore ? (
        <Group>
          <Button
            variant="default"
            size="xs"
            loading={more?.isLoading === true}
            onClick={() => {
              if (shown.length < sorted.length) setLimit(limit + ROWS);
              else more?.load();
            }}
          >
            {TEXTS.more}
          </Button>
          <Text size="sm" c="dimmed">
            {texts.shown(number(shown.length), `${number(sorted.length)}${more?.isThere === true ? '+' : ''}`)}
          </Text>
        </Group>
      ) : null}
    </>
  );
}

function inOrder<T>(rows: readonly T[], columns: readonly Column<T>[], order: Order): readonly T[] {
  const column = columns.find(({ id }) => id === (order.startsWith('-') ? order.slice(1) : order));
  const sortBy = column?.sortBy;
  if (sortBy === undefined) return rows;
  const direction = order.startsWith('-') ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [one, other] = [sortBy(a), sortBy(b)];
    // What has no value comes last both ways.
    if (one === null || one === undefined) return other === null || other === undefined ? 0 : 1;
    if (other === null || other === undefined) return -1;
    if (typeof one === 'string' || typeof other === 'string') {
      return direction * String(one).localeCompare(String(other), 'en');
    }
    return direction * (one - other);
  });
}

function sortState<T>(column: Column<T>, order: Order): 'ascending' | 'descending' | undefined {
  if (order === column.id) return 'ascending';
  return order === `-${column.id}` ? 'descending' : undefined;
}

function arrow<T>(column: Column<T>, order: Order): string {
  if (order === column.id) return '↑';
  return order === `-${column.id}` ? '↓' : '↕';
}

/** The arrow keys, Home and End move the focus between the first links or buttons of the rows. */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  if (!(event.target instanceof Element) || event.target.closest('input, textarea, select') !== null) return;
  const rows = [...event.currentTarget.children];
  const place = rows.findIndex((row) => row.contains(document.activeElement));
  const next = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: rows.length - 1 }[event.key];
  if (next === undefined) return;
  const target = rows[next]?.querySelector<HTMLElement>('a, button');
  if (target === null || target === undefined) return;
  event.preventDefault();
  target.focus();
}
