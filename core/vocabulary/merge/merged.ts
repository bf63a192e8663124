/** The account that a guest is merged into. */
export interface MergeTarget {
  playerId: string;
  externalId: string;
  /** Which life of the account, as `PlayerReply.life`: an account that was erased since never absorbs the guest. */
  life?: number;
}

/**
 * `moving`: the account may not have absorbed the guest. `moved`: it has. `leaving`: it is being taken back.
 * `settled`: it can no longer be taken back.
 */
export type MergeStage = 'moving' | 'moved' | 'leaving' | 'settled';

/** Where a merged player is now. */
export interface Moved {
  /** The merged player. */
  playerId: string;
  into: MergeTarget;
  mergeId: string;
  stage: MergeStage;
}

/** A guest that an account has absorbed. */
export interface AbsorbedGuest {
  mergeId: string;
  guestId: string;
  guestExternalId: string;
  /** When the merge began, epoch milliseconds. */
  at: number;
  /** It came with a guest that had absorbed it. */
  with?: string;
}
