import type { Fact } from '../../../core/vocabulary/facts/facts.ts';
import type { ExtractedOf } from '../../extracted-properties.ts';
import type { ColumnRun } from '../column-writers.ts';
import { storable, type Column, type ColumnType, type Value } from '../column-types.ts';

/** The position of a fact in the log. */
export interface FactOrigin {
  /** The creation of FACTS, in the broker's spelling. */
  stream: string;
  /** The record's sequence. */
  sequence: number;
  /** The fact's index in its record. */
  index: number;
  partition: number;
  /** The properties with columns of their own. Absent: none. */
  extractedOf?: ExtractedOf | undefined;
}

/**
 * How a player's rows identify their fact. `facts`: by `facts_sequence` and `facts_index` in the FACTS of their time.
 * The others have a `version`: the creation of FACTS, the record's sequence and, for `memberships`, the fact's index.
 */
export type Placing = 'facts' | 'snapshots' | 'memberships';

/**
 * What becomes of a guest's rows when it is merged into an account, which `merged_from` of the moved rows names.
 * `update`: they get the account's id in place. `copy`: the id is in the table's sorting key, which cannot be updated;
 * so they are copied, and deleted. `drop`: they are deleted; rows of states come from the account's own facts. `keep`:
 * they stay.
 */
export type OnMerge = 'update' | 'copy' | 'drop' | 'keep';
/** Every table with rows of players says it. */
type OnMergeOf<P extends Placing | null> = P extends Placing ? OnMerge : null;

/** The properties of a table that the writer, the eraser, the mover and the export use. */
export interface Table<P extends Placing | null = Placing | null> {
  /** In write order. */
  readonly columns: readonly string[];
  /** The type of each column. */
  readonly types: readonly ColumnType[];
  /** `null`: no rows of an erased player are deleted by player. */
  readonly placing: P;
  readonly onMerge: OnMerge | null;
  /** Whether only the newest row of a key is kept. A row written twice then exists once, and rows cannot be counted. */
  readonly replacing: boolean;
}

/** The values of one row in column order, and its `received_at` in epoch milliseconds. */
export type Values = readonly [values: Value[], receivedMs: number];

/** A table with rows made from facts. */
export interface FactTable<
  P extends Placing | null = Placing | null,
  K extends Fact['kind'] = Fact['kind'],
> extends Table<P> {
  readonly facts: readonly K[];
  /** The rows of a fact at once, if it holds them encoded and all are in one month; `undefined`: see `eachRow`. */
  runOf(fact: Fact, origin: FactOrigin): RowRun | undefined;
  /** Calls `take` with each row of a fact. */
  eachRow(fact: Fact, origin: FactOrigin, take: (values: readonly Value[], receivedMs: number) => void): void;
}

/** Rows of one table that a fact holds encoded. */
export interface RowRun {
  rows: number;
  /** For each column. */
  columns: readonly ColumnRun[];
  /** Bounds of the rows' `received_at`, epoch milliseconds. */
  receivedFromMs: number;
  receivedToMs: number;
}

/** The columns of a run by name. */
export type NamedRun = Omit<RowRun, 'columns'> & { columns: Readonly<Record<string, ColumnRun>> };

type FactsByKind = { [F in Fact as F['kind']]: F };

/**
 * Declares a table of facts.
 * @param facts the kinds of facts with rows in this table
 * @param sources returns the sources of a fact's rows, one per row
 * @param declaration.columns each column with its value, in write order: only append
 */
export function factTable<K extends Fact['kind'], S>(
  facts: readonly K[],
  sources: (fact: FactsByKind[K], origin: FactOrigin) => readonly S[],
) {
  return <const P extends Placing | null>(declaration: {
    placing: P;
    onMerge: OnMergeOf<P>;
    replacing?: true;
    receivedMs: (source: S) => number;
    columns: Readonly<Record<string, Column<[source: S, origin: FactOrigin]>>>;
    runOf?: (fact: FactsByKind[K], origin: FactOrigin) => NamedRun | undefined;
  }): FactTable<P, K> => {
    const { placing, onMerge, replacing = false, receivedMs, columns, runOf } = declaration;
    const kinds: readonly string[] = facts;
    const isSource = (fact: Fact): fact is FactsByKind[K] => kinds.includes(fact.kind);
    const types = Object.values(columns);
    const names = Object.keys(columns);
    return {
      facts,
      columns: names,
      types,
      placing,
      onMerge,
      replacing,
      runOf(fact, origin) {
        const run = runOf !== undefined && isSource(fact) ? runOf(fact, origin) : undefined;
        return run && { ...run, columns: names.map((name) => run.columns[name] ?? NOTHING) };
      },
      eachRow(fact, origin, take) {
        if (!isSource(fact)) return;
        for (const source of sources(fact, origin)) {
          const row: Value[] = [];
          for (const column of types) row.push(column.valueOf(source, origin));
          take(row, storable(receivedMs(source)));
        }
      },
    };
  };
}

const NOTHING: ColumnRun = { value: undefined };

/** The position of a message in RECORDS. */
export interface RecordOrigin {
  /** The message's sequence. */
  sequence: number;
  /** When the broker stored it, epoch milliseconds. */
  storedAtMs: number;
}

/** A table with rows made from the items of messages in RECORDS. */
export interface RecordTable<S, P extends Placing | null = Placing | null> extends Table<P> {
  row(source: S, origin: RecordOrigin, index: number): Values;
}

/** Declares a table of RECORDS; `index` is the item's index in its message. */
export function recordTable<S, const P extends Placing | null = null>(declaration: {
  placing: P;
  onMerge: OnMergeOf<P>;
  replacing?: true;
  columns: Readonly<Record<string, Column<[source: S, origin: RecordOrigin, index: number]>>>;
}): RecordTable<S, P> {
  const { placing, onMerge, replacing = false, columns } = declaration;
  const types = Object.values(columns);
  return {
    columns: Object.keys(columns),
    types,
    placing,
    onMerge,
    replacing,
    row: (source, origin, index) => [
      types.map((column) => column.valueOf(source, origin, index)),
      storable(origin.storedAtMs),
    ],
  };
}
