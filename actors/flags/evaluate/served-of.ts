import type { ServedFlag } from '../../../core/vocabulary/state/player.ts';
import type { PlayerState } from '../../../core/vocabulary/state/state.ts';

/** The record of a flag; `undefined`: none. */
export function servedOf({ servedFlags }: Pick<PlayerState, 'servedFlags'>, flagKey: string): ServedFlag | undefined {
  const kept = servedFlags[placeOf(servedFlags, flagKey)];
  return kept?.flagKey === flagKey ? kept : undefined;
}

/** The index of the key, or the index at which to insert it. */
export function placeOf(servedFlags: readonly ServedFlag[], flagKey: string): number {
  let from = 0;
  let to = servedFlags.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((servedFlags[middle]?.flagKey ?? '') < flagKey) from = middle + 1;
    else to = middle;
  }
  return from;
}
