import type { Fact } from '../../core/vocabulary/facts/facts.ts';
import { rowsOf } from './rows.ts';
import { TABLES } from './tables/tables.ts';
import type { FactOrigin } from './tables/table.ts';
import type { Value } from './column-types.ts';

/** The rows of a fact as objects by column name. */
export function namedRowsOf(fact: Fact, origin: FactOrigin): [table: string, Record<string, Value>, number][] {
  return rowsOf(fact, origin).map(([table, values, receivedMs]) => [
    table,
    Object.fromEntries(TABLES[table].columns.map((column, index) => [column, values[index]])),
    receivedMs,
  ]);
}
