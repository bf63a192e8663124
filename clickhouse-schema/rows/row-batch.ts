import { rowsOf, type TableRow } from './rows.ts';
import { TABLE_NAMES, TABLES, TABLES_OF_FACT, type TableName } from './tables/tables.ts';
import { createNativeBlock, type BlockColumn, type NativeBlock } from './native-block.ts';
import type { CommitRecord } from '../../core/vocabulary/facts/commit-record.ts';
import type { Fact } from '../../core/vocabulary/facts/facts.ts';
import type { FactOrigin, RowRun } from './tables/table.ts';

/** One insert: rows of one table and one month of `received_at`, so that the engine writes one part atomically. */
export interface RowBlock {
  table: TableName;
  rows: number;
  /** One block in ClickHouse's Native format, columns as in `TABLES`. Valid until the batch changes. */
  bytes: Uint8Array;
  /** Bounds of the rows' `received_at`, epoch milliseconds. */
  receivedFromMs: number;
  receivedToMs: number;
}

/** Rows collected for one insert per table and month, already in the columns of ClickHouse's format. */
export interface RowBatch {
  /** Adds the rows of a record of FACTS. */
  add(record: CommitRecord, place: Pick<FactOrigin, 'stream' | 'sequence' | 'extractedOf'>): void;
  /** Adds other rows. */
  addRows(rows: readonly TableRow[]): void;
  /** The number of rows, over all tables. */
  readonly rows: number;
  /** The blocks of every table and month with rows, in a fixed order. */
  blocks(): RowBlock[];
  /** Empties the batch. Blocks returned earlier become invalid. */
  clear(): void;
}

interface MonthBlock {
  month: number;
  block: NativeBlock;
  rows: number;
  receivedFromMs: number;
  receivedToMs: number;
}

/** An empty batch. */
export function createRowBatch(): RowBatch {
  const held = new Map<TableName, MonthBlock[]>(TABLE_NAMES.map((table) => [table, []]));
  /** Memory reused from the previous batch. */
  const spare: Partial<Record<TableName, NativeBlock | undefined>> = {};
  let rows = 0;

  function blockOf(table: TableName, receivedMs: number): MonthBlock {
    const month = monthOf(receivedMs);
    const months = held.get(table) ?? [];
    const found = months.find((one) => one.month === month);
    if (found !== undefined) return found;
    const block = spare[table] ?? createNativeBlock(blockColumns(table));
    spare[table] = undefined;
    const fresh = { month, block, rows: 0, receivedFromMs: receivedMs, receivedToMs: receivedMs };
    months.push(fresh);
    return fresh;
  }

  function addRows(added: readonly TableRow[]): void {
    for (const [table, values, receivedMs] of added) {
      const to = blockOf(table, receivedMs);
      to.block.add(values);
      to.rows += 1;
      to.receivedFromMs = Math.min(to.receivedFromMs, receivedMs);
      to.receivedToMs = Math.max(to.receivedToMs, receivedMs);
      rows += 1;
    }
  }

  function addRun(table: TableName, run: RowRun): void {
    const { receivedFromMs, receivedToMs } = run;
    const to = blockOf(table, receivedFromMs);
    to.block.addRun(run.columns, run.rows);
    to.rows += run.rows;
    to.receivedFromMs = Math.min(to.receivedFromMs, receivedFromMs);
    to.receivedToMs = Math.max(to.receivedToMs, receivedToMs);
    rows += run.rows;
  }

  /** Whether the fact's rows were added at once. */
  function addRuns(fact: Fact, origin: FactOrigin): boolean {
    for (const [name, table] of TABLES_OF_FACT.get(fact.kind) ?? []) {
      const run = table.runOf(fact, origin);
      if (run === undefined || monthOf(run.receivedFromMs) !== monthOf(run.receivedToMs)) return false;
      addRun(name, run);
    }
    return true;
  }

  return {
    add(record, place) {
      record.facts.forEach((fact, index) => {
        const origin = { ...place, index, partition: record.partition };
        // It has rows of one table.
        if (fact.kind === 'EventsImported' && addRuns(fact, origin)) return;
        addRows(rowsOf(fact, origin));
      });
    },
    addRows,
    get rows() {
      return rows;
    },
    blocks: () =>
      TABLE_NAMES.flatMap((table) =>
        (held.get(table) ?? []).map(({ block, rows: count, receivedFromMs, receivedToMs }) => ({
          table,
          rows: count,
          bytes: block.bytes(),
          receivedFromMs,
          receivedToMs,
        })),
      ),
    clear() {
      for (const [table, months] of held) {
        const [first] = months.splice(0);
        first?.block.clear();
        spare[table] = first?.block ?? spare[table];
      }
      rows = 0;
    },
  };
}

/** The columns of a table's blocks. */
function blockColumns(table: TableName): BlockColumn[] {
  const { columns, types } = TABLES[table];
  return columns.flatMap((name, place) => {
    const type = types[place];
    return type === undefined ? [] : [{ name, encoding: type.encoding, nullable: type.nullable }];
  });
}

let month = { fromMs: 0, toMs: 0, number: 0 };

/** The UTC month of a time, as `toYYYYMM` returns it. Caches the last month, because consecutive rows share it. */
function monthOf(epochMs: number): number {
  if (epochMs >= month.fromMs && epochMs < month.toMs) return month.number;
  const date = new Date(epochMs);
  const [year, index] = [date.getUTCFullYear(), date.getUTCMonth()];
  month = { fromMs: Date.UTC(year, index), toMs: Date.UTC(year, index + 1), number: year * 12 + index };
  return month.number;
}
