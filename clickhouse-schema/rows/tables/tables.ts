import type { FactWithoutRows } from '../../../core/vocabulary/facts/facts.ts';
import { CAMPAIGN_TABLES } from './campaign-tables.ts';
import { ERASURE_TABLES } from './erasure-tables.ts';
import { EVENT_TABLES } from './event-tables.ts';
import { FLAG_TABLES } from './flag-tables.ts';
import { MERGE_TABLES } from './merge-tables.ts';
import { PLAY_TABLES } from './play-tables.ts';
import { STATE_TABLES } from './player-tables.ts';
import { RECORD_TABLES } from './record-tables.ts';
import { SEGMENT_TABLES } from './segment-tables.ts';
import type { FactTable, Placing, Table } from './table.ts';

/*
 * All tables that a sink writes, in write order of a batch's blocks. A new table needs its SQL and its declaration in
 * the file of its subject.
 */

const FACT_TABLES = {
  ...EVENT_TABLES,
  ...STATE_TABLES,
  ...SEGMENT_TABLES,
  ...PLAY_TABLES,
  ...FLAG_TABLES,
  ...CAMPAIGN_TABLES,
  ...MERGE_TABLES,
  ...ERASURE_TABLES,
};
type FactTables = typeof FACT_TABLES;
type RecordedKind = FactTables[keyof FactTables]['facts'][number];
const ALL_TABLES = { ...FACT_TABLES, ...RECORD_TABLES };

type AllTables = typeof ALL_TABLES;
export type TableName = keyof AllTables;
/** Tables whose rows belong to players and are deleted with them. */
export type PlayerTable = { [T in TableName]: AllTables[T]['placing'] extends Placing ? T : never }[TableName];

export const TABLES: { readonly [T in TableName]: Table<AllTables[T]['placing']> } = ALL_TABLES;

export const TABLE_NAMES: readonly TableName[] = namesOf(ALL_TABLES);

/** Whether a table's rows belong to players and are deleted with them. */
export function isPlayerTable(table: TableName): table is PlayerTable {
  return TABLES[table].placing !== null;
}

/** The column with the position of a table's rows in their stream. It identifies the rows of a batch. */
export function sequenceColumn(table: TableName): string {
  return TABLES[table].columns.includes('records_sequence') ? 'records_sequence' : 'facts_sequence';
}

/** Rows of a missing kind of fact do not compile: each kind needs a table or a declaration that it has none. */
type KnownKind = RecordedKind | FactWithoutRows['kind'];

/** The tables with rows of a kind of fact. The next snapshot contains the changes of the other kinds. */
export const TABLES_OF_FACT = tablesOfFact();

function tablesOfFact(): ReadonlyMap<KnownKind, readonly (readonly [TableName, FactTable])[]> {
  const tables = new Map<KnownKind, [TableName, FactTable][]>();
  for (const name of namesOf(FACT_TABLES)) {
    for (const kind of FACT_TABLES[name].facts) {
      tables.set(kind, [...(tables.get(kind) ?? []), [name, FACT_TABLES[name]]]);
    }
  }
  return tables;
}

function namesOf<T extends object>(tables: T): (keyof T & string)[] {
  return Object.keys(tables).filter((name): name is keyof T & string => name in tables);
}
