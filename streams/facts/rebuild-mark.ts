import { isPlainObject } from '../../core/kernel/validation/plain-object.ts';

/**
 * How far the snapshots of a partition reach: every change up to `coveredTo` is in snapshots that ClickHouse holds, so
 * a rebuild replays FACTS only after it. Stored as JSON in POSITIONS by the ClickHouse sink.
 */
export interface RebuildMark {
  /** When FACTS was created: a mark in another incarnation means nothing. */
  stream: string;
  coveredTo: number;
  /** Up to which record ClickHouse confirmed FACTS when it had these snapshots. */
  confirmedTo: number;
  /** The owner had at least so many players, erased ones included, in snapshots. */
  players: number;
}

export const rebuildKey = (partition: number): `rebuild.${number}` => `rebuild.${partition}`;

/** Reads a rebuild mark; `undefined` for anything else. */
export function parseRebuildMark(value: unknown): RebuildMark | undefined {
  if (!isPlainObject(value)) return undefined;
  const { stream, coveredTo, confirmedTo, players } = value;
  const isMark =
    typeof stream === 'string' &&
    typeof coveredTo === 'number' &&
    typeof confirmedTo === 'number' &&
    typeof players === 'number';
  return isMark ? { stream, coveredTo, confirmedTo, players } : undefined;
}
