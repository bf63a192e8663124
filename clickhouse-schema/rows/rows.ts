import type { Fact } from '../../core/vocabulary/facts/facts.ts';
import { TABLES_OF_FACT, type TableName } from './tables/tables.ts';
import type { FactOrigin } from './tables/table.ts';
import type { Value } from './column-types.ts';

/** A row of a table: values in column order. */
export type TableRow = readonly [table: TableName, values: readonly Value[], receivedMs: number];

/** The rows of one fact. */
export function rowsOf(fact: Fact, origin: FactOrigin): TableRow[] {
  const rows: TableRow[] = [];
  for (const [name, table] of TABLES_OF_FACT.get(fact.kind) ?? []) {
    table.eachRow(fact, origin, (values, receivedMs) => rows.push([name, values, receivedMs]));
  }
  return rows;
}
