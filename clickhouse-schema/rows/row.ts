import type { COLUMNS, TableName } from './columns.ts';
import type { Value } from './tab-separated.ts';

/** A row: column → value. A column left out has its default. */
export type Row = Readonly<Record<string, Value>>;

/** A whole row of one table. */
export type RowFor<T extends TableName> = Readonly<Record<(typeof COLUMNS)[T][number], Value>>;

export type TableRow = readonly [table: TableName, row: Row, receivedMs: number];

/** Where a fact stands in the log. */
export interface FactOrigin {
  /** FACTS' creation, as the broker spells it. */
  stream: string;
  /** The record's sequence. */
  sequence: number;
  /** The fact's place in its record. */
  index: number;
  partition: number;
}
