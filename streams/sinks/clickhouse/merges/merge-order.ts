import type { PendingMerge } from '../../../../clickhouse-schema/rows/moved-rows.ts';
import { quoteString } from '../../../../clickhouse-schema/quoting.ts';
import type { PlayerPlace } from '../../../../clickhouse-schema/rows/placed-rows.ts';

/*
 * Merges, take-backs and erasures of one player are applied in the order of the log; those of other players wait for
 * nothing.
 */

type LogPlace = Pick<PlayerPlace, 'createdMs' | 'sequence' | 'index'>;

/** What is known of a merge or an erasure that is not finished: its place, and its players. */
export interface Unfinished extends LogPlace {
  players: readonly string[];
}

/**
 * The merges that may be applied together now: no earlier unfinished one concerns their players, all are of one kind
 * and one FACTS, no guest is in two of them, and no guest is an account.
 * @param pending in the order of the log
 */
export function appliedTogether(
  pending: readonly PendingMerge[],
  erasures: readonly Unfinished[],
  { most, nameBytes }: { most: number; nameBytes: number },
): PendingMerge[] {
  const taken: PendingMerge[] = [];
  /** The guests that are taken, and all players of merges that are not. */
  const closed = new Set<string>();
  const accounts = new Set<string>();
  let bytes = 0;
  for (const merge of pending) {
    const [first] = taken;
    const size = sizeOfNames(merge);
    const isAlike = first === undefined || (first.isUndone === merge.isUndone && first.createdMs === merge.createdMs);
    const isFree = !closed.has(merge.playerId) && !accounts.has(merge.playerId) && !closed.has(merge.into.playerId);
    const fits = taken.length < most && (first === undefined || bytes + size <= nameBytes);
    if (isAlike && isFree && fits && !waitsFor(erasures, merge, playersOf(merge))) {
      taken.push(merge);
      bytes += size;
      closed.add(merge.playerId);
      accounts.add(merge.into.playerId);
    } else for (const player of playersOf(merge)) closed.add(player);
  }
  return taken;
}

/** Whether an unfinished one with one of these players stands before a place. */
export function waitsFor(unfinished: readonly Unfinished[], place: LogPlace, players: readonly string[]): boolean {
  return unfinished.some((one) => isBefore(one, place) && one.players.some((player) => players.includes(player)));
}

/** External ids stand in the text of statements, quoted. */
const sizeOfNames = ({ externalId, into }: PendingMerge): number =>
  Math.max(...[externalId, into.externalId].map((name) => Buffer.byteLength(quoteString(name))));

export const playersOf = ({ playerId, into }: PendingMerge): string[] => [playerId, into.playerId];

export function isBefore(one: LogPlace, other: LogPlace): boolean {
  if (one.createdMs !== other.createdMs) return one.createdMs < other.createdMs;
  return one.sequence < other.sequence || (one.sequence === other.sequence && one.index < other.index);
}
