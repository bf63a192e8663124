import { AUDITED, placeColumns, readingOf, type AuditedName } from './audited-tables.ts';
import type { ClickHouse, Whole } from '../read/clickhouse.ts';
import type { Differences } from './differences.ts';
import type { Erasures } from '../read/erasures.ts';
import type { Cell } from '../read/cells.ts';
import type { ExpectedRow } from '../read/fact-rows.ts';
import type { Merges } from '../read/merges.ts';

/**
 * Compares expected rows with those of ClickHouse: each must be there once, with every value, and between them no
 * other row.
 *
 * Invariant: at most `ROWS_HELD` expected rows are held, of all tables together. Rows of a range of records are
 * compared once all of them are known; each table has its own ranges, so that a small one is read once.
 */
export interface RowComparison {
  take(row: ExpectedRow): void;
  /** Call behind each record: compares when enough rows are held. */
  recordEnds(sequence: number): Promise<void>;
  /** Compares all that is held, up to `last`. */
  finish(last: number): Promise<void>;
  /** Records up to `sequence` were trimmed meanwhile: nothing is compared there. */
  skipTo(sequence: number): void;
  /** Rows that were expected and found, by table. */
  readonly compared: ReadonlyMap<AuditedName, number>;
}

export interface RowComparisonOptions {
  clickhouse: ClickHouse;
  erasures: Erasures;
  merges: Merges;
  differences: Differences;
  tables: readonly AuditedName[];
  /** The creation of the stream, epoch milliseconds: rows of an earlier stream have the same sequences. */
  createdMs: number;
  /** The first record that is read. */
  from: number;
  /** Whether a missing row of an owner has a reason that only the caller knows. */
  isExcused?: (row: ExpectedRow) => boolean;
}

/** About 50 MB with the usual sizes of events. */
const ROWS_HELD = 30_000;
/** The sizes of properties that are held. */
const TEXT_HELD = 64 * 1024 ** 2;
/** More rows than these of one range are not read: something filled the table. */
const ROWS_READ = 4 * ROWS_HELD;

type FoundRow = [sequence: Whole, index: number, receivedMs: Whole, created: Whole, ...cells: Cell[]];

export function createRowComparison(options: RowComparisonOptions): RowComparison {
  const { clickhouse, erasures, merges, differences, tables, createdMs } = options;
  const held = new Map(tables.map((table) => [table, [] as ExpectedRow[]]));
  const comparedTo = new Map(tables.map((table) => [table, options.from - 1]));
  const compared = new Map<AuditedName, number>();
  let rows = 0;
  let text = 0;

  async function compare(table: AuditedName, to: number): Promise<void> {
    const expected = held.get(table) ?? [];
    const from = (comparedTo.get(table) ?? 0) + 1;
    held.set(table, []);
    comparedTo.set(table, to);
    rows -= expected.length;
    for (const row of expected) text -= textOf(row);
    if (from > to) return;
    let found = await readRows(clickhouse, table, from, to);
    let outcome = match(expected, found, merges);
    if (outcome.missing.length > 0) {
      // Players may have been merged since the rows were expected.
      await merges.refresh();
      found = await readRows(clickhouse, table, from, to);
      outcome = match(expected, found, merges);
    }
    if (found.length >= ROWS_READ) {
      differences.add('unexplained', `${table}: more than ${ROWS_READ} rows of the records ${from} to ${to}`);
    }
    compared.set(table, (compared.get(table) ?? 0) + expected.length);
    await report(table, outcome);
  }

  async function report(table: AuditedName, { matched, missing, left }: Matched): Promise<void> {
    // Players may have been erased since the rows were expected.
    if (missing.length > 0) await erasures.refresh();
    for (const row of matched) {
      if (fateOf(row, erasures, merges) === 'gone') {
        differences.add('erased', `${table} ${placeOf(row)}: a row of the erased player ${row.owner}`);
      }
    }
    for (const row of missing) {
      const others = left.get(keyOf(row.sequence, row.index));
      const other = others?.shift();
      if (other !== undefined) differences.add('differs', describeDifference(table, row, other));
      else if (fateOf(row, erasures, merges) === 'stays' && options.isExcused?.(row) !== true) {
        differences.add('missing', `${table} ${placeOf(row)}: ${describe(table, row.cells)}`);
      }
    }
    const places = new Set(matched.map((row) => keyOf(row.sequence, row.index)));
    for (const [place, others] of left) {
      for (const [, , receivedMs, created, ...cells] of others) {
        if (Number(created) === 0 ? Number(receivedMs) < createdMs : Number(created) !== createdMs) continue;
        const kind = places.has(place) ? 'doubled' : 'unexplained';
        differences.add(kind, `${table} ${place}: ${describe(table, cells)}`);
      }
    }
  }

  return {
    take(row) {
      held.get(row.table)?.push(row);
      rows += 1;
      text += textOf(row);
    },
    async recordEnds(sequence) {
      while (rows > ROWS_HELD || text > TEXT_HELD) {
        const [largest] = [...held].toSorted(([, one], [, other]) => other.length - one.length);
        if (largest === undefined) return;
        await compare(largest[0], sequence);
      }
    },
    async finish(last) {
      for (const table of tables) await compare(table, last);
    },
    skipTo(sequence) {
      for (const table of tables) comparedTo.set(table, sequence);
    },
    compared,
  };
}

function readRows(clickhouse: ClickHouse, table: AuditedName, from: number, to: number): Promise<FoundRow[]> {
  const declared = AUDITED[table];
  const [sequence, index] = placeColumns(declared);
  const created = declared.hasCreated === true || declared.replacing === true ? 'facts_created' : '0';
  const cells = Object.entries(declared.columns).map(([column, reading]) => readingOf(column, reading));
  return clickhouse.rows<FoundRow>(
    `SELECT ${sequence}, ${index}, toUnixTimestamp64Milli(received_at), ${created}, ${cells.join(', ')}
      FROM ${table} ${declared.replacing === true ? 'FINAL' : ''}
      WHERE ${sequence} >= {from: UInt64} AND ${sequence} <= {to: UInt64} LIMIT ${ROWS_READ}`,
    { from, to },
  );
}

interface Matched {
  /** Expected rows that are there. */
  matched: ExpectedRow[];
  missing: ExpectedRow[];
  /** Rows that no expected one equals, by place. */
  left: Map<string, FoundRow[]>;
}

function match(expected: readonly ExpectedRow[], found: readonly FoundRow[], merges: Merges): Matched {
  const left = new Map<string, FoundRow[]>();
  for (const row of found) {
    const place = keyOf(row[0], row[1]);
    const same = left.get(place);
    if (same === undefined) left.set(place, [row]);
    else same.push(row);
  }
  const matched: ExpectedRow[] = [];
  const missing: ExpectedRow[] = [];
  for (const row of expected) {
    const place = keyOf(row.sequence, row.index);
    const candidates = left.get(place) ?? [];
    const wanted = cellsOfOwners(row, merges);
    const at = candidates.findIndex(([, , , , ...cells]) =>
      wanted.some((one) => one.every((cell, n) => isSame(cell, cells[n]))),
    );
    if (at < 0) {
      missing.push(row);
      continue;
    }
    candidates.splice(at, 1);
    if (candidates.length === 0) left.delete(place);
    matched.push(row);
  }
  return { matched, missing, left };
}

/** A row as it is after the merges of its player; while one goes on also as it was before. */
function cellsOfOwners(row: ExpectedRow, merges: Merges): (readonly Cell[])[] {
  const owners = merges.ownersOf(row.owner, row);
  if (owners.length === 1 || row.staysOnMerge === true) return [row.cells];
  const columns = Object.keys(AUDITED[row.table].columns);
  const all = owners.map(({ player, externalId }) =>
    row.cells.map((cell, n) => {
      if (columns[n] === 'player_id') return player;
      return columns[n] === 'external_id' ? (externalId ?? cell) : cell;
    }),
  );
  return merges.isMoved(row.owner, row) ? all.slice(-1) : all;
}

/** Some servers write whole numbers of 64 bits as text. */
function isSame(expected: Cell, found: Cell | undefined): boolean {
  if (expected === found) return true;
  if (typeof expected === 'number' && typeof found === 'string') return Number(found) === expected;
  return typeof expected === 'object' && JSON.stringify(expected) === JSON.stringify(found);
}

function describeDifference(table: AuditedName, row: ExpectedRow, [, , , , ...cells]: FoundRow): string {
  const columns = Object.keys(AUDITED[table].columns);
  const faults = row.cells.flatMap((cell, n) =>
    isSame(cell, cells[n]) ? [] : [`${columns[n]} is ${shown(cells[n])}, the log says ${shown(cell)}`],
  );
  return `${table} ${placeOf(row)} of ${row.owner}: ${faults.join('; ')}`;
}

function describe(table: AuditedName, cells: readonly Cell[]): string {
  const columns = Object.keys(AUDITED[table].columns);
  return cells.map((cell, n) => `${columns[n]} ${shown(cell)}`).join(', ');
}

const LONGEST_SHOWN = 100;

function shown(cell: Cell | undefined): string {
  const text = JSON.stringify(cell) ?? 'nothing';
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

const keyOf = (sequence: Whole, index: number): string => `${sequence}/${index}`;
const placeOf = ({ sequence, index }: ExpectedRow): string => keyOf(sequence, index);

function textOf({ cells }: ExpectedRow): number {
  let length = 0;
  for (const cell of cells) if (typeof cell === 'string') length += cell.length;
  return length;
}

/** The fate of a row that is deleted with any of its players. */
function fateOf(row: ExpectedRow, erasures: Erasures, merges: Merges): 'gone' | 'either' | 'stays' {
  const { owner, named = [], sequence, index } = row;
  const fates = [
    ...merges.ownersOf(owner, row).map((one) => erasures.fateOf(one.player, one.sequence, one.index)),
    ...named.map((player) => erasures.fateOf(player, sequence, index)),
  ];
  return fates.find((fate) => fate === 'gone') ?? fates.find((fate) => fate === 'either') ?? 'stays';
}
