/**
 * How far the snapshots of a partition reach: every change up to `coveredTo` is in snapshots that ClickHouse holds, so
 * a rebuild replays FACTS only after it. Stored as JSON in POSITIONS by the ClickHouse sink.
 */
export interface RebuildMark {
  /** When FACTS was created: a mark in another incarnation means nothing. */
  stream: string;
  coveredTo: number;
  /** The record up to which ClickHouse held FACTS when it held these snapshots. Absent in marks of an older version. */
  heldTo?: number;
  /**
   * The owner had at least so many players, erased ones included, in snapshots. Absent in marks of an older version:
   * then ledgers may be missing in ClickHouse.
   */
  players?: number;
}

export const rebuildKey = (partition: number): `rebuild.${number}` => `rebuild.${partition}`;

/** Reads a rebuild mark; `undefined` for anything else. */
export function parseRebuildMark(value: unknown): RebuildMark | undefined {
  if (typeof value !== 'object' || value === null || !('stream' in value) || !('coveredTo' in value)) return undefined;
  const { stream, coveredTo } = value;
  if (typeof stream !== 'string' || typeof coveredTo !== 'number') return undefined;
  const heldTo = 'heldTo' in value && typeof value.heldTo === 'number' ? { heldTo: value.heldTo } : {};
  const players = 'players' in value && typeof value.players === 'number' ? { players: value.players } : {};
  return { stream, coveredTo, ...heldTo, ...players };
}
