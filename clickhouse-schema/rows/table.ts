import type { Fact } from '../../actors/vocabulary/facts.ts';
import { storable } from './column-values.ts';
import type { Value } from './tab-separated.ts';

/** Where a fact stands in the log. */
export interface FactOrigin {
  /** FACTS' creation, as the broker spells it. */
  stream: string;
  /** The record's sequence. */
  sequence: number;
  /** The fact's index in its record. */
  index: number;
  partition: number;
}

/**
 * How a player's rows say which fact they come from. `facts`: by `facts_sequence` and `facts_index`, of the FACTS of their time.
 * The others have a `version`: FACTS' creation, the record's sequence and, for `memberships`, the fact's index.
 */
export type Placing = 'facts' | 'snapshots' | 'memberships';

/** What the writer, the eraser and the export need of any table. */
export interface Table<P extends Placing | null = Placing | null> {
  /** In the order in which values are written. */
  readonly columns: readonly string[];
  /** `null`: an erased player's rows are not deleted by player. */
  readonly placing: P;
  /** Whether only the newest row of a kind is kept: a row written twice is there once, and rows cannot be counted. */
  readonly replacing: boolean;
}

/** The values of one row, in the order of the columns, and its `received_at` in epoch milliseconds. */
export type Values = readonly [values: Value[], receivedMs: number];

/** A table whose rows are made of facts. */
export interface FactTable<
  P extends Placing | null = Placing | null,
  K extends Fact['kind'] = Fact['kind'],
> extends Table<P> {
  readonly facts: readonly K[];
  /** Calls `take` with each row of a fact. */
  eachRow(fact: Fact, origin: FactOrigin, take: (values: readonly Value[], receivedMs: number) => void): void;
}

type FactsByKind = { [F in Fact as F['kind']]: F };

/**
 * Declares a table of facts.
 * @param facts the kinds of facts that have rows in it
 * @param sources what the rows of a fact are made of, one each
 * @param declaration.columns each column with its value, in the order in which they are written: only append
 */
export function factTable<K extends Fact['kind'], S>(
  facts: readonly K[],
  sources: (fact: FactsByKind[K], origin: FactOrigin) => readonly S[],
) {
  return <const P extends Placing | null>(declaration: {
    placing: P;
    replacing?: true;
    receivedMs: (source: S) => number;
    columns: Readonly<Record<string, (source: S, origin: FactOrigin) => Value>>;
  }): FactTable<P, K> => {
    const { placing, replacing = false, receivedMs, columns } = declaration;
    const kinds: readonly string[] = facts;
    const isSource = (fact: Fact): fact is FactsByKind[K] => kinds.includes(fact.kind);
    const values = Object.values(columns);
    return {
      facts,
      columns: Object.keys(columns),
      placing,
      replacing,
      eachRow(fact, origin, take) {
        if (!isSource(fact)) return;
        for (const source of sources(fact, origin)) {
          const row: Value[] = [];
          for (const valueOf of values) row.push(valueOf(source, origin));
          take(row, storable(receivedMs(source)));
        }
      },
    };
  };
}

/** Where a message stands in RECORDS. */
export interface RecordOrigin {
  /** The message's sequence. */
  sequence: number;
  /** When the broker stored it, epoch milliseconds. */
  storedAtMs: number;
}

/** A table whose rows are made of the items of messages in RECORDS. */
export interface RecordTable<S, P extends Placing | null = Placing | null> extends Table<P> {
  row(source: S, origin: RecordOrigin, index: number): Values;
}

/** Declares a table of RECORDS; `index` is the item's in its message. */
export function recordTable<S, const P extends Placing | null = null>(declaration: {
  placing: P;
  replacing?: true;
  columns: Readonly<Record<string, (source: S, origin: RecordOrigin, index: number) => Value>>;
}): RecordTable<S, P> {
  const { placing, replacing = false, columns } = declaration;
  const values = Object.values(columns);
  return {
    columns: Object.keys(columns),
    placing,
    replacing,
    row: (source, origin, index) => [
      values.map((valueOf) => valueOf(source, origin, index)),
      storable(origin.storedAtMs),
    ],
  };
}
