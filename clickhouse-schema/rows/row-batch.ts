import { rowsOf, type TableRow } from './rows.ts';
import { TABLE_NAMES, type TableName } from './tables.ts';
import { createTabSeparated, type TabSeparated } from './tab-separated.ts';
import type { CommitRecord } from '../../actors/vocabulary/commit-record.ts';
import type { FactOrigin } from './table.ts';

/** One insert: rows of one table and one month of `received_at`, so that the engine writes one part atomically. */
export interface RowBlock {
  table: TableName;
  rows: number;
  /** TabSeparated, columns as in `TABLES`. Valid until the batch is cleared. */
  bytes: Uint8Array;
  /** Bounds of the rows' `received_at`, epoch milliseconds. */
  receivedFromMs: number;
  receivedToMs: number;
}

/** Rows collected for one insert per table and month, already in ClickHouse's text format. */
export interface RowBatch {
  /** Adds the rows of a record of FACTS. */
  add(record: CommitRecord, place: Pick<FactOrigin, 'stream' | 'sequence'>): void;
  /** Adds other rows. */
  addRows(rows: readonly TableRow[]): void;
  /** The number of rows, over all tables. */
  readonly rows: number;
  /** The blocks of every table and month with rows, in a fixed order. */
  blocks(): RowBlock[];
  /** Empties the batch. Blocks returned earlier become invalid. */
  clear(): void;
}

interface Lines {
  month: number;
  text: TabSeparated;
  rows: number;
  receivedFromMs: number;
  receivedToMs: number;
}

/** An empty batch. */
export function createRowBatch(): RowBatch {
  const held = new Map<TableName, Lines[]>(TABLE_NAMES.map((table) => [table, []]));
  /** Memory reused from the previous batch. */
  const spare: Partial<Record<TableName, TabSeparated | undefined>> = {};
  let rows = 0;

  function linesOf(table: TableName, receivedMs: number): Lines {
    const month = monthOf(receivedMs);
    const lines = held.get(table) ?? [];
    const found = lines.find((one) => one.month === month);
    if (found !== undefined) return found;
    const text = spare[table] ?? createTabSeparated();
    spare[table] = undefined;
    const fresh = { month, text, rows: 0, receivedFromMs: receivedMs, receivedToMs: receivedMs };
    lines.push(fresh);
    return fresh;
  }

  function addRows(added: readonly TableRow[]): void {
    for (const [table, values, receivedMs] of added) {
      const to = linesOf(table, receivedMs);
      to.text.add(values);
      to.rows += 1;
      to.receivedFromMs = Math.min(to.receivedFromMs, receivedMs);
      to.receivedToMs = Math.max(to.receivedToMs, receivedMs);
      rows += 1;
    }
  }

  return {
    add(record, { stream, sequence }) {
      record.facts.forEach((fact, index) => {
        addRows(rowsOf(fact, { stream, sequence, index, partition: record.partition }));
      });
    },
    addRows,
    get rows() {
      return rows;
    },
    blocks: () =>
      TABLE_NAMES.flatMap((table) =>
        (held.get(table) ?? []).map(({ text, rows: count, receivedFromMs, receivedToMs }) => ({
          table,
          rows: count,
          bytes: text.bytes(),
          receivedFromMs,
          receivedToMs,
        })),
      ),
    clear() {
      for (const [table, lines] of held) {
        const [first] = lines.splice(0);
        first?.text.clear();
        spare[table] = first?.text ?? spare[table];
      }
      rows = 0;
    },
  };
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
