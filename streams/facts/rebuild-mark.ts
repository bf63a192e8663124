/**
 * How far the snapshots of a partition reach: every change up to `coveredTo` is in snapshots that ClickHouse holds, so
 * a rebuild replays FACTS only after it. Stored as JSON in POSITIONS by the ClickHouse sink.
 */
export interface RebuildMark {
  /** When FACTS was created: a mark in another incarnation means nothing. */
  stream: string;
  coveredTo: number;
  /** Up to which record ClickHouse confirmed FACTS when it had these snapshots. Absent in older marks. */
  confirmedTo?: number;
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
  const confirmedTo =
    'confirmedTo' in value && typeof value.confirmedTo === 'number' ? { confirmedTo: value.confirmedTo } : {};
  const players = 'players' in value && typeof value.players === 'number' ? { players: value.players } : {};
  return { stream, coveredTo, ...confirmedTo, ...players };
}
