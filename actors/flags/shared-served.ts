import type { EntityState } from '../vocabulary/state.ts';
import type { ServedFlag } from '../vocabulary/player.ts';

/**
 * What a flag serves is the same for most of its players, so they share one object for it: a player in memory takes a pointer
 * a flag, and what an evaluation is compared with is in the processor's cache. Sharing changes no value.
 */
const shared = new Map<string, ServedFlag[]>();

/** Forms of one flag that are shared: its variants and reasons, in the current period and the one before. */
const FORMS = 32;
/** Flags of all games of a process; beyond it sharing begins anew. */
const FLAGS = 20_000;

/** A shared object with the same content; in most cases there is one. */
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

/** A state that was read, with what it can share. */
export function withSharedServed(state: EntityState): EntityState {
  if (state.kind !== 'player' || state.servedFlags.length === 0) return state;
  return { ...state, servedFlags: state.servedFlags.map(sharedServed) };
}

/** Of two that never changed within their period. */
function isSame(one: ServedFlag, other: ServedFlag): boolean {
  return (
    one.flagVersion === other.flagVersion &&
    one.period === other.period &&
    one.reason === other.reason &&
    one.variantKey === other.variantKey &&
    one.value === other.value &&
    one.segmentId === other.segmentId
  );
}
