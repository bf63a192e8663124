import type { MergeTarget } from './merged.ts';

/*
 * A merge is a saga over two owners: that of the guest G, whose id becomes an alias, and that of the account A.
 * `src` drives it. Every command may be repeated.
 *
 *   merge:      BeginMerge (G), AbsorbPlayer (A), FinishMerge (G)
 *   cancel:     ReleaseGuest (A), CancelMerge (G)
 *   take-back:  BeginUnmerge (G), ReleaseGuest (A), FinishUnmerge (G)
 *
 * `ReleaseGuest` also makes A refuse an AbsorbPlayer of that merge that comes later. It is left out where A's life has
 * ended, because a life never comes back.
 */

/** G becomes an alias of A: from here on its owner decides nothing else of G. Replies `merging`. */
export interface BeginMerge {
  kind: 'BeginMerge';
  playerId: string;
  into: MergeTarget;
  mergeId: string;
}

/** A takes over G's state, once per merge. Replies `absorbed`. */
export interface AbsorbPlayer {
  kind: 'AbsorbPlayer';
  playerId: string;
  /** As in `MergeTarget`. */
  life?: number;
  mergeId: string;
  /** When the merge began, epoch milliseconds. */
  mergedAt: number;
  /** As in the reply `merging`. */
  guest: Uint8Array;
}

/**
 * A has absorbed G. Replies `merging`. With `leavingAt` it ends a take-back instead, because `ReleaseGuest` replied
 * CONFLICT: A was merged itself since.
 */
export interface FinishMerge {
  kind: 'FinishMerge';
  playerId: string;
  mergeId: string;
  /** As in the reply `merging` of that take-back: a late command ends no other one. */
  leavingAt?: number;
}

/** A has not absorbed G and will not: G is a player again, as it was. Replies `noted`. */
export interface CancelMerge {
  kind: 'CancelMerge';
  playerId: string;
  mergeId: string;
}

/** Begin to take a merge back, within `takeBackMs`. Replies `merging`, in the stage `leaving`. */
export interface BeginUnmerge {
  kind: 'BeginUnmerge';
  playerId: string;
  /** Only this merge: a late command takes no other one back. Absent: whichever it is. */
  mergeId?: string;
}

/** A gives back what G brought, or will never absorb it. Replies `noted`. */
export interface ReleaseGuest {
  kind: 'ReleaseGuest';
  playerId: string;
  mergeId: string;
  /** As in the reply `merging`. */
  guest: Uint8Array;
}

/** A has released G: G is a player again, as it was. Replies `noted`. */
export interface FinishUnmerge {
  kind: 'FinishUnmerge';
  playerId: string;
  mergeId: string;
}

export type MergeCommand =
  | BeginMerge
  | AbsorbPlayer
  | FinishMerge
  | CancelMerge
  | BeginUnmerge
  | ReleaseGuest
  | FinishUnmerge;

export const MERGE_COMMANDS = [
  'BeginMerge',
  'AbsorbPlayer',
  'FinishMerge',
  'CancelMerge',
  'BeginUnmerge',
  'ReleaseGuest',
  'FinishUnmerge',
] as const satisfies readonly MergeCommand['kind'][];
