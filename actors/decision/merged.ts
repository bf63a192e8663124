import type { Moved } from '../../core/vocabulary/merge/merged.ts';
import type { Scope } from '../../core/vocabulary/documents/scope.ts';

import type { EntityState, MergedState } from '../../core/vocabulary/state/state.ts';

/** The merged player of the caller's game and environment. */
export function mergedIn({ game, environment }: Scope, state: EntityState | undefined): MergedState | undefined {
  if (state?.kind !== 'merged') return undefined;
  return state.game === game && state.environment === environment ? state : undefined;
}

/** Where a merged player is. */
export function movedOf({ id: playerId, into, mergeId, stage }: MergedState): Moved {
  return { playerId, into, mergeId, stage };
}

/** Where a player is that was merged into another one. */
export function movedIn(scope: Scope, state: EntityState | undefined): Moved | undefined {
  const merged = mergedIn(scope, state);
  return merged === undefined ? undefined : movedOf(merged);
}
