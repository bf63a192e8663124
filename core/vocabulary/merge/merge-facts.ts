import type { MergeTarget } from './merged.ts';
import type { FactBase } from '../facts/fact-base.ts';

/** What the facts about a guest carry. `entityId` is the guest. */
interface OfGuest extends FactBase {
  mergeId: string;
  externalId: string;
  into: MergeTarget;
}

/** What the facts about an account carry. `entityId` is the account, `externalId` its own. */
interface OfAccount extends FactBase {
  mergeId: string;
  externalId: string;
  guestId: string;
  guestExternalId: string;
}

/** A guest became an alias of an account, which has not absorbed it yet. `at` is the time of the merge. */
export interface PlayerMerged extends OfGuest {
  kind: 'PlayerMerged';
}

/** An account took over a guest's state. */
export interface PlayerAbsorbed extends OfAccount {
  kind: 'PlayerAbsorbed';
  /** When the merge began, epoch milliseconds. */
  mergedAt: number;
  /** The guest as it was, as `encodeState` writes it. */
  guest: Uint8Array;
}

/** The account has absorbed the guest. */
export interface MergeFinished extends OfGuest {
  kind: 'MergeFinished';
}

/** The account will not absorb the guest, which is a player again. */
export interface MergeCancelled extends OfGuest {
  kind: 'MergeCancelled';
}

/** A merge is being taken back. */
export interface UnmergeBegun extends OfGuest {
  kind: 'UnmergeBegun';
}

/** An account gave back what a guest had brought, or will never absorb it. */
export interface GuestReleased extends OfAccount {
  kind: 'GuestReleased';
  /** As in `PlayerAbsorbed`. Empty: the account had not absorbed it. */
  guest: Uint8Array;
}

/** A merge was taken back: the guest is a player again, as it was. */
export interface PlayerUnmerged extends OfGuest {
  kind: 'PlayerUnmerged';
}

/** A merge can no longer be taken back. */
export interface MergeSettled extends OfGuest {
  kind: 'MergeSettled';
}

export type MergeFact =
  | PlayerMerged
  | PlayerAbsorbed
  | MergeFinished
  | MergeCancelled
  | UnmergeBegun
  | GuestReleased
  | PlayerUnmerged
  | MergeSettled;
