import type { PlayerList } from '../../../core/vocabulary/documents/player-lists.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';
import { goes, loadName, type Kept } from './kept.ts';

type Lists = Pick<PlayerState, 'lists'>;

/** The loads that have either of them. */
export function unitedLists({ lists = [] }: PlayerState, guest: PlayerState): Lists {
  const joined = new Map(lists.map(({ segmentId, loads }) => [segmentId, loads]));
  for (const { segmentId, loads } of guest.lists ?? []) {
    joined.set(segmentId, [...new Set([...(joined.get(segmentId) ?? []), ...loads])]);
  }
  return listed([...joined].map(([segmentId, loads]) => ({ segmentId, loads })));
}

export function separatedLists({ lists = [] }: PlayerState, guest: PlayerState, kept: Kept): Lists {
  const leaves = goes('load', guest, kept);
  const left = lists.map(({ segmentId, loads }) => ({
    segmentId,
    loads: loads.filter((load) => !leaves(loadName(segmentId, load))),
  }));
  return listed(left.filter(({ loads }) => loads.length > 0));
}

/** In the order of the segments' ids; a state without any has no field for them. */
function listed(lists: readonly PlayerList[]): Lists {
  if (lists.length === 0) return {};
  return { lists: lists.toSorted((one, other) => (one.segmentId < other.segmentId ? -1 : 1)) };
}
