import type { EntityState } from '../../../core/vocabulary/state/state.ts';
import { isSameTrial } from '../experiment/trials.ts';
import type { ServedFlag } from '../../../core/vocabulary/state/player.ts';

/**
 * Most players of a flag get the same, so they share one object for it: a player in memory needs one pointer a flag,
 * and comparisons hit the processor's cache. Sharing never changes a value.
 */
const shared = new Map<string, ServedFlag[]>();

/** Shared objects per flag: its variants and reasons, in the current and the previous period. */
const FORMS = 32;
/** Flags of all games of a process; when exceeded, the cache is cleared. */
const FLAGS = 20_000;

/** A shared object with the same content, or the given one. */
export function sharedServed(flag: ServedFlag): ServedFlag {
  if (flag.changes > 0 || flag.earlier.length > 0) return flag;
  let forms = shared.get(flag.flagKey);
  if (forms === undefined) {
    if (shared.size >= FLAGS) shared.clear();
    forms = [];
    shared.set(flag.flagKey, forms);
  }
  const found = forms.find((form) => isSame(form, flag));
  if (found !== undefined) return found;
  if (forms.length >= FORMS) forms.shift();
  forms.push(flag);
  return flag;
}

/** Replaces the served flags of a state with shared objects. */
export function withSharedServed(state: EntityState): EntityState {
  if (state.kind !== 'player' || state.servedFlags.length === 0) return state;
  return { ...state, servedFlags: state.servedFlags.map(sharedServed) };
}

/** Compares two served flags that never changed within their period. */
function isSame(one: ServedFlag, other: ServedFlag): boolean {
  return (
    one.flagVersion === other.flagVersion &&
    one.period === other.period &&
    one.reason === other.reason &&
    one.variantKey === other.variantKey &&
    one.value === other.value &&
    one.segmentId === other.segmentId &&
    one.stratum === other.stratum &&
    one.cluster === other.cluster &&
    isSameTrial(one.trial, other.trial)
  );
}
