import type { decodeCommit } from '../../../../core/codec/codec.ts';
import type { AuditedName } from '../compare/audited-tables.ts';
import type { Cell } from './cells.ts';

/* Rows as they are compared. */

export type Fact = ReturnType<typeof decodeCommit>['facts'][number];
/** A row that a table must have, as a fact or score says it. */
export interface ExpectedRow {
  table: AuditedName;
  sequence: number;
  index: number;
  /** The player or device that it belongs to. */
  owner: string;
  /** Whether a merge of its owner leaves it as it is. */
  staysOnMerge?: true;
  /** Further players, with any of whom it is deleted. */
  named?: readonly string[];
  /** In the order of the table's columns. */
  cells: readonly Cell[];
}

export type RowOf = (table: AuditedName, cells: readonly Cell[], place?: number) => ExpectedRow;
export type Of<K extends Fact['kind']> = Extract<Fact, { kind: K }>;
